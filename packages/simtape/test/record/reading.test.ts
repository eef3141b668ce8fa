import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hcrp } from "../../src/formats/hcrp/format.ts";
import {
  bundleAt,
  bundleOf,
  type ByteSource,
  counted,
  type CountedSource,
  memory,
  MemoryFiles,
  memoryStore,
  open as openAny,
  type Recording,
  type Store,
} from "../../src/index.ts";
import { loadZstd } from "../../src/kit.ts";
import { compact } from "../../src/record/compact/compact.ts";
import { verify } from "../../src/record/compact/verify.ts";
import { existing, recordingBundle } from "../../src/record/live/existing.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { record } from "../../src/record/live/recorder.ts";
import { walk as walkContent } from "../fixtures/hcrp/make.ts";
import { compacted as packed } from "../fixtures/hcrp/recording.ts";
import { Clock, comeIn, expectAt, openRecording, step, turn, walk } from "./walk.ts";

async function recorded(players: number, ticks: number): Promise<Store> {
  const store = memoryStore();
  const clock = new Clock();
  const recorder = await record(store, { id: "run", now: clock.now });
  comeIn(recorder.world, players);
  await walk(recorder, clock, players, ticks);
  await recorder.close();
  return store;
}

async function compacted(store: Store): Promise<Uint8Array> {
  const to = new MemoryFiles("run.hcrp");
  await compact(recordingBundle(store, "run"), to, { level: 3 });
  return to.bytes;
}

/** A server that answers ranges, and counts. */
async function served(bytes: Uint8Array): Promise<{ url: URL; asked: string[]; close: () => void }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const range = request.headers.range ?? "";
    asked.push(range);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    const start = Number(from ?? 0);
    const end = Math.min(bytes.length, to === undefined ? bytes.length : Number(to) + 1);
    response.writeHead(from === undefined ? 200 : 206, {
      etag: '"one"',
      "accept-ranges": "bytes",
      "content-length": end - start,
      ...(from === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` }),
    });
    response.end(bytes.subarray(start, end));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/run.hcrp`), asked, close: () => server.close() };
}

test("row 9: a recording is segments of chunks of ticks, as they were committed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer({ min: 1, max: 450 }), { minLength: 1, maxLength: 4 }), {
        minLength: 1,
        maxLength: 5,
      }),
      async (commits) => {
        const store = memoryStore();
        const clock = new Clock();
        const recorder = await record(store, { id: "run", now: () => 0 });
        comeIn(recorder.world, 1);
        const reported: { segment: number; start: number; ticks: number }[] = [];
        for (const [segment, chunks] of commits.entries()) {
          for (const ticks of chunks) {
            const start = recorder.tick;
            await walk(recorder, clock, 1, ticks);
            // a chunk ends after 200 ticks, or where a snapshot is asked for
            for (let at = 0; at < ticks; at += 200)
              reported.push({ segment, start: start + at, ticks: Math.min(200, ticks - at) });
            recorder.snapshot();
          }
          await recorder.flush();
        }
        await recorder.close();
        const found = (await existing(store, "run"))!;
        const entries = found.reader.source.entries.map(({ offsetHigh, startTick, tickCount }) => ({
          segment: offsetHigh,
          start: startTick,
          ticks: tickCount,
        }));
        await found.reader.close();
        expect(entries).toEqual(reported);
      },
    ),
    { numRuns: 25 },
  );
});

test("row 10: a file whose first chunk has no snapshot is refused: the chunk by the reader, the file by all that is strict", async () => {
  const content = walkContent();
  const without = content.chunks.map((chunk, i) => (i === 0 ? { ...chunk, snapshot: null } : chunk));
  const zstd = await loadZstd();
  const [sound, refused] = [content, { ...content, chunks: without }].map((each) =>
    bundleOfFiles({ "a.hcrp": packed(zstd, each) }),
  );
  // some chunks have one and some have none
  expect(await verify(sound!)).toMatchObject({ status: "sound", chunks: 4, snapshots: 2 });
  const reported =
    "index entry 0, flags: expected bit 0 set, as the first chunk must have a snapshot; the chunk is refused";
  expect((await verify(refused!)).status).toBe("damaged");
  await expect(compact(refused!, new MemoryFiles("run.hcrp"))).rejects.toThrow(reported);
  await using recording = await openAny(refused!, { formats: [hcrp] });
  expect(recording.findings[0]).toMatchObject({ code: "index-first-snapshot", severity: "damage", message: reported });
  // nothing of it is shown
  for await (const { time, length } of recording.batches())
    if (length > 0) expect(time[0]).toBeGreaterThanOrEqual(60 * 5e7);
});

test("row 10: a chunk needs no snapshot of its own, but the first one has it", async () => {
  const store = await recorded(3, 2000);
  const found = (await existing(store, "run"))!;
  const flags = found.reader.source.entries.map((entry) => entry.flags);
  await found.reader.close();
  expect(flags[0]).toBe(1);
  expect(flags).toContain(0);
  await using recording = await openRecording(store, "run");
  for (let tick = 0; tick < 2000; tick += 97) await expectAt(recording, 3, tick);
});

test("row 26: over HTTP opening is one request, a cold seek one, a warm one none, ten minutes of play of 24 players five", async () => {
  const bytes = await compacted(await recorded(24, 13_000));
  expect(bytes.length).toBeGreaterThan(1 << 20);
  const { url, asked, close } = await served(bytes);
  const opened = (): Promise<Recording> => openAny(bundleAt(url), { formats: [hcrp] });
  for (const tick of [12_900, 5000, 9999]) {
    asked.length = 0;
    await using recording = await opened();
    expect(asked).toEqual(["bytes=0-262143"]);
    await expectAt(recording, 24, tick);
    expect(asked).toHaveLength(2);
    await expectAt(recording, 24, tick - 3);
    expect(asked).toHaveLength(2);
  }
  await using recording = await opened();
  asked.length = 0;
  let moves = 0;
  for await (const batch of recording.batches({ start: 500 * 5e7, end: 12_500 * 5e7 })) moves += batch.length;
  expect(moves).toBeGreaterThan(24 * 11_000);
  expect(asked.length).toBeLessThanOrEqual(5);
  close();
});

test("row 26: a preamble above 256 KiB costs one request more, and nothing else", async () => {
  const store = memoryStore();
  const clock = new Clock();
  const notes = Array.from({ length: 300 }, (_, n) => `${n} ${"x".repeat(1000)}`);
  const recorder = await record(store, { id: "run", now: clock.now, metadata: { notes } });
  comeIn(recorder.world, 24);
  await walk(recorder, clock, 24, 2500);
  await recorder.close();
  const bytes = await compacted(store);
  const { url, asked, close } = await served(bytes);
  await using recording = await openAny(bundleAt(url), { formats: [hcrp] });
  expect(asked).toHaveLength(2);
  expect(asked[0]).toBe("bytes=0-262143");
  await expectAt(recording, 24, 2400);
  expect(asked).toHaveLength(3);
  close();
});

test("row 1: a day of four players, 1,728,000 ticks, opens with two reads of 512 KiB at most, and any moment is there", async () => {
  const store = memoryStore();
  const clock = new Clock();
  const recorder = await record(store, { id: "run", now: clock.now, limits: { ticks: 2_000_000 } });
  comeIn(recorder.world, 4);
  let waiting = 0;
  // a step in every chunk: the benchmark records all of them
  for (let tick = 0; tick < 1_728_000; tick += 200) {
    recorder.goTo(tick);
    step(recorder.world, 4, tick);
    clock.time += 10_000;
    waiting = Math.max(waiting, recorder.status.waiting);
    if (tick % 2000 === 0) await turn();
  }
  recorder.goTo(1_728_000);
  await recorder.close();
  // what is not committed is all that is in memory of it
  expect(waiting).toBeLessThan(512 << 10);
  for (const bundle of [recordingBundle(store, "run"), bundleOf(memory(await compacted(store)))]) {
    const sources: CountedSource[] = [];
    const open = async (name?: string): Promise<ByteSource | null> => {
      const source = await bundle.open(name);
      if (source !== null) sources.push(counted(source));
      return source && sources.at(-1)!;
    };
    await using recording = await openAny({ ...bundle, open }, { formats: [hcrp] });
    expect(sources.reduce((sum, { reads }) => sum + reads, 0)).toBeLessThanOrEqual(2);
    expect(sources.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(512 << 10);
    expect((await recording.timeline()).tick!.count).toBe(1_728_000);
    for (const tick of [1_727_999, 3, 864_000, 86_399, 1_000_000])
      await expectAt(recording, 4, tick, tick - (tick % 200));
  }
});

test("row 27: a seek begins at the last snapshot before it, which is a minute old at most", async () => {
  const store = await recorded(2, 5000);
  const files = await compacted(store);
  for (const bundle of [recordingBundle(store, "run"), bundleOf(memory(files))]) {
    await using recording = await openAny(bundle, { formats: [hcrp] });
    const snapshots: number[] = [];
    for await (const { time } of recording.messages(recording.channel("snapshot"))) snapshots.push(time);
    for (let tick = 0; tick < 5000; tick += 61) {
      const time = tick * 5e7;
      const anchor = await recording.reader.keyframe(time);
      expect(anchor!.time).toBe(snapshots.findLast((at) => at <= time));
      expect(time - anchor!.time).toBeLessThanOrEqual(60e9);
    }
  }
});
