import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame } from "../../src/play/frame.ts";
import { play } from "../../src/play/player.ts";
import { SOUND } from "../specimens.ts";
import { ManualClock } from "./manual-clock.ts";
import { expectSame, opened, Truth } from "./truth.ts";

/** Pairs of times for each of the recordings: 1,000 in all, half of them where everything fits into one stretch. */
const PAIRS = Math.ceil(500 / SOUND.length);
const ALL = 64 << 20;
const LITTLE = 100 * 16 * 512;

describe.each(SOUND.map((sound) => ({ ...sound, toString: () => `${sound.format}: ${sound.name}` })))("%s", (sound) => {
  test.each([ALL, LITTLE])(
    "seeks and plays to the states that folding from the start gives, in %i bytes",
    async (memory) => {
      await using recording = await opened(sound);
      const truth = await Truth.of(recording);
      const time = fc.oneof(fc.constantFrom(...truth.times), fc.integer({ min: truth.start, max: truth.end }));
      const clock = new ManualClock();
      await using player = play(recording, { clock, interpolate: false, interval: 100e6, memory });
      let frames: Frame[] = [];
      player.subscribe((frame) => void frames.push(frame));
      await clock.advance(0);
      await fc.assert(
        fc.asyncProperty(time, time, fc.constantFrom(1, 2, 8, 64), async (a, b, rate) => {
          frames = [];
          player.pause();
          player.setRate(a <= b ? rate : -rate);
          const isShown = player.seek(a);
          player.play();
          await clock.advance(Math.min(0.3e9, Math.abs(b - a) / rate));
          expect(await isShown).toBe(true);
          expect(frames[0]!.time).toBe(a);
          const isBThere = player.seek(b);
          player.pause();
          // what lay ahead may have been asked for just now
          await clock.advance(0.07e9);
          expect(await isBThere).toBe(true);
          expect(frames.at(-1)!.time).toBe(b);
          for (const frame of frames) truth.expect(frame.state, frame.time);
        }),
        { numRuns: PAIRS },
      );
    },
  );

  test.each([ALL, LITTLE])("shows what the recording interpolates, in %i bytes", async (memory) => {
    await using recording = await opened(sound);
    const { start, end } = await recording.timeline();
    const clock = new ManualClock();
    await using player = play(recording, { clock, memory });
    const frames: Frame[] = [];
    player.subscribe((frame) => void frames.push(frame));
    await clock.advance(0);
    player.setRate(-0.5);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: start, max: end }), async (time) => {
        frames.length = 0;
        void player.seek(time);
        player.play();
        await clock.advance(60e6);
        player.pause();
        expect(frames[0]!.time).toBe(time);
        for (const frame of frames) {
          const expected = await recording.state(frame.time, { interpolate: true });
          expectSame(frame.state, expected, `at ${frame.time}`);
        }
      }),
      { numRuns: 5 },
    );
  });
});
