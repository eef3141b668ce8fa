import { type Origin, type Place, placesOf } from "../../model/place.ts";
import type { State } from "../../model/state.ts";
import type { Time } from "../../model/time.ts";
import { thingKey, type Witness } from "../../model/writer.ts";
import { simtapePath } from "./encode-properties.ts";

/** Finds in a tape what the encoder put there: aircraft by what they are in the source, values below `/simtape`. */
export function tapeWitness(origin: Origin, timeOf: (time: Time) => Time): Witness {
  return {
    timeOf,
    value: ({ values }, path) => values.get(simtapePath(path)) ?? values.get(path),
    hasSets: false,
    things: (state, source) => aircraftOf(state, source, origin),
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
  }
  for (const { set, id } of source) {
    const place = named.get(`${set}/${id}`);
    if (place !== undefined) found.set(thingKey(set, id), place);
  }
  return found;
}
