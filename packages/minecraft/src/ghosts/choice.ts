import { named, type Stored } from "../stored/recordings.ts";
import { MOST_GHOSTS } from "./race.ts";
import type { StoredRun } from "./runs.ts";

/** The opponents of a runner: its own best run, the fastest run of each player, none, or runs by name. */
export type Choice = "best" | "top" | "off" | readonly string[];

/** The chosen runs, and the names that match nothing. */
export interface Chosen {
  readonly ghosts: readonly Stored[];
  readonly missing: readonly string[];
}

/**
 * The ghosts of a choice. `runs`: those of the map, the fastest first; `stored`: all recordings that can be named. A
 * name is that of a recording, or of a player, which means the player's best run.
 */
export function chosen(choice: Choice, uuid: string, runs: readonly StoredRun[], stored: readonly Stored[]): Chosen {
  if (choice === "off") return { ghosts: [], missing: [] };
  if (choice === "best") return { ghosts: runs.filter(isOf({ uuid })).slice(0, 1).map(storedOf), missing: [] };
  if (choice === "top") return { ghosts: topOf(runs).map(storedOf), missing: [] };
  const found = choice.map((name) => runs.find(isOf({ name }))?.stored ?? named(stored, name));
  return {
    ghosts: [...new Set(found.filter((one) => one !== null))],
    missing: choice.filter((_, i) => found[i] === null),
  };
}

/** The best run of each player, the fastest first. */
export function topOf(runs: readonly StoredRun[]): readonly StoredRun[] {
  const best = new Map<string, StoredRun>();
  for (const one of runs) {
    const uuid = one.run.subjects[0]?.uuid ?? "";
    if (!best.has(uuid)) best.set(uuid, one);
  }
  return [...best.values()].slice(0, MOST_GHOSTS);
}

function isOf({ uuid, name }: { uuid?: string; name?: string }): (one: StoredRun) => boolean {
  return ({ run: { subjects } }) =>
    subjects.some((one) => one.uuid === uuid || (name !== undefined && one.name.toLowerCase() === name.toLowerCase()));
}

function storedOf({ stored }: StoredRun): Stored {
  return stored;
}
