import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ENTRY_SNAPSHOT } from "../../src/formats/hcrp/layout/framing.ts";
import {
  type ByteSource,
  check,
  MemoryFiles,
  memoryStore,
  MutableState,
  type Store,
  storeBundle,
  StoreError,
} from "../../src/index.ts";
import { changeMetadata } from "../../src/record/compact/change-metadata.ts";
import { compact } from "../../src/record/compact/compact.ts";
import { existing, recordingBundle } from "../../src/record/live/existing.ts";
import type { RecorderOptions } from "../../src/record/live/recorder-options.ts";
import { record, type Recorder } from "../../src/record/live/recorder.ts";
import { recover } from "../../src/record/live/recover.ts";
import { Clock, comeIn, expectAt, listed, openRecording, START, stanceAt, step, turn, WORLD, walk } from "./walk.ts";

interface Begun {
  readonly store: Store;
  readonly clock: Clock;
  readonly recorder: Recorder;
}

async function begin(options: Partial<RecorderOptions> = {}, store: Store = memoryStore()): Promise<Begun> {
  const clock = new Clock();
  const { now, sleep } = clock;
  const recorder = await record(store, { id: "run", worldId: WORLD, now, sleep, ...options });
  return { store, clock, recorder };
}

describe("a recording of a world", () => {
  test("is where every player was, at every tick, and sound", async () => {
    const { store, clock, recorder } = await begin();
    comeIn(recorder.world, 3);
    await walk(recorder, clock, 3, 2000);
    await recorder.close();
    await using recording = await openRecording(store, "run");
    expect((await check(recording)).findings).toEqual([]);
    expect((await recording.timeline()).tick!.count).toBe(2000);
    for (let tick = 0; tick < 2000; tick += 37) await expectAt(recording, 3, tick);
    expect(recording.info.metadata).toMatchObject({ worldId: WORLD, finished: true });
    expect(recording.info.metadata["metadata"]).toMatchObject({ hcrp: { outcome: "completed", next_entity_id: 4 } });
  });

  test("can be opened from its first moment, and while it grows", async () => {
    const { store, clock, recorder } = await begin();
    {
      await using recording = await openRecording(store, "run");
      expect((await recording.timeline()).tick!.count).toBe(0);
      expect(recording.info.metadata).toMatchObject({ finished: false });
    }
    comeIn(recorder.world, 2);
    await walk(recorder, clock, 2, 700);
    await recorder.flush();
    await walk(recorder, clock, 2, 50);
    {
      await using recording = await openRecording(store, "run");
      expect((await check(recording)).findings.filter(({ severity }) => severity !== "note")).toEqual([]);
      expect((await recording.timeline()).tick!.count).toBe(700);
      await expectAt(recording, 2, 699);
    }
    await recorder.close();
    await using recording = await openRecording(store, "run");
    await expectAt(recording, 2, 749);
  });

  describe("row 11: commits, each with the metadata that name its chunks,", () => {
    /** Commits so far: each is one segment, and after each the metadata name all chunks of all of them. */
    async function commits({ store, recorder }: Begun): Promise<number> {
      for (let n = 0; n < 10; n++) await turn();
      const found = (await existing(store, "run"))!;
      const { head } = found.reader.preamble;
      const { entries } = found.reader.source;
      await found.reader.close();
      expect(found.findings).toEqual([]);
      expect(head.tickCount).toBe(recorder.status.committedTick);
      expect(head.chunkCount).toBe(entries.length);
      const segments = [...(await listed(store, "run/seg-")).keys()].length;
      expect(new Set(entries.map(({ offsetHigh }) => offsetHigh)).size).toBe(segments);
      expect(head.extension!.nextSegment).toBe(segments);
      return segments;
    }

    /** One tick in which a player moves. */
    function busy({ recorder, clock }: Begun): void {
      step(recorder.world, 1, recorder.tick);
      clock.time += 50;
      recorder.endTick();
    }

    async function with_(options: Partial<RecorderOptions> = {}): Promise<Begun> {
      const begun = await begin(options);
      comeIn(begun.recorder.world, 1);
      return begun;
    }

    test("30 seconds after the first event that is not committed, and not before", async () => {
      const begun = await with_();
      const { recorder, clock } = begun;
      busy(begun);
      clock.time += 29_999;
      recorder.poll();
      expect(await commits(begun)).toBe(0);
      clock.time += 1;
      recorder.poll();
      expect(await commits(begun)).toBe(1);
      expect(recorder.status.committedTick).toBe(1);
      // from the next event on
      clock.time += 100_000;
      busy(begun);
      clock.time += 29_000;
      recorder.poll();
      expect(await commits(begun)).toBe(1);
      clock.time += 1_000;
      recorder.poll();
      expect(await commits(begun)).toBe(2);
    });

    test("by a clock that is never set: an hour back stops neither them nor the journal", async () => {
      let elapsed = 0;
      let journal = 0;
      const begun = await with_({
        elapsed: () => elapsed,
        journal: {
          replace: async () => void journal++,
          append: async () => void journal++,
          read: async () => null,
          remove: async () => undefined,
        },
      });
      const { recorder, clock } = begun;
      busy(begun);
      clock.time -= 3_600_000;
      for (elapsed = 500; elapsed <= 3000; elapsed += 500) {
        busy(begun);
        await turn();
      }
      expect(journal).toBe(6);
      elapsed = 30_000;
      recorder.poll();
      expect(await commits(begun)).toBe(1);
    });

    test("never while nothing happens: ten minutes of it", async () => {
      const begun = await with_();
      const { recorder, clock } = begun;
      busy(begun);
      await recorder.flush();
      const before = await commits(begun);
      for (let n = 0; n < 12_000; n++) {
        clock.time += 50;
        recorder.endTick();
      }
      expect(await commits(begun)).toBe(before);
    });

    test("at 256 KiB of compressed data, in no time", async () => {
      const begun = await begin();
      const { store, recorder } = begun;
      comeIn(recorder.world, 60);
      let at = 0;
      for (; recorder.status.committedTick === 0 && at < 2000; at++) {
        expect(recorder.status.waiting).toBeLessThan(288 << 10);
        step(recorder.world, 60, recorder.tick);
        recorder.endTick();
        await turn();
      }
      const sizes = [...(await listed(store, "run/seg-")).values()];
      expect(sizes).toHaveLength(1);
      expect(sizes[0]).toBeGreaterThanOrEqual(256 << 10);
      expect(await commits(begun)).toBe(1);
    });

    test("after so many ticks that hold events, when asked to", async () => {
      const begun = await with_({ commit: { ticks: 5 } });
      const { recorder } = begun;
      for (let n = 0; n < 4; n++) {
        busy(begun);
        recorder.goTo(recorder.tick + 3);
      }
      expect(await commits(begun)).toBe(0);
      busy(begun);
      expect(await commits(begun)).toBe(1);
    });

    test("when a player leaves, with the tick in which he did", async () => {
      const begun = await with_();
      const { store, recorder } = begun;
      busy(begun);
      recorder.world.leave(1);
      expect(await commits(begun)).toBe(0);
      recorder.endTick();
      expect(await commits(begun)).toBe(1);
      await using recording = await openRecording(store, "run");
      expect((await recording.state(1 * 5e7)).sets.get("players")!.ids).toEqual([]);
    });
  });

  test("a store that is slow makes no small chunks: what comes meanwhile waits for the next commit", async () => {
    const inner = memoryStore();
    const put: Store["put"] = async (key, bytes, options) => {
      for (let n = 0; n < 50; n++) await turn();
      return inner.put(key, bytes, options);
    };
    const slow = new Proxy(inner, {
      get: (target, name) => {
        const member = name === "put" ? put : (Reflect.get(target, name) as unknown);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const { clock, recorder } = await begin({ commit: { bytes: 2000 } }, slow);
    comeIn(recorder.world, 5);
    await walk(recorder, clock, 5, 4000);
    await recorder.close();
    const found = (await existing(inner, "run"))!;
    expect(found.before.chunks).toBeLessThan(60);
    await found.reader.close();
  });

  test("row 20: 24 hours of an idle player take less than 40 KiB", async () => {
    const { store, clock, recorder } = await begin({ limits: { ticks: 2_000_000 } });
    comeIn(recorder.world, 1);
    for (let tick = 1000; tick <= 1_728_000; tick += 1000) {
      clock.time += 50_000;
      recorder.goTo(tick);
      await turn();
    }
    await recorder.close();
    const sizes = await listed(store, "run/");
    expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).toBeLessThan(40 << 10);
    await using recording = await openRecording(store, "run");
    expect((await recording.timeline()).tick!.count).toBe(1_728_000);
    await expectAt(recording, 1, 1_727_999, 0);
  });

  test("row 21: 200,000 events in one tick survive", async () => {
    const { store, recorder } = await begin();
    comeIn(recorder.world, 1);
    for (let n = 0; n < 200_000; n++) recorder.world.swing(1);
    recorder.endTick();
    await recorder.close();
    await using recording = await openRecording(store, "run");
    let count = 0;
    for await (const batch of recording.batches({ channels: [recording.channel("swing")] })) count += batch.length;
    expect(count).toBe(200_000);
  });

  test("in a crowd a snapshot comes before a seek has much to go through", async () => {
    const { store, clock, recorder } = await begin();
    comeIn(recorder.world, 300);
    await walk(recorder, clock, 300, 210);
    await recorder.close();
    const { reader } = (await existing(store, "run"))!;
    const { entries } = reader.preamble;
    await reader.close();
    let since = 0;
    for (const { flags, uncompressedLength } of entries) {
      since = flags === ENTRY_SNAPSHOT ? uncompressedLength : since + uncompressedLength;
      expect(since).toBeLessThan(180 << 10);
    }
    const snapshots = entries.filter(({ flags }) => flags === ENTRY_SNAPSHOT).length;
    expect(snapshots).toBeGreaterThan(3);
    await using recording = await openRecording(store, "run");
    expect((await check(recording)).findings).toEqual([]);
    for (let tick = 0; tick < 210; tick += 7) await expectAt(recording, 300, tick);
    // and compaction leaves them apart
    const files = new MemoryFiles("small.hcrp");
    const report = await compact(recordingBundle(store, "run"), files);
    expect(report.frames).toBeGreaterThanOrEqual(snapshots - 1);
  });

  test("row 22: host events are found by their names", async () => {
    const { store, recorder } = await begin();
    const score = recorder.channel("my:score", 3);
    recorder.write(score, Uint8Array.of(1, 2, 3));
    recorder.goTo(300);
    recorder.write(score, Uint8Array.of(4));
    recorder.endTick();
    await recorder.close();
    await using recording = await openRecording(store, "run");
    const reported: [number, Uint8Array][] = [];
    for await (const { time, payload } of recording.messages(recording.channel("my:score")))
      reported.push([time / 5e7, payload.slice()]);
    expect(reported).toEqual([
      [0, Uint8Array.of(1, 2, 3)],
      [300, Uint8Array.of(4)],
    ]);
    expect(recording.channel("my:score").metadata).toMatchObject({ version: "3" });
  });

  test("row 2: 1,000 marks are in the metadata as they were made", async () => {
    const { store, recorder } = await begin();
    comeIn(recorder.world, 1);
    for (let n = 0; n < 1000; n++) {
      recorder.world.mark(n % 2 === 0 ? "checkpoint" : "anticheat", `mark ${n}`, 1, n % 5);
      recorder.endTick();
    }
    await recorder.close();
    await using recording = await openRecording(store, "run");
    const { hcrp } = recording.info.metadata["metadata"] as { hcrp: { marks: Record<string, unknown>[] } };
    expect(hcrp.marks).toHaveLength(1000);
    expect(hcrp.marks[999]).toEqual({ tick: 999, kind: "anticheat", entity: 1, label: "mark 999", severity: 4 });
  });

  test("row 28: ticks are counted, and the wall clock is in the sessions", async () => {
    const { store, clock, recorder } = await begin();
    comeIn(recorder.world, 1);
    await walk(recorder, clock, 1, 100);
    // the server lags
    clock.time += 60_000;
    recorder.session("lag");
    await walk(recorder, clock, 1, 100);
    await recorder.close();
    await using recording = await openRecording(store, "run");
    expect((await recording.timeline()).end).toBe(200 * 5e7);
    const { reader } = (await existing(store, "run"))!;
    expect(reader.preamble.head.extension!.ticksPerSecond).toBe(20);
    await reader.close();
    const { hcrp } = recording.info.metadata["metadata"] as { hcrp: { sessions: Record<string, unknown>[] } };
    expect(hcrp.sessions).toMatchObject([
      { tick: 0, reason: "start", unix_ms: START },
      { tick: 100, reason: "lag", unix_ms: START + 100 * 50 + 60_000 },
    ]);
    // two hundred ticks, whatever the clock says: none is there twice, none is missing
    for (let tick = 0; tick < 200; tick += 9) await expectAt(recording, 1, tick);
  });

  test("row 30: a new version begins an epoch, a chunk and a snapshot", async () => {
    const { store, clock, recorder } = await begin({ dataVersion: 4000 });
    comeIn(recorder.world, 1);
    recorder.world.block([1, 2, 3], "minecraft:grass");
    await walk(recorder, clock, 1, 90);
    recorder.epoch({ dataVersion: 4100, server: "next" });
    recorder.world.block([4, 5, 6], "minecraft:short_grass");
    await walk(recorder, clock, 1, 90);
    await recorder.close();
    await using recording = await openRecording(store, "run");
    const { hcrp } = recording.info.metadata["metadata"] as { hcrp: { epochs: Record<string, unknown>[] } };
    expect(hcrp.epochs).toMatchObject([
      { chunk: 0, data_version: 4000 },
      { chunk: 1, data_version: 4100, server: "next" },
    ]);
    expect((await check(recording)).findings).toEqual([]);
    await expectAt(recording, 1, 179);
  });

  test("keeps what no section of a snapshot holds: health, game mode, effects, riders, heads", async () => {
    const { store, clock, recorder } = await begin();
    comeIn(recorder.world, 2);
    const { world } = recorder;
    const cart = world.spawn("minecraft:minecart", stanceAt(5, 0));
    world.vitals(1, 17.5, 11, 321);
    world.view(2, 3, 1);
    world.effect(1, "minecraft:speed", 1, 100_000);
    world.mount(cart, [2]);
    world.move(1, { ...stanceAt(0, 0), headYaw: stanceAt(0, 0).yaw + 40 });
    world.equipment(1, { 0: "minecraft:stone", 5: "minecraft:diamond_boots" });
    world.world(6000, 1);
    world.dimension("minecraft:the_nether");
    recorder.endTick();
    await walk(recorder, clock, 2, 1);
    for (let n = 0; n < 1500; n++) {
      world.move(2, stanceAt(1, recorder.tick));
      recorder.endTick();
    }
    await recorder.close();
    await using recording = await openRecording(store, "run");
    for (const tick of [3, 199, 200, 201, 650, 1499]) {
      const state = await recording.state(tick * 5e7);
      const players = state.sets.get("players")!;
      const row = players.ids.indexOf(1);
      expect((players.columns.get("health")!.data as Float64Array)[row]).toBe(17.5);
      expect((players.columns.get("xp")!.data as Float64Array)[row]).toBe(321);
      expect((players.columns.get("game-mode")!.data as Float64Array)[players.ids.indexOf(2)]).toBe(3);
      expect((players.columns.get("parent")!.data as Float64Array)[players.ids.indexOf(2)]).toBe(cart);
      expect(state.values.get("world/time")).toBe(6000);
      expect(state.values.get("world/dimension")).toBe("minecraft:the_nether");
    }
  });

  test("profiles leave out what was not asked for", async () => {
    const ghost = await begin({ profile: "ghost" });
    const cinema = await begin({ profile: "cinema" });
    const review = await begin({ profile: "review" });
    for (const { recorder, clock } of [ghost, cinema, review]) {
      comeIn(recorder.world, 1);
      recorder.world.block([0, 0, 0], "minecraft:stone");
      recorder.world.chat("hello");
      recorder.world.sound("minecraft:pop", [1, 2, 3]);
      recorder.world.velocity(1, [0.1, -0.2, 0.3]);
      recorder.world.mark("start", "go", 1);
      await walk(recorder, clock, 1, 10);
      await recorder.close();
    }
    const reported = async ({ store }: { store: Store }): Promise<string[]> => {
      await using recording = await openRecording(store, "run");
      return (await recording.statistics()).flatMap(({ messages }, i) =>
        (messages ?? 0) > 0 ? [recording.channels[i]!.name] : [],
      );
    };
    expect(await reported(ghost)).toEqual(["move", "spawn", "palette-add", "join", "mark", "snapshot"]);
    expect(await reported(cinema)).toContain("sound");
    expect(await reported(cinema)).not.toContain("velocity");
    expect(await reported(review)).toContain("velocity");
  });
});

describe("any simulator's state", () => {
  test("is recorded live and is the same again", async () => {
    const { store, clock, recorder } = await begin();
    for (let tick = 0; tick < 450; tick++) {
      const state = new MutableState();
      state.setValue("battery", 100 - tick / 10);
      const robots = state.set("poses");
      const row = robots.row("base");
      robots
        .column("position", { kind: "f64", width: 3, unit: "m", interpolation: "linear" })
        .put3(row, tick / 100, 2, 0);
      recorder.state(state.freeze());
      clock.time += 50;
      recorder.endTick();
    }
    await recorder.close();
    await using recording = await openRecording(store, "run");
    expect((await check(recording)).findings).toEqual([]);
    const state = await recording.state(333 * 5e7);
    expect(state.values.get("battery")).toBe(100 - 33.3);
    const poses = state.sets.get("poses")!;
    expect(poses.ids).toEqual(["base"]);
    expect(Array.from(poses.columns.get("position")!.data as Float64Array)).toEqual([3.33, 2, 0]);
    expect(() => recorder.world).toThrow(RangeError);
  });
});

describe("a recording that goes on", () => {
  test("row 24: no segment ever changes, a new recorder opens a new one, and ids are not given out again", async () => {
    const { store, clock, recorder } = await begin();
    const seen = new Map<string, string>();
    /** Every segment is as it was when it was first there. */
    const expectSame = async (): Promise<void> => {
      const now = await contents(store, "run/seg-");
      for (const [key, bytes] of now) {
        const hash = createHash("sha256").update(bytes).digest("hex");
        expect(seen.get(key) ?? hash, key).toBe(hash);
        seen.set(key, hash);
      }
      expect([...now.keys()].sort()).toEqual([...seen.keys()].sort());
    };
    comeIn(recorder.world, 2);
    for (let n = 0; n < 5; n++) {
      await walk(recorder, clock, 2, 60);
      await recorder.flush();
      await expectSame();
    }
    expect(seen.size).toBe(5);
    await recorder.abort();
    const again = await record(store, { id: "run", resume: true, worldId: WORLD, now: clock.now, sleep: clock.sleep });
    await expectSame();
    expect(again.tick).toBe(300);
    expect(again.world.nextEntity).toBe(3);
    const entity = again.world.join({ uuid: WORLD, name: "Third" }, stanceAt(0, 300));
    expect(entity).toBe(3);
    again.endTick();
    await again.close();
    await expectSame();
    expect([...seen.keys()].sort().at(-1)).toMatch(/00000005\.hcs$/);
    await using recording = await openRecording(store, "run");
    expect((await check(recording)).findings).toEqual([]);
    expect((await recording.timeline()).tick!.count).toBe(301);
    expect((await recording.state(300 * 5e7)).sets.get("players")!.ids).toEqual([3]);
    const { hcrp } = recording.info.metadata["metadata"] as { hcrp: { sessions: Record<string, unknown>[] } };
    expect(hcrp.sessions).toMatchObject([{ reason: "start" }, { tick: 300, reason: "resume" }]);
    // and neither does what is made of the recording afterwards
    await compact(recordingBundle(store, "run"), new MemoryFiles("run.hcrp"), { level: 3 });
    const { source, sink } = storeBundle(store, "run/meta.hcrp");
    await changeMetadata(source, sink, { values: { reviewed: true } });
    await expectSame();
  });

  test("leaves no file open, whether it goes on or is refused", async () => {
    const clock = new Clock();
    const { now, sleep } = clock;
    const open = new Set<ByteSource>();
    const memory = memoryStore();
    const sourceOf = memory.source.bind(memory);
    const store: Store = Object.assign(memory, {
      source: async (key: string) => {
        const source = await sourceOf(key);
        if (source === null) return null;
        const own: ByteSource = {
          name: source.name,
          size: () => source.size(),
          read: (offset, length, signal) => source.read(offset, length, signal),
          close: async () => {
            open.delete(own);
            await source.close();
          },
        };
        open.add(own);
        return own;
      },
    });
    const options = { id: "run", worldId: WORLD, now, sleep };
    const first = await record(store, { ...options, limits: { ticks: 300 } });
    comeIn(first.world, 2);
    await walk(first, clock, 2, 1000);
    await first.close();
    await expect(record(store, options)).rejects.toThrow("there is a recording already");
    await expect(record(store, { ...options, resume: true })).rejects.toThrow("it is finished");
    const second = await record(store, { ...options, id: "other" });
    comeIn(second.world, 2);
    await walk(second, clock, 2, 100);
    await second.abort();
    await (await record(store, { ...options, id: "other", resume: true })).close();
    await recover(store, "other");
    expect([...open].map(({ name }) => name)).toEqual([]);
  });

  test("row 15: not with another version of the world, not when it is finished, not without being asked", async () => {
    const { store, recorder } = await begin({ worldVersion: "v1" });
    await expect(record(store, { id: "run" })).rejects.toThrow(StoreError);
    await recorder.abort();
    await expect(record(store, { id: "run", resume: true, worldVersion: "v2" })).rejects.toThrow(
      "version of the world",
    );
    const other = "11111111-2222-4333-8444-555555555555";
    await expect(record(store, { id: "run", resume: true, worldId: other })).rejects.toThrow(`expected ${WORLD}`);
    const again = await record(store, { id: "run", resume: true, worldVersion: "v1" });
    await again.close();
    await expect(record(store, { id: "run", resume: true })).rejects.toThrow("finished");
  });

  test("of two that go on with it at once one is reported that it is not its own any more", async () => {
    const { store, clock, recorder } = await begin();
    comeIn(recorder.world, 1);
    await walk(recorder, clock, 1, 100);
    await recorder.flush();
    const other = await record(store, { id: "run", resume: true, now: clock.now, sleep: clock.sleep });
    await walk(recorder, clock, 1, 700);
    await turn();
    expect(recorder.status.failure).toMatchObject({ code: "conflict" });
    expect(recorder.status.dropped["move"]).toBeGreaterThan(0);
    await expect(recorder.close()).rejects.toThrow(StoreError);
    await other.close();
    await using recording = await openRecording(store, "run");
    expect((await check(recording)).findings).toEqual([]);
    await expectAt(recording, 1, 99);
  });

  test("is finished by recovery, with the outcome crashed", async () => {
    const { store, clock, recorder } = await begin();
    comeIn(recorder.world, 1);
    await walk(recorder, clock, 1, 500);
    await recorder.flush();
    await walk(recorder, clock, 1, 50);
    await recorder.abort();
    expect(await recover(store, "run")).toMatchObject({ status: "recovered", committed: 500, ticks: 500 });
    expect(await recover(store, "run")).toMatchObject({ status: "sound", ticks: 500 });
    await using recording = await openRecording(store, "run");
    expect(recording.info.metadata).toMatchObject({ finished: true });
    expect(recording.info.metadata["metadata"]).toMatchObject({ hcrp: { outcome: "crashed" } });
    await expect(recover(store, "absent")).rejects.toThrow(StoreError);
  });
});

async function contents(store: Store, prefix: string): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for await (const { key } of store.list(prefix)) found.set(key, (await store.get(key))!.bytes.slice());
  return found;
}
