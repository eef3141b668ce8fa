import { readFileSync } from "node:fs";
import { unzipSync } from "fflate";
import { createDeserializer } from "minecraft-protocol";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportMcpr } from "../../src/mcpr/export.ts";
import { importMcpr } from "../../src/mcpr/import.ts";
import { VERSIONS } from "../../src/scene/versions.ts";
import { Folder } from "../support/demo.ts";
import { KINDS, SOUNDS, writeEveryKind } from "../support/every-kind.ts";
import { Rules } from "../support/rules.ts";

const folder = new Folder();

beforeAll(() => writeEveryKind(folder.at("kinds.hcrp")));
afterAll(() => folder[Symbol.dispose]());

/** The packets of a file, as the library decodes them, checked against the rules. */
function ruled(path: string, version: string): Rules {
  const bytes = Buffer.from(unzipSync(readFileSync(path))["recording.tmcpr"]!);
  const rules = new Rules(version);
  const parsers = new Map<string, { parsePacketBuffer(bytes: Buffer): { data: { name: string; params: object } } }>();
  let state = "login";
  for (let at = 0; at < bytes.length; at += 8 + bytes.readInt32BE(at + 4)) {
    let parser = parsers.get(state);
    parser ??= createDeserializer({ state: state as never, isServer: false, version, customPackets: {} }) as never;
    parsers.set(state, parser!);
    const { name, params } = parser!.parsePacketBuffer(bytes.subarray(at + 8, at + 8 + bytes.readInt32BE(at + 4))).data;
    rules.hear(state, name, params);
    if (name === "success") state = version < "1.20.2" ? "play" : "configuration";
    if (name === "finish_configuration") state = "play";
  }
  rules.end();
  return rules;
}

test.each(VERSIONS)("a client of %s takes every packet of an exported file, and shows all of it", async (version) => {
  await exportMcpr(folder.at("kinds.hcrp"), folder.at("kinds.mcpr"), version);
  const rules = ruled(folder.at("kinds.mcpr"), version);
  expect(rules.problems).toEqual([]);
  expect(rules.outside).toEqual([]);
  // one player and one thing went
  expect(rules.things.size).toBe(KINDS.length);
  expect(rules.sounds).toEqual(SOUNDS.map(({ name, at, category }) => ({ name, at, category })));
  await importMcpr(folder.at("kinds.mcpr"), folder.at("back.hcrp"));
  expect(await soundsIn("back.hcrp")).toEqual(await soundsIn("kinds.hcrp"));
});

async function soundsIn(name: string): Promise<unknown[]> {
  await using recording = await open(fromFile(folder.at(name)));
  const sounds: unknown[] = [];
  for await (const { time, value } of recording.messages("sound")) sounds.push([time / 50e6, value]);
  return sounds;
}
