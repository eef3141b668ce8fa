import { describe, expect, test } from "vitest";
import { check, memoryStore, type Store, StoreError } from "../../src/index.ts";
import type { OverflowPolicy } from "../../src/record/live/live-output.ts";
import { record } from "../../src/record/live/recorder.ts";
import { Clock, comeIn, expectAt, openRecording, step, turn, walk } from "./walk.ts";

/** A store that stops answering, or refuses, for as long as it is reported to. */
class Moody {
  mood: "fine" | "silent" | "away" | "full" | "read-only" = "fine";
  readonly store: Store;
  #waiting: (() => void)[] = [];

  constructor() {
    const inner = memoryStore();
    const put: Store["put"] = async (key, bytes, options) => {
      while (this.mood === "silent") await new Promise<void>((resolve) => this.#waiting.push(resolve));
      if (this.mood === "away") throw new StoreError("unavailable", "503", key);
      if (this.mood === "full") throw new StoreError("full", "no space left", key);
      if (this.mood === "read-only") throw new StoreError("denied", "the file system is read-only", key);
      return inner.put(key, bytes, options);
    };
    this.store = new Proxy(inner, {
      get: (target, name) => {
        if (name === "put") return put;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  cheerUp(): void {
    this.mood = "fine";
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

async function stalled(policy: OverflowPolicy, mood: "silent" | "away" | "full") {
  const moody = new Moody();
  const clock = new Clock();
  const recorder = await record(moody.store, {
    id: "run",
    now: clock.now,
    sleep: clock.sleep,
    buffer: { bytes: 40_000, policy },
    commit: { every: 5000 },
  });
  comeIn(recorder.world, 4);
  await walk(recorder, clock, 4, 400);
  moody.mood = mood;
  let most = 0;
  // as a tick loop that cannot wait
  for (let n = 0; n < 6000; n++) {
    step(recorder.world, 4, recorder.tick);
    clock.time += 50;
    recorder.endTick();
    most = Math.max(most, recorder.status.waiting);
    if (n % 20 === 0) await turn();
  }
  moody.cheerUp();
  for (let n = 0; n < 20; n++) await turn();
  await walk(recorder, clock, 4, 600);
  await recorder.close();
  return { store: moody.store, recorder, most };
}

async function droppedIn(store: Store): Promise<{
  events: Record<string, bigint | number>;
  spans: { from_tick: number; until_tick: number }[];
}> {
  await using recording = await openRecording(store, "run");
  const { simtape } = recording.info.metadata["metadata"] as { simtape: { dropped: never } };
  return simtape.dropped;
}

/** Everything that was reported, less what is there. */
async function missing(store: Store): Promise<number> {
  await using recording = await openRecording(store, "run");
  let moves = 0;
  for await (const batch of recording.batches({ channels: [recording.channel("move")] })) moves += batch.length;
  return 7000 * 4 - moves;
}

describe.each(["silent", "away", "full"] as const)("a store that is %s for five minutes", (mood) => {
  test.each(["drop-oldest", "drop-newest", "block"] as const)(
    "costs bounded memory and counted events, and nothing around them: %s",
    async (policy) => {
      const { store, most } = await stalled(policy, mood);
      // block: the host did not wait, so it is held to twice the buffer
      expect(most).toBeLessThan(policy === "block" ? 120_000 : 80_000);
      await using recording = await openRecording(store, "run");
      expect((await check(recording)).findings).toEqual([]);
      expect((await recording.timeline()).tick!.count).toBe(7000);
      for (const tick of [0, 100, 399, 6500, 6700, 6999]) await expectAt(recording, 4, tick);
      const { events, spans } = await droppedIn(store);
      expect(spans.length).toBeGreaterThan(0);
      for (const { from_tick, until_tick } of spans) expect(until_tick).toBeGreaterThan(from_tick);
      // what is reported missing is missing: the places of steps that changed nothing were never events
      const moves = Number(events["move"]);
      expect(moves).toBeGreaterThan(0);
      expect(await missing(store)).toBeGreaterThanOrEqual(moves);
      expect(await missing(store)).toBeLessThanOrEqual(moves + 40);
      // outside the spans everything is there
      const inside = (tick: number): boolean =>
        spans.some(({ from_tick, until_tick }) => tick >= from_tick && tick < until_tick);
      for (let tick = 0; tick < 7000; tick += 101) if (!inside(tick)) await expectAt(recording, 4, tick);
    },
  );
});

test("a sender that waits for room under policy block loses nothing", async () => {
  const moody = new Moody();
  const clock = new Clock();
  const recorder = await record(moody.store, {
    id: "run",
    now: clock.now,
    sleep: clock.sleep,
    buffer: { bytes: 40_000, policy: "block" },
    commit: { every: 5000 },
  });
  comeIn(recorder.world, 4);
  await walk(recorder, clock, 4, 400);
  moody.mood = "silent";
  const walking = walk(recorder, clock, 4, 4000);
  for (let n = 0; n < 300; n++) await turn();
  expect(recorder.ready).not.toBeNull();
  expect(recorder.tick).toBeLessThan(4000);
  moody.cheerUp();
  await walking;
  await recorder.close();
  expect(recorder.status.dropped).toEqual({});
  await using recording = await openRecording(moody.store, "run");
  for (let tick = 0; tick < 4400; tick += 61) await expectAt(recording, 4, tick);
});

test("a close that the store never answers ends when its time is over, and what is committed stays", async () => {
  const moody = new Moody();
  const clock = new Clock();
  const recorder = await record(moody.store, { id: "run", now: clock.now });
  comeIn(recorder.world, 1);
  await walk(recorder, clock, 1, 100);
  await recorder.flush();
  await walk(recorder, clock, 1, 100);
  moody.mood = "away";
  await expect(recorder.close({ timeout: 30 })).rejects.toThrow();
  await using recording = await openRecording(moody.store, "run");
  await expectAt(recording, 1, 99);
});

describe("a store that refuses access", () => {
  test("for a while is waited for, and nothing is lost", async () => {
    const moody = new Moody();
    const clock = new Clock();
    const { now, sleep } = clock;
    const recorder = await record(moody.store, { id: "run", now, sleep, commit: { every: 1000 } });
    comeIn(recorder.world, 2);
    await walk(recorder, clock, 2, 100);
    moody.mood = "read-only";
    await walk(recorder, clock, 2, 100);
    expect(recorder.status).toMatchObject({ failure: null, trouble: { code: "denied" } });
    moody.mood = "fine";
    await walk(recorder, clock, 2, 100);
    expect(recorder.status).toMatchObject({ failure: null, trouble: null, dropped: {} });
    await recorder.close();
    await using recording = await openRecording(moody.store, "run");
    for (let tick = 0; tick < 300; tick += 7) await expectAt(recording, 2, tick);
  });

  test("from the beginning is said at once", async () => {
    const moody = new Moody();
    moody.mood = "read-only";
    const { now, sleep } = new Clock();
    await expect(record(moody.store, { id: "run", now, sleep })).rejects.toMatchObject({ code: "denied" });
  });
});
