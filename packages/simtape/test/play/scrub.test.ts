import { expect, test } from "vitest";
import { demo } from "../../../demo/src/hcrp.ts";
import {
  bundleOf,
  type ByteSource,
  coalesced,
  memory,
  MemoryFiles,
  open,
  type Recording,
  type Time,
} from "../../src/index.ts";
import { type Player, play } from "../../src/play/player.ts";
import { ManualClock } from "./manual-clock.ts";

/** A server that answers after a time of the clock, and what was asked of it. */
class FarSource implements ByteSource {
  readonly name = "far";
  /** When reads came. */
  readonly times: Time[] = [];
  /** Reads under way at once, at most. */
  together = 0;
  #waiting = 0;
  readonly #source: ByteSource;
  readonly #clock: ManualClock;
  delay: Time = 0;

  constructor(bytes: Uint8Array, clock: ManualClock) {
    this.#source = memory(bytes);
    this.#clock = clock;
  }

  size(): Promise<number | null> {
    return this.#source.size();
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.times.push(this.#clock.now());
    this.together = Math.max(this.together, ++this.#waiting);
    try {
      if (this.delay > 0) {
        await new Promise<void>((resolve, reject) => {
          const callOff = this.#clock.wake(this.#clock.now() + this.delay, resolve);
          signal?.addEventListener("abort", () => {
            callOff();
            reject(signal.reason);
          });
        });
      }
      return await this.#source.read(offset, length, signal);
    } finally {
      this.#waiting--;
    }
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

let race: Uint8Array | null = null;

async function far(clock: ManualClock): Promise<{ source: FarSource; recording: Recording }> {
  if (race === null) {
    const files = new MemoryFiles("race.hcrp");
    await demo({ seconds: 300, entities: 24, seed: 3 }, files);
    race = files.bytes;
  }
  const source = new FarSource(race, clock);
  return { source, recording: await open(bundleOf(coalesced(source))) };
}

/** A player whose seeks are a user's, of a recording 20 ms away. */
async function heldByHand(): Promise<{ clock: ManualClock; source: FarSource; end: Time; player: Player }> {
  const clock = new ManualClock();
  const { source, recording } = await far(clock);
  const { end } = await recording.timeline();
  const player = play(recording, { clock, interactive: true });
  await clock.advance(0.2e9);
  source.delay = 20e6;
  source.times.length = 0;
  return { clock, source, end, player };
}

/** A pointer that goes over the whole recording and back, sixty times in a second: where it is at the `n`th move. */
function pointer(n: number, end: Time): Time {
  return Math.round((0.5 - 0.5 * Math.cos(n / 17)) * end);
}

const AWAY = [30e6, 45e6, 120e6].flatMap((delay) => [["paused", delay] as const, ["playing", delay] as const]);

test.each(AWAY)(
  "%s, a pointer that is dragged asks once in 66 ms, %i ns away, and sees scenes all the way",
  async (stage, delay) => {
    const clock = new ManualClock();
    const { source, recording } = await far(clock);
    const { end } = await recording.timeline();
    await using player = play(recording, { clock });
    await clock.advance(0);
    const shown: { readonly time: Time; readonly at: Time }[] = [];
    const moves: { readonly time: Time; readonly at: Time }[] = [];
    player.subscribe(({ time, cause }) => {
      if (cause === "seek") shown.push({ time, at: clock.now() });
    });
    source.delay = delay;
    if (stage === "playing") player.play();
    await clock.advance(0.2e9);
    source.times.length = 0;
    source.together = 0;
    for (let n = 0; n < 60; n++) {
      const time = pointer(n, end);
      moves.push({ time, at: clock.now() });
      void player.seek(time);
      await clock.advance(16_666_667);
    }
    const last = player.seek(pointer(60, end));
    await clock.advance(0.5e9);
    expect(await last).toBe(true);
    expect(source.together).toBe(1);
    const gaps = source.times.slice(1).map((time, i) => time - source.times[i]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(66e6);
    expect(source.times.length).toBeGreaterThan(1e9 / Math.max(delay, 67e6) / 2);
    // every place that was shown was one of the pointer's, and new when it was asked for
    for (const { time, at } of shown.slice(1, -1)) {
      const moved = moves.findLast((move) => move.time === time);
      expect(at - moved!.at).toBeLessThanOrEqual(8e6 + delay);
    }
  },
);

test("where a pointer has come to rest is shown soon, although no newer place comes", async () => {
  const clock = new ManualClock();
  const { source, recording } = await far(clock);
  const { end } = await recording.timeline();
  await using player = play(recording, { clock });
  await clock.advance(0.2e9);
  source.delay = 30e6;
  let [shown, at] = [-1, -1];
  player.subscribe(({ time }) => {
    [shown, at] = [time, clock.now()];
  });
  // Later and later behind the beginning of a load.
  for (let rest = 1; rest < 66; rest += 4) {
    await clock.advance(1e9);
    const began = clock.now();
    void player.seek(0.2 * end + rest * 1e9);
    await clock.advance(rest * 1e6);
    const moved = clock.now();
    void player.seek(0.7 * end + rest * 1e9);
    await clock.advance(0.3e9);
    expect(shown).toBe(Math.round(0.7 * end + rest * 1e9));
    expect(at).toBeLessThanOrEqual(Math.max(began + 66e6, moved + 20e6) + 30e6);
  }
});

test.each([
  ["sixty", 16_666_667],
  ["thirty", 33_333_333],
  ["twenty", 50e6],
])("by hand no two requests are less than 66 ms apart, with %s moves in a second", async (_, apart) => {
  const { clock, source, end, player } = await heldByHand();
  const isShown: Promise<boolean>[] = [];
  for (let gone = 0; gone < 2e9; gone += apart) {
    isShown.push(player.seek(pointer(gone / 16_666_667, end)));
    await clock.advance(apart);
  }
  await clock.advance(0.5e9);
  const gaps = source.times.slice(1).map((time, i) => time - source.times[i]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(66e6);
  expect(source.times.length).toBeGreaterThan(12);
  expect(await isShown.at(-1)).toBe(true);
  await player.close();
});

test("a program that seeks one after another waits for nothing but the reads", async () => {
  const clock = new ManualClock();
  const { source, recording } = await far(clock);
  const { end } = await recording.timeline();
  await using player = play(recording, { clock });
  await clock.advance(0.2e9);
  const began = clock.now();
  for (let n = 1; n < 20; n++) expect(await player.seek(pointer(7 * n, end))).toBe(true);
  expect(clock.now()).toBe(began);
  expect(source.times.length).toBeGreaterThan(10);
});

test("a place that waits for its turn does not wait for another when those come slowly", async () => {
  const { clock, source, end, player } = await heldByHand();
  for (const [n, apart] of [14, 38, 500].entries()) {
    void player.seek((0.97 - 0.15 * n) * end);
    await clock.advance(apart * 1e6);
  }
  // The third is 14 ms old when the second request may go.
  expect(source.times.map((time) => time - source.times[0]!)).toEqual([0, 66e6]);
  await player.close();
});

test("a seek anywhere is one read, whichever way the player goes", async () => {
  const clock = new ManualClock();
  const { source, recording } = await far(clock);
  const { end } = await recording.timeline();
  await using player = play(recording, { clock, rate: -1 });
  await player.seek(0);
  const reads: number[] = [];
  for (let n = 0; n < 40; n++) {
    if (n === 20) player.setRate(1);
    source.times.length = 0;
    await player.seek(Math.floor(((n * 0.618_034) % 1) * (end / 50e6)) * 50e6);
    reads.push(source.times.length);
  }
  expect(Math.max(...reads)).toBe(1);
});

test("a seek to between two chunks is one read, too", async () => {
  const clock = new ManualClock();
  const { source, recording } = await far(clock);
  await using player = play(recording, { clock });
  await player.seek(0);
  const reads: number[] = [];
  for (let n = 0; n < 20; n++) {
    // one chunk begins at a keyframe, and another has ended a tick before it
    const keyframe = await recording.keyframe(280e9 - n * 13e9);
    source.times.length = 0;
    await player.seek(keyframe!.time - 20e6);
    reads.push(source.times.length);
  }
  expect(Math.max(...reads)).toBe(1);
});

test("so it is where one of the two is in memory", async () => {
  const clock = new ManualClock();
  const { source, recording } = await far(clock);
  await using other = (await far(clock)).recording;
  await using player = play(recording, { clock });
  for (let n = 0; n < 20; n++) {
    const keyframe = await other.keyframe(280e9 - n * 13e9);
    await player.seek(keyframe!.time - 60e6);
    source.times.length = 0;
    source.delay = 30e6;
    const sought = player.seek(keyframe!.time - 20e6);
    await clock.advance(0.2e9);
    expect(await sought).toBe(true);
    source.delay = 0;
    expect(source.times.length, `at ${keyframe!.time}`).toBeLessThanOrEqual(1);
  }
});
