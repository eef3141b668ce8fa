import { beforeAll, describe, expect, test } from "vitest";
import { demo } from "../../../demo/src/hcrp.ts";
import { MemoryFiles, open, type Recording } from "../../src/index.ts";
import type { Frame } from "../../src/play/frame.ts";
import { play } from "../../src/play/player.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { REAL } from "../specimens.ts";
import { ManualClock } from "./manual-clock.ts";
import { opened, Truth } from "./truth.ts";

const SECOND = 1e9;

describe("sixty seconds of 24 players", () => {
  let recording: Recording;
  let truth: Truth;

  beforeAll(async () => {
    const files = new MemoryFiles("race.hcrp");
    await demo({ seconds: 60, entities: 24, seed: 1 }, files);
    recording = await open(bundleOfFiles(Object.fromEntries(files.files)));
    truth = await Truth.of(recording);
  });

  test.each([-1, -4])("are at rate %i the states of the way there, at every tick", async (rate) => {
    const clock = new ManualClock();
    await using player = play(recording, { clock, rate, interpolate: false, interval: 50e6 / -rate });
    const phases = new Set<string>();
    player.onStatus(({ phase }) => void phases.add(phase));
    await player.seek(truth.end);
    const frames: Frame[] = [];
    player.subscribe((frame) => void frames.push(frame));
    player.play();
    await clock.advance((truth.end - truth.start) / -rate + SECOND);
    expect(frames.at(-1)!.time).toBe(truth.start);
    expect(frames.length).toBeGreaterThan(1190);
    for (const { time, state } of frames) truth.expect(state, time);
    expect(phases).not.toContain("buffering");
  });

  test("are eight ghosts at once, each on its own time", async () => {
    const clock = new ManualClock();
    const { start, end } = await recording.timeline();
    const ghosts = Array.from({ length: 8 }, (_, i) => ({ recording, offset: i * 3 * SECOND, rate: 1 + i / 8 }));
    await using player = play(recording, { clock, ghosts, interpolate: false, rate: 4, interval: 200e6 });
    const frames: Frame[] = [];
    player.subscribe((frame) => void frames.push(frame));
    await player.seek(20 * SECOND);
    player.play();
    await clock.advance(8 * SECOND);
    player.setRate(-4);
    await clock.advance(8 * SECOND);
    expect(frames.length).toBeGreaterThan(70);
    for (const { time, ghosts: states } of frames) {
      for (const [i, state] of states.entries()) {
        const own = start + Math.round((time - start - i * 3 * SECOND) * (1 + i / 8));
        expect(state.time).toBe(Math.min(end, Math.max(start, own)));
        truth.expect(state, state.time);
      }
    }
  });
});

/** The smallest real ones of each format. */
const SMALL = REAL.filter(({ files }) => Object.values(files).every(({ length }) => length < 200_000)).slice(0, 12);

describe.runIf(SMALL.length > 0)("real recordings", () => {
  test.each(SMALL.map((sound) => ({ ...sound, toString: () => sound.name })))(
    "%s play to their end and back through the states they have",
    async (sound) => {
      await using recording = await opened(sound);
      const truth = await Truth.of(recording);
      const clock = new ManualClock();
      const memory = 16 * 512 * 100;
      await using player = play(recording, { clock, interpolate: false, rate: 64, interval: 50e6, memory });
      const frames: Frame[] = [];
      player.subscribe((frame) => void frames.push(frame));
      await player.seek(truth.start);
      player.play();
      await clock.advance(Math.min(2 * SECOND, (truth.end - truth.start) / 64 + 1));
      player.setRate(-64);
      player.play();
      await clock.advance(2 * SECOND);
      for (const { time, state } of frames) truth.expect(state, time);
      expect(player.status).toMatchObject({ time: truth.start, error: null });
    },
  );
});
