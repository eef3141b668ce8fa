import { expect, test } from "vitest";
import { matching } from "../../../src/cli/input/glob.ts";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { FIRST_SIZED } from "../../../src/formats/hcrp/layout/events.ts";
import { applyEdits, bundleOf, memory, MemoryFiles, open, type Recording, writeEdited } from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { type ChunkContent, compacted, event } from "../../fixtures/hcrp/recording.ts";

/** Bytes that do not get smaller. */
function noise(length: number): Uint8Array {
  let state = 7;
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

/** A chunk of one event. */
function chunk(bytes: Uint8Array): ChunkContent {
  return { ticks: 2, snapshot: [], records: [{ tick: 1, events: [event(FIRST_SIZED, (to) => to.raw(bytes))] }] };
}

async function recordingOf(chunks: readonly ChunkContent[]): Promise<Recording> {
  return open(bundleOf(memory(compacted(await loadZstd(), { chunks }, { level: 1 }), "a.hcrp")), { formats: [hcrp] });
}

async function count(recording: Recording): Promise<number> {
  let messages = 0;
  for await (const batch of recording.batches()) messages += batch.length;
  return messages;
}

test("recordings of any number of chunks are joined behind a large one of few: their index has room", async () => {
  const writing = await hcrp.writing!();
  const large = noise(6 << 20);
  const few = await recordingOf([large, large, large].map(chunk));
  const many = await recordingOf(Array.from({ length: 24_000 }, (_, i) => chunk(Uint8Array.of(i, i >> 8))));
  const context = { writing, matching, open: async () => many.reader };
  const { reader } = await applyEdits(
    few.reader,
    { version: 1, operations: [{ op: "join", files: ["many"] }] },
    context,
  );
  const files = new MemoryFiles("joined.hcrp");
  const { lost } = await writeEdited(reader, writing, files);
  expect(lost).toEqual([]);
  const joined = await open(bundleOf(memory(files.bytes, "joined.hcrp")), { formats: [hcrp] });
  expect(await count(joined)).toBe((await count(few)) + (await count(many)));
  expect(joined.findings).toEqual([]);
});
