import { McapWriter } from "@mcap/core";
import { unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { type ConversionReport, convert, FORMATS, MemoryFiles, open } from "../../src/index.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { zipOf } from "../fixtures/nanover/containers.ts";
import { makeMoments } from "../fixtures/nanover/make.ts";

async function converted(name: string, bytes: Uint8Array, strict = false): Promise<[ConversionReport, MemoryFiles]> {
  await using recording = await open(bundleOfFiles({ [name]: bytes }), { formats: FORMATS });
  const mira = await FORMATS.find(({ id }) => id === "mira")!.writing!();
  const to = new MemoryFiles("converted.tape");
  return [await convert(recording, mira, to, { strict }), to];
}

/** What is left out of a conversion since other formats have no place for it. */
const leftOut = ({ lost }: ConversionReport): unknown[] =>
  lost.filter(({ reason }) => reason.includes("no place")).map(({ path, count }) => [path, count]);

test("members of a zip that other formats have no place for are named", async () => {
  const zip = zipOf(makeMoments({ seconds: 1, rate: 4, isTimed: false, switchAt: 0.6 }));
  expect(leftOut((await converted("a.nanover.zip", zip))[0])).toEqual([]);
  const more = zipSync({ ...unzipSync(zip), "notes.txt": new Uint8Array(9), "b/c.png": new Uint8Array(3) });
  const [report, to] = await converted("a.nanover.zip", more);
  expect(leftOut(report)).toEqual([
    ["members/notes.txt", 1],
    ["members/b/c.png", 1],
  ]);
  expect(to.bytes.length).toBeGreaterThan(100);
  const [refused, none] = await converted("a.nanover.zip", more, true);
  expect(leftOut(refused)).toHaveLength(2);
  expect([...none.files.keys()]).toEqual([]);
});

test("so are attachments, by name up to a hundred", async () => {
  const pieces: Uint8Array[] = [];
  let length = 0n;
  const writer = new McapWriter({
    writable: {
      position: () => length,
      write: (bytes: Uint8Array) => {
        pieces.push(bytes.slice());
        length += BigInt(bytes.length);
        return Promise.resolve();
      },
    },
  });
  await writer.start({ profile: "", library: "" });
  for (let i = 0; i < 103; i++) {
    const data = new Uint8Array(i);
    await writer.addAttachment({ name: `a${i}.txt`, logTime: 5n, createTime: 5n, mediaType: "text/plain", data });
  }
  const channelId = await writer.registerChannel({
    ...{ topic: "t", schemaId: 0, messageEncoding: "json", metadata: new Map() },
  });
  const data = new TextEncoder().encode(`{"x": 1}`);
  await writer.addMessage({ channelId, sequence: 0, logTime: 5n, publishTime: 5n, data });
  await writer.end();
  const named = leftOut((await converted("a.mcap", new Uint8Array(Buffer.concat(pieces))))[0]);
  expect(named).toHaveLength(101);
  expect([named[0], named[99], named[100]]).toEqual([
    ["attachments/a0.txt", 1],
    ["attachments/a99.txt", 1],
    ["attachments", 3],
  ]);
});
