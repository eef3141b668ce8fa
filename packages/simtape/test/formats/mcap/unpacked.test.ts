import { expect, test } from "vitest";
import { mcap } from "../../../src/formats/mcap/format.ts";
import { counted, memory, open } from "../../../src/index.ts";
import { crc32 } from "../../../src/kit.ts";
import { makeMcap } from "../../fixtures/mcap/make.ts";
import { patrol } from "../../fixtures/mcap/patrol.ts";

const file = await makeMcap(patrol(), { chunk: 20, compression: "zstd", hasSummary: false });

/** Bytes that two readings read behind the scan, and the checksum of all payloads of each. */
async function readTwice(budget: number): Promise<readonly (readonly [bytes: number, crc: number])[]> {
  const source = counted(memory(file, "a.mcap"));
  const bundle = { name: "a.mcap", open: async () => source };
  await using recording = await open(bundle, { formats: [mcap], budget });
  const passes: [number, number][] = [];
  for (let pass = 0; pass < 2; pass++) {
    const before = source.bytes;
    let crc = 0;
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length; i++) crc = crc32(batch.payload(i), crc);
    }
    passes.push([source.bytes - before, crc]);
  }
  return passes;
}

test("what a scan has unpacked is not read again, and is kept until the first reading only", async () => {
  const [first, second] = await readTwice(256 << 20);
  expect(first![0]).toBe(0);
  expect(second![0]).toBeGreaterThan(file.length / 2);
  expect(first![1]).toBe(second![1]);
});

test("where the budget spares no room for it, chunks are unpacked again", async () => {
  const [[, expected] = []] = await readTwice(256 << 20);
  const [first, second] = await readTwice(70_000);
  expect(first![0]).toBeGreaterThan(0);
  expect([first![1], second![1]]).toEqual([expected, expected]);
});
