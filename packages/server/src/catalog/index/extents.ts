import { type PathInfo, readPath, type Recording, type SeriesPath, type State } from "simtape";
import { isUnreadable } from "../../library/unreadable.ts";

/** The least and the greatest value of a number. */
export interface ExtentFact {
  readonly path: string;
  /** Empty: the unit is not known. */
  readonly unit: string;
  readonly least: number;
  readonly most: number;
}

/** The ranges of the numbers of a recording. */
export interface ExtentFacts {
  /** The ranges over all things of a set. */
  readonly all: readonly ExtentFact[];
  /** By path, the range of each thing that was followed: least, most, unit. */
  readonly ofThings: Readonly<Record<string, readonly [least: number, most: number, unit: string]>>;
}

/**
 * Most numbers that are followed through a recording, most of these for things of one set, and most rows that result.
 */
const MOST_PATHS = 2500;
const MOST_THINGS = 150;
const MOST_EXTENTS = 400;
/** Milliseconds that this may take; after that, only some moments are sampled. */
const MOST_TIME = 20_000;

/**
 * Finds the range of each number of a recording: of values by their paths, of things over all things of a set. It reads
 * the recording once; where that takes too long, it uses `states` alone.
 */
export async function extentsOf(
  recording: Recording,
  states: readonly State[],
  signal: AbortSignal,
  clean: (text: string) => string,
): Promise<ExtentFacts> {
  const paths = await numbersIn(recording, states, signal);
  const found = new Extents(clean);
  const within = AbortSignal.any([signal, AbortSignal.timeout(MOST_TIME)]);
  try {
    const all = await recording.series(
      paths.map(({ path }) => path),
      { points: 1, signal: within },
    );
    for (const [index, { value, texts }] of all.entries())
      if (texts === null) for (const one of value) found.add(paths[index]!, one);
  } catch (error) {
    signal.throwIfAborted();
    if (!within.aborted && !isUnreadable(error)) throw error;
    for (const state of states) for (const info of paths) found.add(info, Number(readPath(state, info.path)));
  }
  return found.facts();
}

/**
 * Follows the things that exist at the start, in the middle or at the end. Things come first: values that every frame
 * adds for each of them, such as wheels, would leave no room for them.
 */
async function numbersIn(
  recording: Recording,
  states: readonly State[],
  signal: AbortSignal,
): Promise<readonly PathInfo[]> {
  const found = new Map<string, PathInfo>();
  const things = new Map<string, Set<number | string>>();
  const bulk = (await recording.traits()).showing?.bulk ?? [];
  const isBulk = ({ path }: PathInfo): boolean => "value" in path && bulk.includes(path.value.split("/", 1)[0]!);
  for (const index of new Set([0, states.length >> 1, states.length - 1])) {
    const there = await recording.paths({ at: states[index]!.time, signal });
    for (const info of [...there.filter(({ path }) => "set" in path), ...there.filter(({ path }) => "value" in path)]) {
      if (found.size >= MOST_PATHS) break;
      if ((info.kind !== "number" && info.kind !== "integer") || isBulk(info)) continue;
      if ("set" in info.path && !isAmong(info.path, things)) continue;
      found.set(info.text, info);
    }
  }
  return [...found.values()];
}

function isAmong(
  { set, id }: Extract<SeriesPath, { set: string }>,
  things: Map<string, Set<number | string>>,
): boolean {
  const among = things.get(set) ?? new Set();
  things.set(set, among);
  if (among.size < MOST_THINGS) among.add(id);
  return among.has(id);
}

class Extents {
  readonly #clean: (text: string) => string;
  readonly #found = new Map<string, { path: string; unit: string; least: number; most: number }>();
  readonly #ofThings = new Map<string, [least: number, most: number, unit: string]>();

  constructor(clean: (text: string) => string) {
    this.#clean = clean;
  }

  add({ path, text, unit }: PathInfo, value: number): void {
    if (!Number.isFinite(value)) return;
    if ("set" in path) this.#addOfThing(this.#clean(text), value, this.#clean(unit ?? ""));
    const name = "set" in path ? text.replace(`${path.set}/${path.id}/`, `${path.set}/*/`) : text;
    const key = `${name}\n${unit ?? ""}`;
    const known = this.#found.get(key);
    if (known !== undefined) {
      known.least = Math.min(known.least, value);
      known.most = Math.max(known.most, value);
    } else if (this.#found.size < MOST_EXTENTS)
      this.#found.set(key, {
        path: this.#clean(name).slice(0, 300),
        unit: this.#clean(unit ?? "").slice(0, 50),
        least: value,
        most: value,
      });
  }

  #addOfThing(path: string, value: number, unit: string): void {
    const known = this.#ofThings.get(path);
    if (known === undefined) this.#ofThings.set(path, [value, value, unit]);
    else [known[0], known[1]] = [Math.min(known[0], value), Math.max(known[1], value)];
  }

  facts(): ExtentFacts {
    // A recorded velocity gives the speed: steps between positions would show a jump when a thing is placed elsewhere.
    const all = [...this.#found.values()].filter(({ path }) => !this.#hasVelocity(path));
    return {
      // two paths may be equal after they were shortened
      all: [...new Map(all.map((one) => [`${one.path}\n${one.unit}`, one])).values()],
      ofThings: Object.fromEntries(this.#ofThings),
    };
  }

  #hasVelocity(path: string): boolean {
    const set = /^([^/]+)\/\*\/(?:position|geodetic)\.speed$/.exec(path)?.[1];
    if (set === undefined) return false;
    return [...this.#found.values()].some((one) => one.path === `${set}/*/velocity.length`);
  }
}
