import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readZstdFrameHeader } from "../../../src/codec/zstd.ts";
import { EVENT } from "../../../src/formats/hcrp/layout/events.ts";
import { writeSetBlock } from "../../../src/formats/hcrp/layout/world-events.ts";
import { check, type CheckReport, open } from "../../../src/index.ts";
import { loadZstd, type Zstd } from "../../../src/kit.ts";
import { verify } from "../../../src/record/index.ts";
import { bundleOfFiles, mutate, mutation } from "../../conformance/mutate.ts";
import { faultsOfRepair, repaired } from "../../conformance/repairs.ts";
import { twoEpochs, walk } from "../../fixtures/hcrp/make.ts";
import { race } from "../../fixtures/hcrp/race.ts";
import { chunkBytes, compacted, type Content, event } from "../../fixtures/hcrp/recording.ts";
import { tries } from "../../soak.ts";

const zstd = await loadZstd();

async function checked(bytes: Uint8Array): Promise<CheckReport> {
  await using recording = await open(bundleOfFiles({ "a.hcrp": bytes }));
  return await check(recording);
}

/** `content` with other bytes in chunk `i`, whose frame, checksum and index are right: what a wrong writer makes. */
function withChunk(content: Content, i: number, raw: Uint8Array): Uint8Array {
  const chunks = content.chunks.map((chunk, k) => (k === i ? { ...chunk, raw } : chunk));
  return compacted(zstd, { ...content, chunks });
}

describe.each([
  ["a walk", walk()],
  ["two epochs", twoEpochs()],
  ["a race", race()],
])("%s whose chunks hold what they should not", (_, content) => {
  test("is found by check whenever verify finds it, and repaired so that verify has nothing to say", {
    timeout: 0,
  }, async () => {
    const contents = content.chunks.map(chunkBytes);
    const chunk = fc.nat(Math.min(contents.length, 6) - 1);
    const change = chunk.chain((i) => fc.tuple(fc.constant(i), mutation(contents[i]!.length)));
    await fc.assert(
      fc.asyncProperty(change, async ([i, one]) => {
        const bytes = withChunk(content, i, mutate(contents[i]!, [one]));
        const strict = await verify(bundleOfFiles({ "a.hcrp": bytes }));
        const found = await checked(bytes);
        if (strict.status === "damaged") expect(found.status, strict.findings[0]!.message).toBe("damaged");
        const result = await repaired({ "a.hcrp": bytes });
        expect(await faultsOfRepair({ "a.hcrp": bytes }, result)).toEqual([]);
        if (result.error !== null) throw result.error;
        expect((await verify(bundleOfFiles(result.files))).findings.filter(isFault)).toEqual([]);
      }),
      { numRuns: tries(8, 5000), seed: 14 },
    );
  });
});

function isFault({ severity }: { severity: string }): boolean {
  return severity === "damage" || severity === "loss";
}

test("an event that refers to an entry beyond the palette does not decode, and repair leaves it out", async () => {
  const content = walk();
  const [first, ...rest] = content.chunks;
  const stray = event(EVENT.setBlock, (out) => writeSetBlock(out, { delta: Float64Array.of(1, 2, 3), block: 99 }));
  const records = [...first!.records];
  records[3] = { ...records[3]!, events: [...records[3]!.events, stray] };
  const bytes = compacted(zstd, { ...content, chunks: [{ ...first!, records }, ...rest] });
  const { status, findings } = await checked(bytes);
  expect(status).toBe("damaged");
  expect(findings.map(({ message }) => message).join()).toMatch(/palette block has \d+ entries, index 99 is asked for/);
  const result = await repaired({ "a.hcrp": bytes });
  if (result.error !== null) throw result.error;
  expect(result.report.lost).toHaveLength(1);
  expect((await verify(bundleOfFiles(result.files))).status).toBe("sound");
});

/** Compresses as streaming writers do, who cannot know how long the content will be. */
const streaming: Zstd = {
  compress: (bytes, options) => {
    const frame = zstd.compress(bytes, options);
    const { headerBytes } = readZstdFrameHeader(frame);
    // A checksum, no content size; a window of 2 MiB (RFC 8878 §3.1.1.1).
    return new Uint8Array([...frame.subarray(0, 4), 0x04, 0x58, ...frame.subarray(headerBytes)]);
  },
  decompress: (frame, options) => zstd.decompress(frame, options),
  checksum: (content) => zstd.checksum(content),
};

test("a frame that does not state how long its content is, is reported", async () => {
  const { status, findings, messages } = await checked(compacted(streaming, walk(), { profile: "plain" }));
  expect([status, messages]).toEqual(["sound", (await checked(compacted(zstd, walk()))).messages]);
  expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(["unstated-length"]));
});

test("an index of which no chunk can be read says why", async () => {
  const content = { ...walk(), chunks: walk().chunks.slice(0, 1) };
  const bytes = compacted(zstd, content, { entry: (entry) => ({ ...entry, flags: 0x80 }) });
  await expect(checked(bytes)).rejects.toThrow(/none of 1 chunks can be read: .*flags/);
});
