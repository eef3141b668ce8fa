import { type Column, type EntitySet, posesOf, type Recording, type SeriesPath, type State } from "simtape";
import { isUnreadable } from "../../library/unreadable.ts";

/**
 * For each thing with a position: x and y at times at equal distances, NaN where it does not exist; seen from above, y
 * upwards, in metres or degrees of a latitude.
 */
export type Tracks = readonly (readonly number[])[];

/** Most things whose path is looked at, and of these the ones that go furthest, whose path is followed. */
const MOST_TRACKS = 400;
const MOST_FOLLOWED = 60;
/** Times at which a path is followed: laps of an hour show as what they are. */
const TIMES = 2000;
/** Milliseconds that following may take; after that, the paths are those through the moments that are known. */
const MOST_TIME = 20_000;

/** A thing, and its places at some moments. */
interface Coarse {
  readonly set: string;
  readonly id: number | string;
  readonly places: number[];
}

/** Finds the paths of the things that a recording shows. `states`: those at some moments, from its start to its end. */
export async function tracksOf(recording: Recording, states: readonly State[], signal: AbortSignal): Promise<Tracks> {
  const { showing } = await recording.traits();
  const coarse = coarseIn(states, showing?.things ?? []);
  const longest = coarse.toSorted((a, b) => lengthOf(b.places) - lengthOf(a.places));
  const followed = longest.slice(0, MOST_FOLLOWED);
  const fine = followed.length === 0 ? null : await follow(recording, followed, states, signal);
  if (fine === null) return longest.map(({ places }) => places);
  // all have the same times
  const others = longest.slice(MOST_FOLLOWED).map(({ places }) => spread(places));
  return [...fine, ...others];
}

function coarseIn(states: readonly State[], things: readonly string[]): Coarse[] {
  const shown = shownSets(states, things);
  const tracks = new Map<string, Coarse>();
  for (const [moment, { sets }] of states.entries()) {
    for (const name of shown) {
      const set = sets.get(name);
      if (set === undefined) continue;
      const step = Math.max(1, Math.ceil(set.ids.length / MOST_TRACKS));
      putPlaces(set, step, (row, x, y) => {
        const key = `${name}\n${set.ids[row]}`;
        let track = tracks.get(key);
        if (track === undefined) {
          if (tracks.size >= MOST_TRACKS) return;
          track = { set: name, id: set.ids[row]!, places: new Array<number>(2 * states.length).fill(Number.NaN) };
          tracks.set(key, track);
        }
        track.places[2 * moment] = x;
        track.places[2 * moment + 1] = y;
      });
    }
  }
  return [...tracks.values()];
}

/** Gives the places of the rows of a set that are somewhere, as they are seen from above. */
function putPlaces(set: EntitySet, step: number, put: (row: number, x: number, y: number) => void): void {
  const poses = posesOf(set);
  if (poses === null) return;
  const place = [0, 0, 0];
  for (let row = 0; row < set.ids.length; row += step) {
    const isKnown = poses.isGeodetic ? poses.geodetic(row, place, 0) : poses.position(row, place, 0);
    if (!isKnown || !place.every(Number.isFinite)) continue;
    // degrees north and east, or metres
    const [a, b] = place as [number, number];
    if (poses.isGeodetic) put(row, b * Math.cos((a * Math.PI) / 180), a);
    else put(row, a, b);
  }
}

/** Reads the whole recording once. Null: that takes too long, or it cannot be read to its end. */
async function follow(
  recording: Recording,
  things: readonly Coarse[],
  states: readonly State[],
  signal: AbortSignal,
): Promise<Tracks | null> {
  const [start, end] = [states[0]!.time, states.at(-1)!.time];
  const every = Math.floor((end - start) / TIMES);
  if (every < 1) return null;
  const within = AbortSignal.any([signal, AbortSignal.timeout(MOST_TIME)]);
  const sets = things.map(({ set, id }) => {
    const state = states.find(({ sets: all }) => all.get(set)?.ids.includes(id) === true)!;
    return state.sets.get(set)!;
  });
  try {
    const paths = things.flatMap(({ set, id }, i) => cellsOf(set, id, sets[i]!));
    const found = await recording.series(paths, { start, every, mode: "sample", signal: within });
    return things.map((_, i) => {
      const [x, y, z] = found.slice(3 * i, 3 * i + 3);
      const count = x!.value.length;
      const data = new Float64Array(3 * count);
      for (const [axis, { value }] of [x!, y!, z!].entries())
        for (let at = 0; at < count; at++) data[3 * at + axis] = value[at] ?? Number.NaN;
      const track = new Array<number>(2 * TIMES).fill(Number.NaN);
      putPlaces(along(sets[i]!, data), 1, (at, px, py) => {
        const index = Math.round((x!.time[at]! - start) / every);
        if (index < TIMES) [track[2 * index], track[2 * index + 1]] = [px, py];
      });
      return track;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!within.aborted && !isUnreadable(error)) throw error;
    return null;
  }
}

/** The three numbers of the place of a thing. */
function cellsOf(set: string, id: number | string, of: EntitySet): readonly SeriesPath[] {
  const [column] = placeOf(of);
  return [0, 1, 2].map((item) => ({ set, id, column, item }));
}

/** A set whose rows are one thing at one time after the other. */
function along(set: EntitySet, data: Float64Array): EntitySet {
  const [name, column] = placeOf(set);
  return {
    ids: Array.from({ length: data.length / 3 }, (_, row) => row),
    columns: new Map([[name, { ...column, data }]]),
    axes: set.axes,
  };
}

function placeOf({ columns }: EntitySet): readonly [name: string, column: Column] {
  const name = columns.get("geodetic")?.width === 3 ? "geodetic" : "position";
  return [name, columns.get(name)!];
}

/** A track of some moments as one of many times: it is known at these alone. */
function spread(places: readonly number[]): number[] {
  const track = new Array<number>(2 * TIMES).fill(Number.NaN);
  const moments = places.length / 2;
  for (let moment = 0; moment < moments; moment++) {
    const index = Math.round((moment / Math.max(1, moments - 1)) * (TIMES - 1));
    [track[2 * index], track[2 * index + 1]] = [places[2 * moment]!, places[2 * moment + 1]!];
  }
  return track;
}

function lengthOf(places: readonly number[]): number {
  let length = 0;
  let last: readonly [number, number] | null = null;
  for (let i = 0; i < places.length; i += 2) {
    const [x, y] = [places[i]!, places[i + 1]!];
    if (!Number.isFinite(x)) continue;
    if (last !== null) length += Math.hypot(x - last[0], y - last[1]);
    last = [x, y];
  }
  return length;
}

/**
 * The things that the recording is about; otherwise those that move according to what is recorded; otherwise the set
 * with the most things.
 */
function shownSets(states: readonly State[], things: readonly string[]): readonly string[] {
  const placed = new Map<string, EntitySet>();
  for (const { sets } of states)
    for (const [name, set] of sets) {
      const isMore = set.ids.length > (placed.get(name)?.ids.length ?? 0);
      if (isMore && posesOf(set) !== null) placed.set(name, set);
    }
  const foremost = things.find((name) => placed.has(name));
  if (foremost !== undefined) return [foremost];
  const moving = [...placed].filter(([, { columns }]) => columns.has("velocity"));
  const others = [...placed].toSorted(([, a], [, b]) => b.ids.length - a.ids.length).slice(0, 1);
  return (moving.length > 0 ? moving : others).map(([name]) => name);
}
