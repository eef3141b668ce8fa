import { describe, expect, test } from "vitest";
import { check, memoryStore, type Store } from "../../src/index.ts";
import { type Recorder, record } from "../../src/record/live/recorder.ts";
import { recover } from "../../src/record/live/recover.ts";
import { tries } from "../soak.ts";
import { faulty } from "../support/faulty-store.ts";
import { Clock, comeIn, expectAt, openRecording, turn, walk } from "./walk.ts";

const SEEDS = tries(8, 200);
/** Milliseconds, and ticks, between commits. */
const EVERY = 5000;
const TICKS = 100;

/** A store whose machine dies: of all operations the first `lives` are done, the others never answer. */
function dying(store: Store, lives: number): Store {
  let left = lives;
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== "function") return member;
      const call = member.bind(target) as (...words: unknown[]) => unknown;
      if (name !== "put" && name !== "delete") return call;
      return (...words: unknown[]) => (left-- > 0 ? call(...words) : new Promise(() => undefined));
    },
  });
}

async function begun(store: Store, clock: Clock): Promise<Recorder> {
  for (;;) {
    try {
      return await record(store, { id: "run", now: clock.now, sleep: clock.sleep, commit: { every: EVERY } });
    } catch (error) {
      // of the server, not of us: the host tries again
      if ((error as { code?: string }).code !== "unavailable") throw error;
    }
  }
}

describe.each(Array.from({ length: SEEDS }, (_, seed) => seed))("row 23: a store with faults, seed %i", (seed) => {
  test("a store that fails before, after and slowly costs nothing: every tick is there, nothing twice", async () => {
    const clock = new Clock();
    const inner = memoryStore();
    const store = faulty(inner, { seed, rate: 0 });
    const recorder = await begun(store, clock);
    store.rate = 0.4;
    comeIn(recorder.world, 2);
    await walk(recorder, clock, 2, 1500);
    for (let n = 0; n < 50; n++) await turn();
    await walk(recorder, clock, 2, 100);
    await recorder.close();
    expect(store.faults.length).toBeGreaterThan(2);
    expect(recorder.status).toMatchObject({ dropped: {}, failure: null });
    await using recording = await openRecording(inner, "run");
    expect((await check(recording)).findings).toEqual([]);
    expect((await recording.timeline()).tick!.count).toBe(1600);
    for (let tick = 0; tick < 1600; tick += 53) await expectAt(recording, 2, tick);
  });

  test("a crash at any operation leaves a recording that opens, is right, and lacks at most what was not committed", async () => {
    for (let lives = 1; lives < 40; lives += 3 + (seed % 3)) {
      const clock = new Clock();
      const inner = memoryStore();
      const recorder = await begun(dying(inner, lives), clock);
      comeIn(recorder.world, 2);
      let ticks = 0;
      for (; ticks < 1900 && recorder.status.waiting < 1 << 20; ticks += 10) {
        await walk(recorder, clock, 2, 10);
        await turn();
        await turn();
        // dead: the last commit is two intervals old
        if (recorder.tick - recorder.status.committedTick > 2 * TICKS + 20) break;
      }
      const { committedTick } = recorder.status;
      await using recording = await openRecording(inner, "run");
      const { findings } = await check(recording);
      expect(findings.filter(({ severity, code }) => severity === "damage" && code !== "uncommitted-chunks")).toEqual(
        [],
      );
      const { count } = (await recording.timeline()).tick!;
      // a segment that was written and not named yet is taken in
      expect(count).toBeGreaterThanOrEqual(committedTick);
      expect(count).toBeLessThanOrEqual(recorder.tick);
      if (recorder.tick - committedTick < 2 * TICKS) expect(recorder.tick - count).toBeLessThanOrEqual(2 * TICKS + 20);
      for (let tick = 0; tick < count; tick += 47) await expectAt(recording, 2, tick);
      const report = await recover(inner, "run");
      expect(report).toMatchObject({ status: "recovered", ticks: count, fromJournal: 0 });
      expect(report.committed + report.fromSegments).toBe(count);
      await using whole = await openRecording(inner, "run");
      expect((await check(whole)).findings).toEqual([]);
      expect((await whole.timeline()).tick!.count).toBe(count);
    }
  });
});
