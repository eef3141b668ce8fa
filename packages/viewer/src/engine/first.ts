import { type EntitySet, posesOf, type Recording, type Showing, type State, type Time } from "simtape";

/** Moments of motion that are looked at, and their bytes: what has no place until then has none. */
const MOMENTS = 4096;
const BYTES = 4 << 20;

/**
 * The first moment at which things have places: those that the recording is about, where any of them ever has. Null:
 * nothing is anywhere, as far as that can be seen from the beginning of it.
 */
export async function firstPlaces(recording: Recording, showing: Showing, signal: AbortSignal): Promise<Time | null> {
  const rankAt = async (time: Time): Promise<number> => rankOf(await recording.state(time, { signal }), showing);
  let best = Number.POSITIVE_INFINITY;
  let first: Time | null = null;
  for await (const times of runs(recording, signal)) {
    const rank = await rankAt(times.at(-1)!);
    if (rank >= best) continue;
    best = rank;
    // The first of the run that has them: they are there from then on.
    let [from, to] = [0, times.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((await rankAt(times[middle]!)) <= rank) to = middle;
      else from = middle + 1;
    }
    first = times[from]!;
    if (rank === 0) break;
  }
  return first;
}

/** Which of what the recording is about has a place, 0 for the first; behind all of them anything else. */
function rankOf({ sets }: State, { things = [] }: Showing): number {
  const rank = things.findIndex((name) => hasPlace(sets.get(name)));
  if (rank >= 0) return rank;
  return [...sets.values()].some(hasPlace) ? things.length : Number.POSITIVE_INFINITY;
}

/** The start, then moments of motion in runs: the first few alone, and from there on more and more together. */
async function* runs(recording: Recording, signal: AbortSignal): AsyncGenerator<readonly Time[]> {
  const { start } = await recording.timeline();
  yield [start];
  const channels = recording.motion === null ? undefined : [recording.motion];
  let times: Time[] = [];
  let [last, count, bytes] = [start, 0, 0];
  for await (const { length, time, bytes: data } of recording.batches({ channels, signal })) {
    for (let row = 0; row < length; row++) {
      if (time[row]! === last) continue;
      last = time[row]!;
      times.push(last);
      count++;
      if (times.length <= count >> 2) continue;
      yield times;
      times = [];
    }
    bytes += data.byteLength;
    if (count > MOMENTS || bytes > BYTES) break;
  }
  if (times.length > 0) yield times;
}

function hasPlace(set: EntitySet | undefined): boolean {
  const poses = set === undefined ? null : posesOf(set);
  if (set === undefined || poses === null) return false;
  for (let row = 0; row < set.ids.length; row++) {
    if (poses.isGeodetic ? poses.geodetic(row, PLACE, 0) : poses.position(row, PLACE, 0)) return true;
  }
  return false;
}

const PLACE = new Float64Array(3);
