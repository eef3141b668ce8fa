import { expect } from "vitest";
import { hcrp } from "../../src/formats/hcrp/format.ts";
import { open, type Recording, type Store } from "../../src/index.ts";
import { recordingBundle } from "../../src/record/live/existing.ts";
import type { Recorder } from "../../src/record/live/recorder.ts";
import { stanceAt, step } from "./walkers.ts";

export { comeIn, stanceAt, step } from "./walkers.ts";

/** 2026-01-01T00:00:00Z in Unix milliseconds. */
export const START = 1_767_225_600_000;
export const WORLD = "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab";

/** Records `ticks` more of them, with the clock going on by 50 ms a tick. */
export async function walk(recorder: Recorder, clock: Clock, players: number, ticks: number): Promise<void> {
  for (let n = 0; n < ticks; n++) {
    step(recorder.world, players, recorder.tick);
    clock.time += 50;
    recorder.endTick();
    // the store's work goes on between ticks, as on a server
    if (n % 50 === 49) await turn();
    if (recorder.ready !== null) await recorder.ready;
  }
}

export class Clock {
  time = START;
  readonly now = (): number => this.time;
  /** Pauses pass at once. */
  readonly sleep = async (milliseconds: number): Promise<void> => {
    this.time += milliseconds;
    await turn();
  };
}

/** Lets everything that is ready to run do so. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export async function openRecording(store: Store, id: string): Promise<Recording> {
  return open(recordingBundle(store, id), { formats: [hcrp] });
}

/** Where every player is, in a recording, at a tick. Half a grid step is allowed (HCRP events §2.1). */
export async function expectAt(recording: Recording, players: number, tick: number, reported = tick): Promise<void> {
  const set = (await recording.state(tick * 5e7)).sets.get("players")!;
  expect(set.ids).toHaveLength(players);
  const position = set.columns.get("position")!.data as Float64Array;
  for (let row = 0; row < players; row++) {
    const { x, y, z } = stanceAt((set.ids[row] as number) - 1, reported);
    const [a, b, c] = position.subarray(3 * row, 3 * row + 3) as unknown as [number, number, number];
    const error = Math.max(Math.abs(a - x), Math.abs(b - y), Math.abs(c - z));
    expect(error, `tick ${tick}, player ${row}`).toBeLessThan(0.000123);
  }
}

export async function listed(store: Store, prefix: string): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for await (const { key, size } of store.list(prefix)) found.set(key.slice(prefix.length), size);
  return found;
}
