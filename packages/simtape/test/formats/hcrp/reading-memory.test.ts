import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { FIRST_SIZED } from "../../../src/formats/hcrp/layout/events.ts";
import { bundleOf, memory, type MessageBatch, open, type SourceBundle } from "../../../src/index.ts";
import { fromFile } from "../../../src/io/node/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { type ChunkContent, compacted, event } from "../../fixtures/hcrp/recording.ts";

/** Some twenty of them come with one read. */
const CHUNKS = 120;
const LENGTH = 50_000;

/** One event of bytes that do not get smaller. */
function chunk(seed: number): ChunkContent {
  let state = seed + 1;
  const noise = new Uint8Array(LENGTH);
  for (let i = 0; i < LENGTH; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    noise[i] = state >>> 24;
  }
  return { ticks: 20, snapshot: [], records: [{ tick: 3, events: [event(FIRST_SIZED, (to) => to.raw(noise))] }] };
}

/** A recording of many chunks, and one in which some between them are empty. */
const zstd = await loadZstd();
const many = compacted(zstd, { chunks: Array.from({ length: CHUNKS }, (_, i) => chunk(i)) }, { level: 1 });
const EMPTY: ChunkContent = { ticks: 1, snapshot: null, records: [] };
const holes = Array.from({ length: 4 * CHUNKS }, (_, i) => (i % 4 === 1 ? EMPTY : chunk(i)));
const withHoles = compacted(zstd, { chunks: holes }, { level: 1 });

/** All batches of a recording, kept until the last one is there. */
async function batchesOf(bundle: SourceBundle, reverse: boolean): Promise<MessageBatch[]> {
  const recording = await open(bundle, { formats: [hcrp] });
  const batches: MessageBatch[] = [];
  for await (const batch of recording.batches({ reverse })) batches.push(batch);
  await recording.close();
  return batches;
}

test.each([false, true])(
  "batches stay as they are while later reads use the same memory (reverse: %s)",
  async (reverse) => {
    const folder = await mkdtemp(join(tmpdir(), "simtape-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "many.hcrp");
    await writeFile(path, many);
    const found = await batchesOf(fromFile(path), reverse);
    const expected = await batchesOf(bundleOf(memory(many, "many.hcrp")), reverse);
    expect(expected).toHaveLength(CHUNKS);
    expect(found).toHaveLength(expected.length);
    for (const [i, batch] of found.entries()) expect(Buffer.compare(batch.bytes, expected[i]!.bytes)).toBe(0);
  },
);

test.each([false, true])(
  "what came with one read is let go of, although empty chunks among it are passed over (reverse: %s)",
  async (reverse) => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const whole = memory(withHoles, "holes.hcrp");
    const reads: WeakRef<Uint8Array>[] = [];
    const source = {
      name: whole.name,
      size: () => whole.size(),
      read: async (offset: number, length: number) => {
        const piece = (await whole.read(offset, length)).slice();
        reads.push(new WeakRef(piece));
        return piece;
      },
      close: () => whole.close(),
    };
    await using recording = await open(bundleOf(source), { formats: [hcrp] });
    let batches = 0;
    let alive = Number.NaN;
    for await (const { length } of recording.batches({ reverse })) {
      if (length === 0 || ++batches < 3 * CHUNKS - 30) continue;
      await new Promise((resolve) => setTimeout(resolve, 10));
      collect();
      alive = reads.filter((read) => read.deref() !== undefined).length;
      break;
    }
    expect(reads.length).toBeGreaterThan(15);
    expect(alive).toBeLessThan(8);
  },
);
