import type { Axes } from "../model/axes/axes.ts";
import { PoseColumns } from "../model/poses/pose-columns.ts";
import type { Recording } from "../model/recording.ts";
import type { State } from "../model/state/state.ts";
import { RaceError } from "./error.ts";

/** What races: a thing of a set that has a place. */
export interface Racer {
  readonly set: string;
  readonly id: number | string;
  /** "" where it has none. */
  readonly label: string;
}

/** How the recording says where a racer is. */
export interface PlacedRacer extends Racer {
  readonly column: "geodetic" | "position";
  /** Of that column. */
  readonly unit: string | null;
  readonly axes: Axes | null;
  /** Where it was first seen: metres along standard axes, or degrees north, degrees east and metres. */
  readonly first: Float64Array;
}

/** Moments at which things are looked for. */
const MOMENTS = 12;
/** Things that race in one recording, and that an error names. */
const MOST_RACERS = 256;
const NAMED = 8;
/** Metres from one moment to another that are a movement. */
const MOVED = 0.5;

/**
 * The things that race in a recording: those that `wanted` names, each as `set[id]`, `set[label]` or with `*`; absent: the
 * recording's own one, else the first that moves. Throws `RaceError` where it has none of them.
 */
export async function racersOf(
  recording: Recording,
  wanted: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly PlacedRacer[]> {
  const seen = await seenIn(recording, signal);
  if (seen.length === 0) throw new RaceError("nowhere", "nothing in the recording has a place");
  if (wanted === undefined || wanted.length === 0) return [ownOf(seen)];
  const found = new Map<string, PlacedRacer>();
  for (const text of wanted) {
    const isIt = matcherOf(text);
    const some = seen.filter(isIt);
    // of those that a pattern names, those that stand still do not race
    const moving = text.includes("*") ? some.filter(({ hasMoved }) => hasMoved) : some;
    if (moving.length === 0) {
      const there = seen.slice(0, NAMED).map(nameOf).join(", ");
      const why = some.length > 0 ? `nothing that ${text} names moves` : `nothing is ${text}`;
      const code = some.length > 0 ? "still" : "thing";
      throw new RaceError(code, `${why}; there are: ${there}${seen.length > NAMED ? ", …" : ""}`);
    }
    for (const one of moving) found.set(`${one.set}\n${one.id}`, one);
  }
  if (found.size > MOST_RACERS)
    throw new RaceError("thing", `${found.size} things would race, and at most ${MOST_RACERS} can: name some of them`);
  return [...found.values()];
}

/** `vehicles[24] hero`. */
export function nameOf({ set, id, label }: Racer): string {
  return `${set}[${id}]${label === "" ? "" : ` ${label}`}`;
}

interface Seen extends PlacedRacer {
  hasMoved: boolean;
}

async function seenIn(recording: Recording, signal: AbortSignal | undefined): Promise<readonly Seen[]> {
  const { start, end } = await recording.timeline();
  const { showing } = await recording.traits();
  const foremost = showing?.things ?? [];
  const seen = new Map<string, Seen>();
  for (let i = 0; i < MOMENTS; i++) {
    const time = Math.round(start + ((end - start) * i) / (MOMENTS - 1));
    look(await recording.state(time, { signal }), seen);
    if (end === start) break;
  }
  const rank = ({ set }: Seen): number => (foremost.includes(set) ? foremost.indexOf(set) : foremost.length);
  return [...seen.values()].sort((a, b) => rank(a) - rank(b));
}

function look({ sets }: State, seen: Map<string, Seen>): void {
  const poses = new PoseColumns();
  for (const [name, set] of sets) {
    if (!poses.use(set)) continue;
    const labels = set.columns.get("label")?.data;
    const column = poses.isGeodetic ? "geodetic" : "position";
    const { unit } = set.columns.get(column)!;
    for (const [row, id] of set.ids.entries()) {
      const place = new Float64Array(3);
      if (!placeOf(poses, row, place)) continue;
      const key = `${name}\n${id}`;
      const known = seen.get(key);
      const label = labels?.[row];
      if (known === undefined)
        seen.set(key, {
          ...{ set: name, id, label: typeof label === "string" ? label : "" },
          ...{ column, unit, axes: set.axes, first: place, hasMoved: false },
        });
      else if (!known.hasMoved) known.hasMoved = isApart(poses.isGeodetic, known.first, place);
    }
  }
}

function placeOf(poses: PoseColumns, row: number, out: Float64Array): boolean {
  return poses.isGeodetic ? poses.geodetic(row, out, 0) : poses.position(row, out, 0);
}

/** Metres in a degree of latitude, about. */
const DEGREE = 111_000;

function isApart(isGeodetic: boolean, a: Float64Array, b: Float64Array): boolean {
  const [x, y, z] = [a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!];
  return (isGeodetic ? Math.hypot(x * DEGREE, y * DEGREE, z) : Math.hypot(x, y, z)) > MOVED;
}

/** What a simulator records as its own is called `hero` or `ego`, or has the id `self`. */
function ownOf(seen: readonly Seen[]): PlacedRacer {
  const isOwn = ({ id, label }: Seen): boolean => id === "self" || /^(hero|ego|ego[-_ ]?vehicle)$/i.test(label);
  return seen.find((one) => isOwn(one) && one.hasMoved) ?? seen.find(({ hasMoved }) => hasMoved) ?? seen[0]!;
}

function matcherOf(text: string): (racer: Racer) => boolean {
  const [, set, name] = /^([^[\]]+)\[(.+)\]$/s.exec(text) ?? [];
  if (set === undefined) throw new RaceError("thing", `a thing is set[id], as vehicles[24] or players[*], not ${text}`);
  const [isSet, isName] = [wildcard(set), wildcard(name!)];
  return ({ set: own, id, label }) => isSet.test(own) && (isName.test(String(id)) || isName.test(label));
}

/** `*` is any text. */
function wildcard(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`);
}
