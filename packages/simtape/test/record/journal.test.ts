import fc from "fast-check";
import { expect, test } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { record } from "../../src/record/live/recorder.ts";
import { recover } from "../../src/record/live/recover.ts";
import { tries } from "../soak.ts";
import { copied, MemoryJournal } from "./memory-journal.ts";
import { comeIn, step, turn } from "./walk.ts";

/** Ticks between two mirrorings: half a second. */
const MIRROR = 10;

/** A journal on a disk that is slow: what was written counts when it has arrived; milliseconds of `clock`. */
class SlowJournal extends MemoryJournal {
  /** As the machine would find it after it has crashed. */
  onDisk: Uint8Array | null = null;
  readonly #clock: { time: number };
  readonly #writing: () => number;
  readonly #syncing: () => number;
  #syncs = 0;

  constructor(clock: { time: number }, writing: () => number, syncing: () => number) {
    super();
    this.#clock = clock;
    this.#writing = writing;
    this.#syncing = syncing;
  }

  override async append(bytes: Uint8Array): Promise<void> {
    await this.#pass(this.#writing());
    await super.append(bytes);
  }

  async sync(): Promise<void> {
    expect(++this.#syncs, "syncs at once").toBe(1);
    const written = this.bytes;
    await this.#pass(this.#syncing());
    this.onDisk = written;
    this.#syncs--;
  }

  async #pass(milliseconds: number): Promise<void> {
    for (const end = this.#clock.time + milliseconds; this.#clock.time < end; ) await turn();
  }
}

test("a recorder that is killed has lost ten ticks and those of one write, however long the disk takes to confirm", async () => {
  const delays = fc.record({
    writing: fc.integer({ min: 0, max: 14 }),
    syncing: fc.integer({ min: 0, max: 200 }),
    commit: fc.constantFrom(1500, 30_000),
    ticks: fc.integer({ min: 20, max: 160 }),
  });
  const property = fc.asyncProperty(delays, async ({ writing, syncing, commit, ticks }) => {
    const clock = { time: 0 };
    const store = memoryStore();
    const journal = new SlowJournal(
      clock,
      () => writing * 50,
      () => syncing * 50,
    );
    const elapsed = (): number => clock.time;
    const recorder = await record(store, { id: "run", now: () => 0, elapsed, journal, commit: { every: commit } });
    comeIn(recorder.world, 2);
    for (let n = 0; n < ticks; n++) {
      step(recorder.world, 2, recorder.tick);
      clock.time += 50;
      recorder.endTick();
      for (let k = 0; k < 6; k++) await turn();
    }
    const dead = await copied(store);
    const left = new MemoryJournal();
    left.bytes = journal.bytes;
    const report = await recover(dead, "run", { journal: left });
    // a chunk that has just ended is compressed first, one tick later
    expect(recorder.tick - report.ticks).toBeLessThanOrEqual(Math.max(MIRROR, writing) + writing + 2);
    // the disk is let go
    const giving = recorder.abort();
    for (let done = false; !done; ) {
      clock.time += 50;
      done = await Promise.race([giving.then(() => true), turn().then(() => false)]);
    }
  });
  await fc.assert(property, { numRuns: tries(40, 1000), seed: 31 });
});
