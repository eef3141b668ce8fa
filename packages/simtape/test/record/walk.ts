import { expect } from "vitest";
import { hypercube } from "../../src/formats/hypercube/format.ts";
import type { Store } from "../../src/io/store.ts";
import { openBundle } from "../../src/model/open.ts";
import type { Recording } from "../../src/model/recording.ts";
import { existing, recordingBundle } from "../../src/record/existing.ts";
import type { Recorder } from "../../src/record/recorder.ts";
import type { World } from "../../src/record/world.ts";

/** 2026-01-01T00:00:00Z in Unix milliseconds. */
export const START = 1_767_225_600_000;
export const WORLD = "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab";

export interface Stance {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly onGround: boolean;
}

/** Where a walker is at a tick: known at once for every tick, and nothing that compresses by itself. */
export function stanceAt(player: number, tick: number): Stance {
  const at = tick * (1 + player / 7) + player * 1000;
  const angle = at / 40 + Math.sin(at / 7);
  return {
    x: 20 * Math.cos(angle) + Math.sin(at * 1.7) / 9,
    y: 64 + Math.abs(Math.sin(at / 9)),
    z: 20 * Math.sin(angle * 1.1) + Math.cos(at * 2.3) / 9,
    yaw: at * 7.3 + 5 * Math.sin(at * 0.9),
    pitch: 20 * Math.sin(at / 13),
    onGround: tick % 18 < 3,
  };
}

/** Everybody comes at the first tick, and `entities` begin with 1. */
export function comeIn(world: World, players: number, tick = 0): void {
  for (let player = 0; player < players; player++) {
    const uuid = `00000000-0000-4000-8000-${String(player).padStart(12, "0")}`;
    world.join({ uuid, name: `Walker${player}` }, stanceAt(player, tick));
  }
}

/** One tick of everybody; a block is set now and then. */
export function step(world: World, players: number, tick: number): void {
  for (let player = 0; player < players; player++) world.move(player + 1, stanceAt(player, tick));
  if (tick % 40 === 20) world.block([tick % 64, 64, tick % 7], `minecraft:wool_${tick % 16}`);
}

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
  return openBundle(recordingBundle(store, id), [hypercube]);
}

/** Where everybody is, in a recording, at a tick. Half a grid step is allowed (events §2.1). */
export async function expectAt(recording: Recording, players: number, tick: number, told = tick): Promise<void> {
  const set = (await recording.state(tick * 5e7)).sets.get("players")!;
  expect(set.ids).toHaveLength(players);
  const position = set.columns.get("position")!.data as Float64Array;
  for (let row = 0; row < players; row++) {
    const { x, y, z } = stanceAt((set.ids[row] as number) - 1, told);
    const [a, b, c] = position.subarray(3 * row, 3 * row + 3) as unknown as [number, number, number];
    const error = Math.max(Math.abs(a - x), Math.abs(b - y), Math.abs(c - z));
    expect(error, `tick ${tick}, player ${row}`).toBeLessThan(0.000123);
  }
}

/** Ticks that a recording has, however its recorder ended. */
export async function ticksOf(store: Store, id: string): Promise<number> {
  const found = await existing(store, id);
  await found?.reader.close();
  return found?.before.ticks ?? 0;
}

export async function listed(store: Store, prefix: string): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for await (const { key, size } of store.list(prefix)) found.set(key.slice(prefix.length), size);
  return found;
}
