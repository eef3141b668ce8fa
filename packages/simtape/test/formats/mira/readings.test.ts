import { describe, expect, test } from "vitest";
import { mira } from "../../../src/formats/mira/format.ts";
import { profileMetadata } from "../../../src/formats/mira/read/profile.ts";
import { open, type Recording, type Value } from "../../../src/index.ts";
import { deflateRaw, deflateZlib, gzip } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { readings } from "../../fixtures/mira/readings.ts";
import { type Content, makeTape, RECOMMENDED, type Writing } from "../../fixtures/mira/tape.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Names are neither in order of appearance nor of their bytes' reverse, so that the orders can be distinguished. */
const CONTENT: Content = {
  start: 1_777_883_400_000_000_000n,
  zoneOffset: -18_000_000_000_000n,
  channels: {
    "/m/second": { type: "std::string", meta: bytes("{meta}") },
    "/a/first": { type: "double" },
    "/z/last": { type: "mira::Unknown<T>" },
  },
  messages: [
    { channel: "/m/second", time: 5, data: bytes("\u0004\0\0\0text"), frame: "/frame" },
    { channel: "/a/first", time: -7, data: new Uint8Array(new Float64Array([0.25]).buffer) },
    { channel: "/z/last", time: 11, data: new Uint8Array(400).fill(9), isCompressed: true, sequence: 1 },
    { channel: "/m/second", time: 5, data: bytes("\u0001\0\0\0!"), sequence: 1 },
    { channel: "/a/first", time: 3, data: new Uint8Array(new Float64Array([2.5]).buffer) },
    { channel: "/z/last", time: 12, data: new Uint8Array(300).fill(7), isCompressed: true, sequence: 2 },
    { channel: "/m/second", time: 40, data: bytes("\0\0\0\0"), sequence: 2 },
  ],
};

async function rows(recording: Recording): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const message of recording.messages()) {
    found.push([message.time, message.sequence, message.channel.name, Buffer.from(message.payload).toString("hex")]);
  }
  return found;
}

function expected(): unknown[] {
  return CONTENT.messages
    .map(({ time, channel, data }, i) => [time, i, channel, Buffer.from(data).toString("hex")] as const)
    .toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** What a reader can know: two readings that lead to the same place are one. */
function settled(reading: Partial<Writing>): { readonly [key: string]: Value } {
  const { compress: _, maxBlock: __, end: ___, lost: ____, ...profile } = { ...RECOMMENDED, ...reading };
  const isSame = profile.insideBase === "block-payload" && profile.insideTarget === "payload";
  const inside = isSame ? ({ insideBase: "block-header", insideTarget: "header" } as const) : {};
  return profileMetadata({ ...profile, ...inside, codec: "zlib" });
}

describe("the reading a tape uses is found out from the tape", () => {
  const all = readings();

  test.each([
    { blocks: "one block", maxBlock: 1 << 20 },
    { blocks: "several blocks", maxBlock: 300 },
  ])(`in each of ${all.length} combinations, with $blocks`, async ({ maxBlock }) => {
    for (const reading of all) {
      const tape = makeTape(CONTENT, { ...reading, maxBlock });
      await using recording = await open(bundleOfFiles({ "a.tape": tape }), { formats: [mira] });
      const what = JSON.stringify(reading);
      const { payload: _, ...profile } = recording.info.metadata["profile"] as { readonly [key: string]: Value };
      expect(profile, what).toEqual(settled(reading));
      expect(recording.findings, what).toEqual([]);
      expect(await rows(recording), what).toEqual(expected());
    }
  });

  test.each([20, 24, 28, 32, 36, 40, 44, 48])("with a header of %i bytes", async (headerBytes) => {
    for (const isLittle of [true, false]) {
      const tape = makeTape(CONTENT, { headerBytes, isLittle, compress: deflateZlib });
      await using recording = await open(bundleOfFiles({ "a.tape": tape }), { formats: [mira] });
      expect(recording.findings).toEqual([]);
      expect(await rows(recording)).toEqual(expected());
      expect((await recording.timeline()).epoch).toBe(headerBytes < 24 ? null : CONTENT.start);
      expect(recording.info.metadata["zoneOffsetNs"]).toBe(headerBytes < 32 ? null : Number(CONTENT.zoneOffset));
    }
  });

  test.each([
    { isLittle: true, sizeIncludesHeader: false },
    { isLittle: false, sizeIncludesHeader: true },
  ])("where the size of a block spans its contents: %o", async (dialect) => {
    for (const blockSize of ["contents", "with-block-header", "payloads"] as const) {
      const tape = makeTape(CONTENT, { ...dialect, blockSize, blockSpans: true, maxBlock: 300, compress: deflateZlib });
      await using recording = await open(bundleOfFiles({ "a.tape": tape }), { formats: [mira] });
      expect(recording.info.metadata["profile"]).toMatchObject({ block_spans: true, block_size: blockSize });
      expect(recording.findings).toEqual([]);
      expect(await rows(recording)).toEqual(expected());
    }
  });

  test.each([
    ["zlib", deflateZlib],
    ["gzip", gzip],
    ["deflate", deflateRaw],
  ] as const)("compressed with %s", async (codec, compress) => {
    const tape = makeTape(CONTENT, { compress: (data) => compress(data) });
    await using recording = await open(bundleOfFiles({ "a.tape": tape }), { formats: [mira] });
    expect(recording.info.metadata["profile"]).toMatchObject({ codec });
    expect(await rows(recording)).toEqual(expected());
  });

  test("any version number is read", async () => {
    for (const version of [0, 7, 0xffff_ffff]) {
      const tape = makeTape(CONTENT, { version, compress: deflateZlib });
      await using recording = await open(bundleOfFiles({ "a.tape": tape }), { formats: [mira] });
      expect(recording.info.version).toBe(String(version));
      expect(await rows(recording)).toEqual(expected());
    }
  });
});
