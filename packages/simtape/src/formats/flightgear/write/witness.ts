import type { Origin } from "../../../model/axes/geodesy.ts";
import { type Place, placesOf } from "../../../model/poses/place.ts";
import type { EntitySet, State } from "../../../model/state/state.ts";
import type { Time } from "../../../model/values/time.ts";
import { thingKey, type Witness } from "../../../model/writer.ts";
import { simtapePath } from "./encode-properties.ts";

/** Paths that are kept, at most. */
const MOST_KEPT = 1 << 16;

/**
 * Finds in a tape what the encoder put there: aircraft by what they are in the source, values below `/simtape` or under
 * their own path, and what does not fly by its properties. `shapes`: sets of such things, for their axes and units.
 */
export function tapeWitness(
  origin: Origin,
  timeOf: (time: Time) => Time,
  shapes: ReadonlyMap<string, EntitySet>,
): Witness {
  const kept = new Map<string, string>();
  // a value is looked for at every moment
  const pathOf = (path: string): string => {
    let made = kept.get(path);
    if (made === undefined) {
      made = simtapePath(path);
      if (kept.size < MOST_KEPT) kept.set(path, made);
    }
    return made;
  };
  return {
    timeOf,
    value: ({ values }, path) => values.get(pathOf(path)) ?? values.get(path),
    hasSets: false,
    things: (state, source) => {
      const found = aircraftOf(state, source, origin);
      const still = source.filter(({ set, id }) => shapes.has(set) && !found.has(thingKey(set, id)));
      for (const place of stillPlaces(state, still, shapes, origin)) found.set(thingKey(place.set, place.id), place);
      return found;
    },
    origin,
  };
}

function aircraftOf({ time, values, sets }: State, source: readonly Place[], origin: Origin): Map<string, Place> {
  const aircraft = sets.get("aircraft");
  const found = new Map<string, Place>();
  if (aircraft === undefined) return found;
  const named = new Map<string, Place>();
  for (const place of placesOf({ time, values, sets: new Map([["aircraft", aircraft]]) }, origin)) {
    const base = simtapePath("aircraft", String(place.id));
    const [set, id] = [values.get(`${base}/set`), values.get(`${base}/id`)];
    if (typeof set === "string" && (typeof id === "string" || typeof id === "number")) named.set(`${set}/${id}`, place);
    // What was an aircraft of another tape says who it is by itself.
    else named.set(`aircraft/${place.id}`, place);
  }
  for (const { set, id } of source) {
    const place = named.get(`${set}/${id}`);
    if (place !== undefined) found.set(thingKey(set, id), place);
  }
  return found;
}

/** Columns that a place is made of. */
const PLACED = ["position", "rotation", "orientation", "velocity"];

/** Places of things whose columns are properties. */
function stillPlaces(
  { time, values }: State,
  things: readonly Place[],
  shapes: ReadonlyMap<string, EntitySet>,
  origin: Origin,
): Place[] {
  const sets = new Map<string, EntitySet>();
  for (const [name, { axes, columns }] of shapes) {
    const ids = things.filter(({ set }) => set === name).map(({ id }) => id);
    if (ids.length === 0) continue;
    const read = PLACED.flatMap((column) => {
      const like = columns.get(column);
      if (like === undefined) return [];
      const data = new Float64Array(ids.length * like.width);
      for (const [row, id] of ids.entries()) {
        const base = simtapePath(name, String(id));
        for (let k = 0; k < like.width; k++) {
          const text = values.get(`${base}/${column}${k === 0 ? "" : `[${k}]`}`);
          data[row * like.width + k] = text === undefined ? Number.NaN : Number(text);
        }
      }
      return [[column, { ...like, data }] as const];
    });
    sets.set(name, { ids, axes, columns: new Map(read) });
  }
  return placesOf({ time, values, sets }, origin);
}
