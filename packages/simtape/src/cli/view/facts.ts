import { join } from "node:path";
import { fileSource, fileSpool } from "../../io/node/index.ts";
import { openBundle, recognize } from "../../model/open.ts";
import { posesOf } from "../../model/poses/pose-columns.ts";
import type { Recording } from "../../model/recording.ts";
import type { EntitySet, State } from "../../model/state/state.ts";
import { allFormats } from "../input/formats.ts";
import { bundleNamed } from "../input/recordings.ts";
import type { ViewEntry } from "./entries.ts";

/** What a list of recordings tells of one. */
export interface ViewFacts {
  /** Id of the format. */
  readonly format: string;
  /** How long it is; null: it is too large to be opened for that. */
  readonly seconds: number | null;
  /** Where things are, seen from above: `[x, y, when]` of each, all from 0 to 1, y upwards; of things without places none. */
  readonly places: readonly (readonly [number, number, number])[];
}

/** Bytes of a recording that is opened for a list. */
const MOST_BYTES = 64 << 20;
/** Moments of which the places are given, and things in each. */
const MOMENTS = 12;
const THINGS = 60;

/** Rejects with the error of what cannot be read. */
export async function factsOf({ folder, main, bytes }: Extract<ViewEntry, { folder: string }>): Promise<ViewFacts> {
  const path = join(folder, main);
  if (bytes > MOST_BYTES) {
    const source = fileSource(path);
    try {
      return { format: (await recognize(source, main, allFormats())).id, seconds: null, places: [] };
    } finally {
      await source.close();
    }
  }
  await using recording = await openBundle(await bundleNamed(path), allFormats(), { spool: fileSpool() });
  const { start, end } = await recording.timeline();
  const format = recording.info.format;
  return { format, seconds: (end - start) / 1e9, places: await placesIn(recording, start, end) };
}

/** Places of things at some moments from `start` to `end`, as a list shows them. */
export async function placesIn(recording: Recording, start: number, end: number): Promise<ViewFacts["places"]> {
  const found: [number, number, number][] = [];
  for (let moment = 0; moment < MOMENTS; moment++) {
    const when = moment / (MOMENTS - 1);
    addPlaces(await recording.state(start + Math.round(when * (end - start))), when, found);
  }
  return fitted(found);
}

function addPlaces({ sets }: State, when: number, into: [number, number, number][]): void {
  const place = [0, 0, 0];
  for (const set of shownOf([...sets.values()])) {
    const poses = posesOf(set);
    if (poses === null) continue;
    const step = Math.max(1, Math.ceil(set.ids.length / THINGS));
    for (let row = 0; row < set.ids.length; row += step) {
      const isKnown = poses.isGeodetic ? poses.geodetic(row, place, 0) : poses.position(row, place, 0);
      if (!isKnown || !place.every(Number.isFinite)) continue;
      // degrees north and east, or metres
      const [a, b] = place as [number, number];
      into.push(poses.isGeodetic ? [b * Math.cos((a * Math.PI) / 180), a, when] : [a, b, when]);
    }
  }
}

/** What moves by what is recorded; where nothing tells that, the most there are of. */
function shownOf(sets: readonly EntitySet[]): readonly EntitySet[] {
  const placed = sets.filter((set) => set.ids.length > 0 && posesOf(set) !== null);
  const moving = placed.filter(({ columns }) => columns.has("velocity"));
  return moving.length > 0 ? moving : placed.toSorted((a, b) => b.ids.length - a.ids.length).slice(0, 1);
}

/** From 0 to 1, with the same scale both ways; the few that are far away are left out. */
function fitted(places: readonly (readonly [number, number, number])[]): ViewFacts["places"] {
  if (places.length === 0) return [];
  const [left, right] = edgesOf(places.map(([x]) => x));
  const [bottom, top] = edgesOf(places.map(([, y]) => y));
  const size = Math.max(right - left, top - bottom) || 1;
  const [x0, y0] = [(left + right - size) / 2, (bottom + top - size) / 2];
  const round = (part: number): number => Math.round(part * 1000) / 1000;
  return places
    .map(([x, y, when]) => [round((x - x0) / size), round((y - y0) / size), round(when)] as const)
    .filter(([x, y]) => x >= 0 && x <= 1 && y >= 0 && y <= 1);
}

function edgesOf(numbers: readonly number[]): [number, number] {
  const sorted = numbers.toSorted((a, b) => a - b);
  const far = Math.floor(sorted.length * 0.02);
  return [sorted[far]!, sorted[sorted.length - 1 - far]!];
}
