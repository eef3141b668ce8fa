import { describe, expect, test } from "vitest";
import { TICK } from "../../src/formats/hcrp/layout/framing.ts";
import {
  type Frame,
  MemoryFiles,
  memoryStore,
  MutableState,
  open,
  play,
  type Player,
  type Recording,
  type SourceBundle,
} from "../../src/index.ts";
import { compact } from "../../src/record/compact/compact.ts";
import { stateHash } from "../../src/record/compact/state-hash.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import { record } from "../../src/record/live/recorder.ts";
import { ManualClock } from "../play/manual-clock.ts";
import { tries } from "../soak.ts";
import { Clock, comeIn, walk } from "./walk.ts";
import { bundleOfMemory, random } from "./wild.ts";

const TICKS = 3000;
const PLAYERS = 3;
const PAIRS = tries(60, 1000);

async function recorded(): Promise<SourceBundle> {
  const store = memoryStore();
  const clock = new Clock();
  const recorder = await record(store, { id: "run", now: clock.now });
  comeIn(recorder.world, PLAYERS);
  await walk(recorder, clock, PLAYERS, TICKS);
  await recorder.close();
  return recordingBundle(store, "run");
}

/** The state hash at every tick, by folding the recording once from its start. */
async function linear(recording: Recording): Promise<string[]> {
  const { state: model } = recording.reader;
  const state = new MutableState();
  model.begin?.(state);
  const hashes: string[] = [];
  const until = (tick: number): void => {
    while (hashes.length < tick) hashes.push(stateHash(state.freeze()));
  };
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      until(batch.time[i]! / TICK);
      model.apply(state, batch, i);
    }
  }
  until(TICKS);
  return hashes;
}

/** A player of one frame a tick, and what it shows. */
function playing(recording: Recording, clock: ManualClock, interval: number): { player: Player; frames: Frame[] } {
  const player = play(recording, { clock, interpolate: false, interval });
  const frames: Frame[] = [];
  player.subscribe((frame) => void frames.push(frame));
  return { player, frames };
}

describe.each(["segments", "one file"])("row 3: a recording in %s", (kind) => {
  const opened = async (): Promise<Recording> => {
    const source = await recorded();
    if (kind === "segments") return open(source);
    const files = new MemoryFiles("run.hcrp");
    await compact(source, files, { level: 3 });
    return open(bundleOfMemory(files));
  };

  test("has after seeking from anywhere to anywhere, 1,000 times in the long run, the state of linear play", async () => {
    await using recording = await opened();
    const hashes = await linear(recording);
    const clock = new ManualClock();
    const { player, frames } = playing(recording, clock, TICK);
    const roll = random(3);
    for (let pair = 0; pair < PAIRS; pair++) {
      for (const tick of [roll(TICKS), roll(TICKS)]) {
        const isShown = player.seek(tick * TICK);
        await clock.advance(0);
        expect(await isShown).toBe(true);
        const { time, state } = frames.at(-1)!;
        if (time !== tick * TICK || stateHash(state) !== hashes[tick])
          expect([pair, time / TICK, stateHash(state)]).toEqual([pair, tick, hashes[tick]]);
      }
      frames.length = 0;
    }
    await player.close();
  });

  test.each([1, 4])("is played backwards at rate %i for a minute with every tick as it was forwards", async (rate) => {
    await using recording = await opened();
    const hashes = await linear(recording);
    const clock = new ManualClock();
    const { player, frames } = playing(recording, clock, TICK / rate);
    const [from, to] = [2345, 2345 - 1200];
    const isShown = player.seek(from * TICK);
    await clock.advance(0);
    expect(await isShown).toBe(true);
    player.setRate(-rate);
    player.play();
    await clock.advance((1200 / rate) * TICK);
    const seen = new Set<number>();
    for (const { time, state } of frames) {
      const tick = time / TICK;
      seen.add(tick);
      if (stateHash(state) !== hashes[Math.floor(tick)])
        expect([tick, stateHash(state)]).toEqual([tick, hashes[Math.floor(tick)]]);
    }
    for (let tick = to; tick <= from; tick++) expect(seen.has(tick), `tick ${tick} is shown`).toBe(true);
    await player.close();
  });
});
