import { transformOf } from "../../model/axes/axes-transform.ts";
import { type Origin, TangentPlane, unsetOrigin } from "../../model/axes/geodesy.ts";
import { PoseColumns } from "../../model/poses/pose-columns.ts";
import type { Recording } from "../../model/recording.ts";
import { standardAxes } from "../../model/axes/standard-axes.ts";
import type { EntitySet } from "../../model/state/state.ts";
import { metresPer } from "../../model/values/units.ts";
import type { ExportOptions } from "../exporter.ts";
import { momentsOf } from "../moments.ts";
import { pickedRows, wantedIds } from "../picked.ts";
import { Track } from "./track.ts";

/** Where up is y, and a thing looks along its own z: glTF 2.0, section 3.4. */
const GLTF = transformOf({ ...standardAxes("right", "y"), own: { forward: "z", up: "y" } });
/** Keyframes that a scene may have, of all things together: about 100 bytes of memory each while it is made. */
const MOST_KEYFRAMES = 2_000_000;
/** Things that a scene may have: each is a node with several accessors. */
const MOST_THINGS = 20_000;
/** Lengths in metres below which places are shown larger. */
const SMALL = 1e-6;
/** Moments between two calls of `onProgress`. */
const PROGRESS = 64;

/** Half lengths of a thing and its middle along its own axes as glTF has them: x left, y up, z forward, in metres. */
export interface Extents {
  readonly half: readonly [number, number, number];
  readonly middle: readonly [number, number, number];
}

/** A thing over time. Axes are those of glTF: right-handed, y up; its own are x left, y up, z forward. */
export interface Thing {
  readonly set: string;
  readonly id: number | string;
  readonly kind: string;
  readonly label: string;
  /** Atomic number; 0: none. */
  readonly element: number;
  readonly extents: Extents | null;
  /** How many times as large its places are shown: not 1 where they are too small to look at. */
  readonly enlargement: number;
  readonly translation: Track;
  /** Empty when it never had an orientation. */
  readonly rotation: Track;
  /** One number: 1 from when it appears, 0 from when it is gone. */
  readonly visible: Track;
}

/** What is collected of a recording. */
export interface Things {
  readonly all: readonly Thing[];
  /** Moments that were looked at. */
  readonly moments: number;
  /** Nanoseconds of the recording at second 0 of the tracks. */
  readonly start: number;
  /** Where the plane of geodetic places touches the earth; null: none are. */
  readonly origin: Origin | null;
}

/**
 * Collects all keyframes of things in these sets. Memory grows with their number. Rejects with `RangeError` when there
 * are more than a scene may have.
 */
export async function thingsOf(recording: Recording, sets: readonly string[], options: ExportOptions): Promise<Things> {
  const origin: Origin = { ...(options.origin ?? unsetOrigin()) };
  const collectors = sets.map((set) => new Collector(set, origin, wantedIds(options.ids)));
  let [moments, start] = [0, Number.NaN];
  for await (const state of momentsOf(recording, options)) {
    if (moments++ % PROGRESS === 0) options.onProgress?.(state.time);
    if (moments === 1) start = state.time;
    const time = (state.time - start) / 1e9;
    let [keyframes, things] = [0, 0];
    for (const collector of collectors) {
      collector.look(state.sets.get(collector.set)?.freeze() ?? null, time);
      keyframes += collector.keyframes;
      things += collector.things.length;
    }
    mustFit(keyframes, things, time);
  }
  const all = collectors.flatMap(({ things }) => things);
  const lacking = options.ids?.filter((id) => !all.some((thing) => String(thing.id) === String(id))) ?? [];
  if (lacking.length > 0) throw new RangeError(`nothing in ${sets.join(", ")} has the id ${lacking.join(", ")}`);
  if (all.length === 0) throw new RangeError(`nothing in ${sets.join(", ")} has a place in this part of the recording`);
  return { all, moments, start, origin: origin.isSet ? origin : null };
}

function mustFit(keyframes: number, things: number, time: number): void {
  if (keyframes > MOST_KEYFRAMES) throw tooMany(`${MOST_KEYFRAMES.toLocaleString("en")} keyframes`, time);
  if (things > MOST_THINGS) throw tooMany(`${MOST_THINGS.toLocaleString("en")} things`, time);
}

function tooMany(what: string, time: number): RangeError {
  return new RangeError(
    `glTF holds a whole scene in memory, and this one has more than ${what} after ${time.toFixed(1)} s: ` +
      "take fewer moments with --every, a part with --from and --until, or fewer things with --set and --id",
  );
}

/** Things of one set. */
class Collector {
  readonly set: string;
  readonly things: Thing[] = [];
  keyframes = 0;
  readonly #byId = new Map<number | string, Thing>();
  readonly #origin: Origin;
  readonly #wanted: ReadonlySet<number | string> | null;
  readonly #poses: PoseColumns;
  #plane: TangentPlane | null = null;
  /** Those with a place at the last moment. */
  #present = new Set<Thing>();
  readonly #cells = new Float64Array(4);
  readonly #place = new Float32Array(3);
  readonly #turn = new Float32Array(4);

  constructor(set: string, origin: Origin, wanted: ReadonlySet<number | string> | null) {
    this.set = set;
    this.#origin = origin;
    this.#wanted = wanted;
    this.#poses = new PoseColumns(origin.heading);
  }

  /** The set at a time, in seconds; null: it is not there. */
  look(set: EntitySet | null, time: number): void {
    const present = new Set<Thing>();
    if (set !== null && this.#poses.use(set)) {
      const factor = enlargementOf(set);
      for (const row of pickedRows(set, this.#wanted)) {
        if (!this.#placeOf(row, factor)) continue;
        const id = set.ids[row]!;
        let thing = this.#byId.get(id);
        // an id that comes again as something else: an atom of the next simulation
        if (thing === undefined || thing.element !== elementOf(set, row) || thing.kind !== textOf(set, "kind", row)) {
          thing = thingOf(this.set, set, row);
          this.#byId.set(id, thing);
          this.things.push(thing);
          mustFit(this.keyframes, this.things.length, time);
          if (time > 0) this.#show(thing, 0, 0);
        }
        present.add(thing);
        if (!this.#present.has(thing)) this.#show(thing, time, 1);
        this.keyframes += thing.translation.add(time, this.#place);
        if (!this.#turnOf(row)) continue;
        thing.rotation.turnToLast(this.#turn);
        this.keyframes += thing.rotation.add(time, this.#turn);
      }
    }
    for (const thing of this.#present) if (!present.has(thing)) this.#show(thing, time, 0);
    this.#present = present;
  }

  #show(thing: Thing, time: number, value: number): void {
    this.keyframes += thing.visible.add(time, [value]);
  }

  #placeOf(row: number, factor: number): boolean {
    const [poses, cells] = [this.#poses, this.#cells];
    if (!(poses.isGeodetic ? poses.geodetic(row, cells, 0) : poses.position(row, cells, 0))) return false;
    if (poses.isGeodetic) {
      const [latitude, longitude, altitude] = cells as unknown as [number, number, number];
      if (!this.#origin.isSet) Object.assign(this.#origin, { latitude, longitude, altitude, isSet: true });
      this.#plane ??= new TangentPlane(this.#origin);
      this.#plane.fromGeodetic(latitude, longitude, altitude, cells, 0);
    }
    GLTF.vectorBack(cells[0]!, cells[1]!, cells[2]!, cells, 0);
    for (let axis = 0; axis < 3; axis++) this.#place[axis] = cells[axis]! * factor;
    // what is finite in a double may not be as float32
    return Number.isFinite(this.#place[0]! + this.#place[1]! + this.#place[2]!);
  }

  /** The same for a quaternion, of length 1. */
  #turnOf(row: number): boolean {
    const [cells, turn] = [this.#cells, this.#turn];
    if (!this.#poses.orientation(row, cells, 0)) return false;
    const length = Math.hypot(cells[0]!, cells[1]!, cells[2]!, cells[3]!);
    if (!(length > 0)) return false;
    GLTF.orientationBack(cells[0]! / length, cells[1]! / length, cells[2]! / length, cells[3]! / length, cells, 0);
    turn.set(cells);
    return true;
  }
}

function thingOf(name: string, set: EntitySet, row: number): Thing {
  const isHeld = (column: string): boolean => set.columns.get(column)?.interpolation === "hold";
  return {
    set: name,
    id: set.ids[row]!,
    kind: textOf(set, "kind", row),
    label: textOf(set, "label", row).trim(),
    element: elementOf(set, row),
    extents: extentsOf(set, row),
    enlargement: enlargementOf(set),
    translation: new Track(3, isHeld("position") && isHeld("geodetic")),
    rotation: new Track(4, false),
    visible: new Track(1, true),
  };
}

/** So that the unit of places is shown as a metre, of a set whose unit is below a micrometre: of molecules. */
function enlargementOf({ columns }: EntitySet): number {
  if (columns.has("geodetic")) return 1;
  const metres = metresPer(columns.get("position")?.unit ?? null) ?? 1;
  return metres < SMALL ? Math.round(1 / metres) : 1;
}

function elementOf(set: EntitySet, row: number): number {
  const element = set.columns.get("element")?.data[row];
  return typeof element === "number" ? element : 0;
}

function textOf(set: EntitySet, name: string, row: number): string {
  const text = set.columns.get(name)?.data[row];
  return typeof text === "string" ? text : "";
}

/** By the columns `size`, full lengths, or `box-extent`, half of them, with `box-center` (docs/state.md). */
function extentsOf(set: EntitySet, row: number): Extents | null {
  const half = ownOf(set, "box-extent", row, 1) ?? ownOf(set, "size", row, 0.5);
  if (half === null || !half.every((length) => Math.abs(length) > 0)) return null;
  const [x, y, z] = half.map(Math.abs) as [number, number, number];
  return { half: [x, y, z], middle: ownOf(set, "box-center", row, 1) ?? [0, 0, 0] };
}

/** Three lengths along the thing's own axes as left, up, forward in metres; null: not known. */
function ownOf(set: EntitySet, name: string, row: number, factor: number): [number, number, number] | null {
  const column = set.columns.get(name);
  const metres = column?.width === 3 ? metresPer(column.unit) : null;
  if (metres === null) return null;
  const [a, b, c] = [0, 1, 2].map((k) => (column!.data[3 * row + k] as number) * metres * factor);
  const out = [0, 0, 0];
  transformOf(set.axes).ownVector(a!, b!, c!, out, 0);
  const [forward, left, up] = out as [number, number, number];
  return [left, up, forward].every(Number.isFinite) ? [left, up, forward] : null;
}
