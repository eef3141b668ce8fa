import { type PathInfo, readPath, type Recording, type SeriesPath, type State } from "simtape";
import { isUnreadable } from "../library/unreadable.ts";

/** The least and the most that a number was. */
export interface ExtentFact {
  readonly path: string;
  /** Empty: not known. */
  readonly unit: string;
  readonly least: number;
  readonly most: number;
}

/** Numbers that are followed through a recording, things of one set among them, and rows that come of it. */
const MOST_PATHS = 2500;
const MOST_THINGS = 150;
const MOST_EXTENTS = 400;
/** Milliseconds that it may take; what takes longer is taken from some moments. */
const MOST_TIME = 20_000;

/**
 * How far the numbers of a recording go: those of values by their paths, those of things for all of a set together. One
 * pass over the recording; where that takes too long, `states` alone are looked at.
 */
export async function extentsOf(
  recording: Recording,
  states: readonly State[],
  signal: AbortSignal,
  clean: (text: string) => string,
): Promise<ExtentFact[]> {
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
  return found.list();
}

/** Those that are there at the start, in the middle or at the end. */
async function numbersIn(
  recording: Recording,
  states: readonly State[],
  signal: AbortSignal,
): Promise<readonly PathInfo[]> {
  const found = new Map<string, PathInfo>();
  const things = new Map<string, Set<number | string>>();
  for (const index of new Set([0, states.length >> 1, states.length - 1])) {
    for (const info of await recording.paths({ at: states[index]!.time, signal })) {
      if (found.size >= MOST_PATHS) break;
      if (info.kind !== "number" && info.kind !== "integer") continue;
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

  constructor(clean: (text: string) => string) {
    this.#clean = clean;
  }

  add({ path, text, unit }: PathInfo, value: number): void {
    if (!Number.isFinite(value)) return;
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

  list(): ExtentFact[] {
    // two that were cut may be the same
    return [...new Map([...this.#found.values()].map((one) => [`${one.path}\n${one.unit}`, one])).values()];
  }
}
