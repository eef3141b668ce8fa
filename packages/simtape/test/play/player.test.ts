import { describe, expect, test } from "vitest";
import { bundleOf, coalesced, counted, memory, open } from "../../src/index.ts";
import type { Frame } from "../../src/play/frame.ts";
import { findEvent } from "../../src/play/moments.ts";
import { type Player, play, type PlayOptions } from "../../src/play/player.ts";
import type { StepUnit } from "../../src/play/transport.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { SOUND } from "../specimens.ts";
import { CountingReader, lastOf, recordingOf, STEP } from "./fake.ts";
import { ManualClock, settled } from "./manual-clock.ts";
import { opened, Truth } from "./truth.ts";

const COUNT = 1000;
const END = (COUNT - 1) * STEP;
/** Stretches of about fifty messages. */
const LITTLE = 50 * 16 * 512;

interface Stage {
  readonly clock: ManualClock;
  readonly reader: CountingReader;
  readonly player: Player;
  readonly frames: Frame[];
  /** Phases in order. */
  readonly phases: string[];
}

async function stage(options: PlayOptions = {}): Promise<Stage> {
  const clock = new ManualClock();
  const reader = new CountingReader(COUNT);
  const player = play(recordingOf(reader), { clock, interpolate: false, memory: LITTLE, ...options });
  const frames: Frame[] = [];
  const phases: string[] = [player.status.phase];
  player.subscribe((frame) => void frames.push(frame));
  player.onStatus(({ phase }) => void (phase === phases.at(-1) || phases.push(phase)));
  await clock.advance(0);
  return { clock, reader, player, frames, phases };
}

/** Every frame shows exactly what was recorded until its time. */
function expectTrue(frames: readonly Frame[]): void {
  for (const { time, state } of frames) expect(lastOf(state)).toBe(Math.floor(time / STEP));
}

describe("a player", () => {
  test("shows the start, paused, and knows the bounds", async () => {
    const { player, frames, phases } = await stage();
    expect(player.status).toEqual({
      phase: "paused",
      time: 0,
      rate: 1,
      loop: null,
      bounds: { start: 0, end: END },
      error: null,
    });
    expect(frames).toMatchObject([{ time: 0, cause: "seek", since: null }]);
    expect(phases).toEqual(["loading", "paused"]);
  });

  test("plays to the last message, ends, and starts over", async () => {
    const { player, frames, clock, phases } = await stage({ rate: 4 });
    player.play();
    await clock.advance(3e9);
    expectTrue(frames);
    expect(frames.at(-1)!.time).toBe(END);
    for (let i = 1; i < frames.length; i++) expect(frames[i]!.since).toBe(frames[i - 1]!.time);
    expect(player.status.phase).toBe("ended");
    player.play();
    await clock.advance(0.1e9);
    expect(frames.at(-1)!.time).toBeLessThan(1e9);
    expect(phases).toEqual(["loading", "paused", "playing", "ended", "loading", "playing"]);
  });

  test("plays backwards over many stretches as it plays forward, never waiting", async () => {
    const { player, frames, clock, phases } = await stage({ rate: -2 });
    await player.seek(END);
    frames.length = 0;
    player.play();
    await clock.advance(6e9);
    expectTrue(frames);
    expect(frames.at(-1)!.time).toBe(0);
    expect(frames.length).toBeGreaterThan(290);
    expect(phases).not.toContain("buffering");
  });

  test("reads ahead in the direction it plays, and nothing while paused", async () => {
    const { player, clock, reader } = await stage();
    await player.seek(5e9);
    const before = reader.decoded.length;
    await clock.advance(5e9);
    expect(reader.decoded.length).toBe(before);
    reader.decoded.length = 0;
    player.setRate(-1);
    player.play();
    await clock.advance(0.07e9);
    expect(Math.min(...reader.decoded)).toBeLessThanOrEqual(9);
    expect(Math.max(...reader.decoded)).toBeLessThan(13);
  });

  test("steps by messages both ways, also several at once and quickly", async () => {
    const { player, frames, clock } = await stage();
    await player.seek(1e9);
    await player.step(1, "message");
    expect(player.status.time).toBe(1e9 + STEP);
    await player.step(-3, "message");
    expect(player.status.time).toBe(1e9 - 2 * STEP);
    const steps = [player.step(1), player.step(1), player.step(1)];
    await clock.advance(0.07e9);
    expect(await Promise.all(steps)).toEqual([true, false, true]);
    expect(player.status.time).toBe(1e9 + STEP);
    await player.step(-5000);
    expect(player.status.time).toBe(0);
    await player.step(5000);
    expect(player.status.time).toBe(END);
    expectTrue(frames);
    expect(frames.at(-1)!.cause).toBe("step");
  });

  test("steps by ticks where they have a length, and by frames where they have none", async () => {
    const steps = async (name: string, ...moves: [number, StepUnit?][]): Promise<number[]> => {
      await using recording = await opened(SOUND.find((sound) => sound.name === name)!);
      await using player = play(recording, { clock: new ManualClock(), at: 1.01e9 });
      const times: number[] = [];
      for (const [count, by] of moves) {
        await player.step(count, by);
        times.push(player.status.time);
      }
      return times;
    };
    expect(await steps("tower-race.hcrp", [1], [-1], [-2, "tick"], [1000])).toEqual([1.05e9, 1e9, 0.9e9, 45e9]);
    const { times } = await Truth.of(await opened(SOUND.find(({ name }) => name === "made town 0.9.15")!));
    const next = times.findIndex((time) => time > 1.01e9);
    const frames = await steps("made town 0.9.15", [1], [1, "frame"], [-1, "message"], [-1, "tick"]);
    expect(frames).toEqual([times[next], times[next + 1], times[next], times[next - 1]]);
  });

  test("plays a loop over and over, showing both its ends", async () => {
    const { player, frames, clock } = await stage({ loop: { start: 1e9, end: 1.5e9 } });
    await player.seek(1e9);
    frames.length = 0;
    player.play();
    await clock.advance(5e9);
    expectTrue(frames);
    expect(frames.filter(({ time }) => time === 1.5e9).length).toBeGreaterThanOrEqual(9);
    expect(frames.filter(({ cause }) => cause === "loop").every(({ since }) => since === null)).toBe(true);
    expect(frames.every(({ time }) => time >= 1e9 && time <= 1.5e9)).toBe(true);
    player.setLoop(null);
    await clock.advance(1e9);
    expect(player.status.time).toBeGreaterThan(1.5e9);
  });

  test("tells rates, times, counts and loops that are none", async () => {
    const { player } = await stage();
    for (const rate of [0, 65, -65, Number.NaN]) expect(() => player.setRate(rate)).toThrow(RangeError);
    expect(() => player.setLoop({ start: 5, end: 5 })).toThrow(RangeError);
    expect(() => player.seek(Number.NaN)).toThrow(RangeError);
    expect(() => player.step(0.5)).toThrow(RangeError);
    expect(() => play(recordingOf(new CountingReader(1)), { rate: 0 })).toThrow(RangeError);
  });

  test("does nothing after it was closed", async () => {
    const { player, frames, clock } = await stage();
    player.play();
    const seek = player.seek(5e9);
    await player.close();
    await player.close();
    expect(await seek).toBe(false);
    expect(await player.seek(1e9)).toBe(false);
    player.play();
    await clock.advance(1e9);
    expect(frames).toHaveLength(1);
    expect(clock.alarms).toBe(0);
    expect(player.status.phase).toBe("closed");
  });

  test("fails where the recording cannot be read, tells why, and goes on from elsewhere", async () => {
    const { player, reader, clock, frames } = await stage({ rate: 64 });
    reader.broken = 700;
    player.play();
    await clock.advance(1e9);
    expect(player.status).toMatchObject({ phase: "failed", error: { message: "message 700 is broken" } });
    expect(await player.seek(8e9)).toBe(false);
    expect(player.status.phase).toBe("failed");
    expect(await player.seek(1e9)).toBe(true);
    expect(player.status.phase).toBe("paused");
    reader.broken = null;
    expect(await player.seek(7.5e9)).toBe(true);
    expectTrue(frames);
  });

  test("lets a listener say what comes next", async () => {
    const { player, clock, frames } = await stage();
    player.subscribe(({ time }) => {
      if (time > 1e9 && time < 2e9) void player.seek(3e9);
    });
    player.play();
    await clock.advance(2e9);
    expectTrue(frames);
    expect(frames.some(({ time, cause }) => time === 3e9 && cause === "seek")).toBe(true);
    expect(player.status.time).toBeGreaterThan(3.9e9);
  });
});

describe("a slow source", () => {
  test("makes the player wait where it is; the time is not banked, and buffering is reported when it lasts", async () => {
    const { player, reader, clock, frames, phases } = await stage({ rate: 2 });
    player.play();
    await clock.advance(0.1e9);
    reader.isSlow = true;
    await clock.advance(20e9);
    const stuck = player.status.time;
    expect(stuck).toBeLessThan(6e9);
    expect(phases.at(-1)).toBe("buffering");
    while (reader.waiting.length > 0) {
      reader.isSlow = false;
      for (const go of reader.waiting.splice(0)) go();
      await settled();
    }
    expect(player.status.time - stuck).toBeLessThanOrEqual(0.04e9);
    await clock.advance(1e9);
    expect(player.status.time - stuck).toBeGreaterThan(1.9e9);
    expect(player.status.time - stuck).toBeLessThanOrEqual(2.1e9);
    expectTrue(frames);
  });

  test("is not reported for less than a tenth of a second", async () => {
    const { player, reader, clock, phases } = await stage({ rate: 2 });
    player.play();
    await clock.advance(0.1e9);
    reader.isSlow = true;
    while (player.status.time < END && phases.length < 5) {
      await clock.advance(0.07e9);
      for (const go of reader.waiting.splice(0)) go();
      await settled();
    }
    expect(phases).toEqual(["loading", "paused", "playing", "ended"]);
  });

  test("is read for one seek at a time, and then for the newest", async () => {
    const lone = await stage();
    lone.reader.isSlow = true;
    void lone.player.seek(6e9);
    await settled();
    const { player, reader, frames, clock } = await stage();
    reader.isSlow = true;
    frames.length = 0;
    const seeks: Promise<boolean>[] = [];
    for (const time of [2e9, 3e9, 4e9, 5e9, 6e9]) {
      seeks.push(player.seek(time));
      await settled();
    }
    expect(reader.waiting.length).toBe(lone.reader.waiting.length);
    for (let i = 0; i < 40; i++) {
      for (const go of reader.waiting.splice(0)) go();
      await clock.advance(5e6);
    }
    expect(await Promise.all(seeks)).toEqual([true, false, false, false, true]);
    expect(frames.map(({ time }) => time)).toEqual([2e9, 6e9]);
    expectTrue(frames);
  });

  test("is read no further for a seek that was overtaken long ago", async () => {
    const { player, reader, frames, clock } = await stage();
    reader.isSlow = true;
    frames.length = 0;
    const seeks = [player.seek(2e9), player.seek(6e9)];
    await clock.advance(0.249e9);
    const [stuck] = reader.waiting;
    await clock.advance(0.001e9);
    expect(await seeks[0]).toBe(false);
    expect(reader.waiting.length).toBeGreaterThan(0);
    expect(reader.waiting).not.toContain(stuck);
    reader.isSlow = false;
    for (const go of reader.waiting.splice(0)) go();
    expect(await seeks[1]).toBe(true);
    expect(frames.map(({ time }) => time)).toEqual([6e9]);
  });

  test("that fails while looking ahead is asked again when it is needed, not before", async () => {
    const { player, reader, clock, frames } = await stage({ rate: 8 });
    player.play();
    reader.isSlow = true;
    await clock.advance(0.01e9);
    for (const go of reader.waiting.splice(0)) go(new Error("network"));
    await settled();
    reader.isSlow = false;
    await clock.advance(2e9);
    expect(player.status.phase).toBe("ended");
    expectTrue(frames);
  });
});

test("a seek that comes at any moment of another seek is shown behind it", async () => {
  for (let turns = 0; turns < 120; turns++) {
    const { player, frames, clock } = await stage();
    frames.length = 0;
    const first = player.seek(7e9);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const wasShown = frames.length > 0;
    const second = player.seek(2e9);
    await clock.advance(0.07e9);
    expect([await first, await second]).toEqual([true, true]);
    expect(frames.map(({ time }) => time)).toEqual([7e9, 2e9]);
    if (wasShown) return;
  }
  expect.unreachable("a seek takes fewer turns");
});

describe("a slow listener", () => {
  test("alone slows the playing down and gets every newest state; it is not caught up with", async () => {
    const clock = new ManualClock();
    const player = play(recordingOf(new CountingReader(COUNT)), { clock, interpolate: false });
    const frames: Frame[] = [];
    let take: () => void = () => undefined;
    player.subscribe((frame) => {
      frames.push(frame);
      return new Promise((resolve) => {
        take = resolve;
      });
    });
    await clock.advance(0);
    player.play();
    for (let n = 0; n < 5; n++) {
      await clock.advance(1e9);
      take();
      await clock.advance(0.02e9);
    }
    expectTrue(frames);
    expect(frames.length).toBeLessThanOrEqual(11);
    expect(frames.at(-1)!.time).toBeLessThan(1.7e9);
  });
});

describe("ghosts", () => {
  const values = (frame: Frame): (number | null)[] => [frame.state, ...frame.ghosts].map(lastOf);

  test("play on the same clock, each with its offset, rate and alignment", async () => {
    const clock = new ManualClock();
    const mine = recordingOf(new CountingReader(COUNT));
    const other = recordingOf(new CountingReader(COUNT / 2));
    const player = play(mine, {
      clock,
      interpolate: false,
      ghosts: [
        { recording: other },
        { recording: other, offset: 1e9 },
        { recording: other, rate: 0.5 },
        { recording: mine, align: { main: 2e9, ghost: 1e9 } },
      ],
    });
    const frames: Frame[] = [];
    player.subscribe((frame) => void frames.push(frame));
    await clock.advance(0);
    await player.seek(3e9);
    expect(values(frames.at(-1)!)).toEqual([300, 300, 200, 150, 200]);
    await player.seek(0.5e9);
    expect(values(frames.at(-1)!)).toEqual([50, 50, 0, 25, 0]);
    await player.seek(8e9);
    expect(values(frames.at(-1)!)).toEqual([800, 499, 499, 400, 700]);
    player.setRate(-4);
    player.play();
    await clock.advance(3e9);
    for (const frame of frames) {
      const { time } = frame;
      const at = [time, time, time - 1e9, Math.round(time / 2), time - 1e9].map((own) => Math.floor(own / STEP));
      expect(values(frame)).toEqual(at.map((n, i) => Math.max(0, Math.min(n, i === 0 || i === 4 ? 999 : 499))));
    }
  });

  test("of the same recording share what is read: eight cost no more than one", async () => {
    const decoded = async (count: number): Promise<number[]> => {
      const clock = new ManualClock();
      const reader = new CountingReader(COUNT);
      const recording = recordingOf(reader);
      const ghosts = Array.from({ length: count }, () => ({ recording }));
      const player = play(recording, { clock, ghosts, memory: 16 * LITTLE * (1 + count) });
      player.play();
      await clock.advance(4e9);
      await player.close();
      return reader.decoded;
    };
    expect(await decoded(8)).toEqual(await decoded(0));
  });

  test("at eight places of a file ask its source no more often than one does", async () => {
    const town = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 2500);
    const reads = async (count: number): Promise<number> => {
      const source = counted(memory(town));
      await using recording = await open(bundleOf(coalesced(source)));
      const { end } = await recording.timeline();
      const ghosts = Array.from({ length: count }, (_, i) => ({ recording, offset: ((i + 1) * end) / 10 }));
      await using player = play(recording, { clock: new ManualClock(), ghosts });
      await player.seek(end);
      source.reset();
      expect(await player.seek(0.9 * end)).toBe(true);
      return source.reads;
    };
    expect(await reads(8)).toBeLessThanOrEqual(await reads(0));
  });

  test("can be laid upon each other by what happened in them", async () => {
    const recording = recordingOf(new CountingReader(COUNT));
    const last = { channel: "count", where: (value: unknown) => (value as Uint8Array)[1] === 7 };
    expect(await findEvent(recording, last)).toBe(7 * STEP);
    expect(await findEvent(recording, { ...last, nth: 2 })).toBe((512 + 7) * STEP);
    expect(await findEvent(recording, { ...last, nth: -1 })).toBe((768 + 7) * STEP);
    expect(await findEvent(recording, { ...last, nth: 4 })).toBeNull();
  });
});
