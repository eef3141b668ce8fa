import { describe, expect, test } from "vitest";
import { hcrp } from "../../src/formats/hcrp/format.ts";
import { readEventId, readTickHead } from "../../src/formats/hcrp/layout/chunk.ts";
import { skipEvent } from "../../src/formats/hcrp/layout/events.ts";
import type { Header } from "../../src/formats/hcrp/layout/framing.ts";
import { readVarInt } from "../../src/formats/hcrp/layout/framing.ts";
import { check, memoryStore, open, type Store, StoreError } from "../../src/index.ts";
import { ByteCursor, loadZstd } from "../../src/kit.ts";
import { existing } from "../../src/record/live/existing.ts";
import type { RecordingLimits } from "../../src/record/live/limits.ts";
import type { RecorderOptions } from "../../src/record/live/recorder-options.ts";
import { record, type Recorder } from "../../src/record/live/recorder.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { walk as walkContent } from "../fixtures/hcrp/make.ts";
import { compacted } from "../fixtures/hcrp/recording.ts";
import { recover } from "../../src/record/live/recover.ts";
import { copied, MemoryJournal } from "./memory-journal.ts";
import { Clock, comeIn, expectAt, listed, openRecording, stanceAt, turn, WORLD, walk } from "./walk.ts";
import { random } from "./wild.ts";

async function begin(
  options: Partial<RecorderOptions> = {},
  store: Store = memoryStore(),
): Promise<{ store: Store; clock: Clock; recorder: Recorder }> {
  const clock = new Clock();
  const { now, sleep } = clock;
  const recorder = await record(store, { id: "run", worldId: WORLD, now, sleep, ...options });
  return { store, clock, recorder };
}

/** Ids of the recordings in a store, in the order in which they were recorded; each is sound and knows the others. */
async function chain(store: Store): Promise<string[]> {
  const ids: string[] = [];
  for (let id: string | undefined = "run"; id !== undefined; ) {
    await using recording = await openRecording(store, id);
    expect((await check(recording)).findings).toEqual([]);
    const { simtape } = recording.info.metadata["metadata"] as { simtape: { previous?: string; next?: string } };
    expect(simtape.previous).toBe(ids.at(-1));
    expect(recording.info.metadata).toMatchObject({ finished: true });
    ids.push(id);
    id = simtape.next;
  }
  return ids;
}

/** Records two walkers in many small commits with some limit; gives how many recordings became of it. */
async function recordingsWith(limits: RecordingLimits): Promise<number> {
  const { store, clock, recorder } = await begin({ limits, commit: { every: 1000 } });
  comeIn(recorder.world, 2);
  await walk(recorder, clock, 2, 1500);
  await recorder.close();
  const ids = await chain(store);
  // together they have every tick once
  let start = 0;
  for (const id of ids) {
    await using recording = await openRecording(store, id);
    const { count } = (await recording.timeline()).tick!;
    if (count > 0) await expectAt(recording, 2, 0, start);
    if (count > 0) await expectAt(recording, 2, count - 1, start + count - 1);
    start += count;
  }
  expect(start).toBe(1500);
  return ids.length;
}

describe("row 31: at a limit", () => {
  test("the journal goes on with the recording that comes next, and is not removed by the one before", async () => {
    const journal = new MemoryJournal();
    const { store, clock, recorder } = await begin({ limits: { ticks: 100 }, journal });
    comeIn(recorder.world, 2);
    await walk(recorder, clock, 2, 250);
    const settle = async (): Promise<void> => {
      for (let n = 0; n < 40; n++) await turn();
    };
    await settle();
    await walk(recorder, clock, 2, 20);
    await settle();
    clock.time += 600;
    recorder.poll();
    await settle();
    const { id, tick } = recorder.status;
    const dead = await copied(store);
    const left = new MemoryJournal();
    left.bytes = journal.bytes;
    await recorder.abort();
    expect(id).not.toBe("run");
    const { ticks, fromJournal } = await recover(dead, id, { journal: left });
    expect(fromJournal).toBeGreaterThan(0);
    await using recording = await openRecording(dead, id);
    await expectAt(recording, 2, ticks - 1, tick - 1);
  });

  test("of ticks a recording ends cleanly and the next one goes on, with all players in it", async () => {
    const { store, clock, recorder } = await begin({ limits: { ticks: 1000 } });
    comeIn(recorder.world, 2);
    await walk(recorder, clock, 2, 2500);
    expect(recorder.tick).toBe(2500);
    await recorder.close();
    const counts: number[] = [];
    for (const id of ["run", "run-2", "run-3"]) {
      await using recording = await openRecording(store, id);
      expect((await check(recording)).findings).toEqual([]);
      const { count } = (await recording.timeline()).tick!;
      const start = counts.reduce((sum, n) => sum + n, 0);
      if (count > 0) await expectAt(recording, 2, count - 1, start + count - 1);
      if (count > 0) await expectAt(recording, 2, 0, start);
      counts.push(count);
    }
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(2500);
    expect(counts[0]).toBeGreaterThanOrEqual(1000);
    await using first = await openRecording(store, "run");
    expect(first.info.metadata["metadata"]).toMatchObject({ simtape: { next: "run-2" } });
    await using second = await openRecording(store, "run-2");
    expect(second.info.metadata["metadata"]).toMatchObject({ simtape: { previous: "run", next: "run-3" } });
  });

  test("4,096 things are tracked, and the next one is refused and counted", async () => {
    const { store, recorder } = await begin();
    const { world } = recorder;
    for (let n = 0; n < 4096; n++) expect(world.spawn("minecraft:bat", stanceAt(n, 0))).toBe(n + 1);
    expect(world.spawn("minecraft:bat", stanceAt(0, 0))).toBe(-1);
    expect(world.refused).toBe(1);
    recorder.endTick();
    await recorder.close();
    await using recording = await openRecording(store, "run");
    expect((await recording.state(0)).sets.get("entities")!.ids).toHaveLength(4096);
  });

  test("of a day of ticks the next one begins, unless another limit was asked for", async () => {
    const { store, recorder } = await begin();
    comeIn(recorder.world, 1);
    recorder.goTo(1_727_999);
    for (let n = 0; n < 20; n++) await turn();
    expect(recorder.status.id).toBe("run");
    recorder.goTo(1_728_000);
    for (let n = 0; n < 20; n++) await turn();
    recorder.goTo(1_728_001);
    expect(recorder.status.id).toBe("run-2");
    await recorder.close();
    expect(await chain(store)).toEqual(["run", "run-2"]);
  });

  test.each([
    ["bytes", 15_000],
    ["chunks", 12],
    ["segments", 12],
  ] as const)("of %s it does so, too", async (name, limit) => {
    expect(await recordingsWith({ [name]: limit })).toBeGreaterThan(2);
  });

  test("of metadata it does so, too", async () => {
    const { store, recorder } = await begin({ limits: { metadata: 1200 } });
    comeIn(recorder.world, 1);
    for (let n = 0; n < 60; n++) {
      recorder.world.mark("bookmark", `mark ${n}`);
      recorder.endTick();
      recorder.commit();
      for (let k = 0; k < 10; k++) await turn();
    }
    await recorder.close();
    expect((await chain(store)).length).toBeGreaterThan(2);
  });

  test("of marks, too: all are there or counted, and no label makes the metadata too large", async () => {
    const { store, recorder } = await begin();
    comeIn(recorder.world, 1);
    for (let n = 0; n < 9000; n++) {
      recorder.world.mark("bookmark", n === 0 ? "x".repeat(100_000) : `mark ${n}`);
      recorder.endTick();
      if (n % 10 === 0) await turn();
    }
    await recorder.close();
    const ids = await chain(store);
    expect(ids.length).toBeGreaterThan(2);
    let marks = 0;
    for (const id of ids) {
      await using recording = await openRecording(store, id);
      const { hcrp, simtape } = recording.info.metadata["metadata"] as {
        hcrp: { marks: { label: string }[] };
        simtape: Record<string, unknown>;
      };
      marks += hcrp.marks.length + Number(simtape["marks_left_out"] ?? 0);
      for (const { label } of hcrp.marks) expect(label.length).toBeLessThanOrEqual(1024);
    }
    expect(marks).toBe(9000);
  });

  test("metadata that are too large from the beginning on make no endless chain", async () => {
    const { store, clock, recorder } = await begin({ limits: { metadata: 100 }, commit: { every: 1000 } });
    comeIn(recorder.world, 1);
    await walk(recorder, clock, 1, 300);
    await recorder.close();
    expect(await chain(store)).toEqual(["run"]);
  });

  test("segments hold 16 MiB at most, however much has come together", async () => {
    const inner = memoryStore();
    let isAway = false;
    const put: Store["put"] = async (...words) => {
      if (isAway) throw new StoreError("unavailable", "503", words[0]);
      return inner.put(...words);
    };
    const store = new Proxy(inner, {
      get: (target, name) => {
        const member = name === "put" ? put : (Reflect.get(target, name) as unknown);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const { recorder } = await begin({ buffer: { bytes: 64 << 20 } }, store);
    const camera = recorder.channel("my:camera");
    const roll = random(16);
    isAway = true;
    for (let n = 0; n < 22; n++) {
      recorder.write(
        camera,
        Uint8Array.from({ length: 900_000 }, () => roll(256)),
      );
      recorder.endTick();
      recorder.snapshot();
    }
    isAway = false;
    await recorder.close();
    const sizes = [...(await listed(inner, "run/seg-")).values()];
    expect(sizes.length).toBeGreaterThan(1);
    for (const size of sizes) expect(size).toBeLessThanOrEqual(16 << 20);
    await using recording = await openRecording(inner, "run");
    let count = 0;
    for await (const batch of recording.batches({ channels: [recording.channel("my:camera")] })) count += batch.length;
    expect(count).toBe(22);
  });

  test("a tick record holds 65,535 events, and another one goes on with the tick", async () => {
    const { store, recorder } = await begin();
    comeIn(recorder.world, 1);
    recorder.endTick();
    for (let n = 0; n < 70_000; n++) recorder.world.swing(1);
    recorder.endTick();
    await recorder.close();
    const { reader } = (await existing(store, "run"))!;
    const { raw } = await reader.contentOf(reader.chunks[0]!);
    await reader.close();
    const cursor = new ByteCursor(raw!);
    cursor.skip(readVarInt(cursor));
    const records: [number, number][] = [];
    while (cursor.remaining > 0) {
      const { tick, count } = readTickHead(cursor);
      records.push([tick, count]);
      for (let i = 0; i < count; i++) skipEvent(cursor, readEventId(cursor));
    }
    expect(records.slice(1)).toEqual([
      [1, 65_535],
      [1, 4465],
    ]);
  });

  test("readers refuse what is above those of the format, before anything is allocated", async () => {
    const zstd = await loadZstd();
    for (const [change, message] of [
      [{ metadataLength: 16_777_217 }, "metadata length: expected at most 16777216, found 16777217"],
      [{ indexLength: 16_777_217 }, "index length: expected at most 16777216, found 16777217"],
      [{ chunkCount: 1_048_577 }, "chunk count: expected at most 1048576, found 1048577"],
      [{ tickCount: 0x8000_0000 }, "tick count: expected at most 2147483647, found 2147483648"],
    ] as const) {
      const header = (each: Header): Header => ({ ...each, ...change });
      const bundle = bundleOfFiles({ "a.hcrp": compacted(zstd, walkContent(), { header }) });
      const reported = await open(bundle, { formats: [hcrp] }).then(
        async (recording) => {
          await recording.close();
          return recording.findings.map((finding) => finding.message).join("\n");
        },
        (error: Error) => error.message,
      );
      expect(reported).toContain(message);
    }
  });

  test("limits above those of the format, and ids that are none, are refused", async () => {
    for (const limits of [
      { ticks: 2 ** 31 },
      { chunks: 2 ** 20 + 1 },
      { segments: 65_537 },
      { metadata: 2 ** 24 + 1 },
      { bytes: 0 },
      { ticks: Number.NaN },
    ])
      await expect(begin({ limits })).rejects.toThrow(RangeError);
    for (const id of ["", "..", "../run", "a b", "a/../b", "/run", "run/", "ü", "x".repeat(129)])
      await expect(begin({ id }), id).rejects.toThrow(StoreError);
  });

  test("an id of 128 characters has a next one, too", async () => {
    const id = `eu/${"x".repeat(128)}`;
    const { store, clock, recorder } = await begin({ id, limits: { ticks: 100 } });
    comeIn(recorder.world, 1);
    await walk(recorder, clock, 1, 150);
    await recorder.close();
    await using next = await openRecording(store, `eu/${"x".repeat(126)}-2`);
    expect((await next.timeline()).tick!.count).toBeGreaterThan(0);
  });
});
