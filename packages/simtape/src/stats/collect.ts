import type { Column } from "../model/state/column.ts";
import { toEarth } from "../model/axes/geodesy.ts";
import { PoseColumns } from "../model/poses/pose-columns.ts";
import { itemsOf, pathText, type SeriesItem, unitOfItem } from "../model/state/path.ts";
import type { EntitySet, MutableState } from "../model/state/state.ts";
import type { Time } from "../model/values/time.ts";
import type { Traits } from "../model/traits.ts";
import type { Value } from "../model/values/value.ts";
import { type PathStatistics, QUANTILES, type Travel } from "./report.ts";
import { QuantileSketch } from "./sketch.ts";

/** Paths and things that are listed. */
const MOST_PATHS = 2000;
const MOST_THINGS = 10_000;
/** Cells of one list that are looked at, and depth of values. */
const MOST_CELLS = 64;
const MOST_DEPTH = 6;

/** Numbers of one path as they come. */
class Numbers {
  readonly path: string;
  readonly unit: string | null;
  readonly #sketch = new QuantileSketch();
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;
  #mean = 0;
  #squares = 0;

  constructor(path: string, unit: string | null) {
    this.path = path;
    this.unit = unit;
  }

  add(number: number): void {
    if (!Number.isFinite(number)) return;
    this.#sketch.add(number);
    if (number < this.#least) this.#least = number;
    if (number > this.#most) this.#most = number;
    // Welford's, which loses nothing where numbers are large and near each other
    const from = number - this.#mean;
    this.#mean += from / this.#sketch.count;
    this.#squares += from * (number - this.#mean);
  }

  /** Null: there was none. */
  end(): PathStatistics | null {
    const { count } = this.#sketch;
    if (count === 0) return null;
    return {
      ...{ path: this.path, unit: this.unit, count, least: this.#least, most: this.#most, mean: this.#mean },
      deviation: Math.sqrt(Math.max(0, this.#squares) / count),
      quantiles: QUANTILES.map((part) => this.#sketch.quantile(part)),
    };
  }
}

interface Moving {
  readonly set: string;
  readonly id: number | string;
  label: string;
  distance: number;
  time: Time;
  readonly first: Time;
  last: Time;
  x: number;
  y: number;
  z: number;
}

interface KnownSet {
  set: EntitySet | null;
  readonly columns: Map<string, { readonly numbers: Numbers | null; readonly item: SeriesItem }[]>;
  readonly poses: PoseColumns;
  readonly things: Map<number | string, Moving>;
  /** Things that were there at the moment before. */
  ids: readonly (number | string)[];
}

/** Takes in states moment after moment: what was written to since the last one counts once. */
export class Collector {
  morePaths = 0;
  moreTravels = 0;
  readonly #unitOf: Traits["unitOf"];
  readonly #paths = new Map<string, Numbers | null>();
  readonly #sets = new Map<string, KnownSet>();
  #listed = 0;
  #things = 0;

  constructor(unitOf: Traits["unitOf"]) {
    this.#unitOf = unitOf;
  }

  /** The state notes what is touched; that is forgotten. */
  look(state: MutableState, time: Time): void {
    for (const [name, set] of state.freezeSets(() => true)) this.#set(name, set, time);
    const touched = state.touch();
    for (const name of touched.values) if (!name.startsWith(".")) this.#value(name, state.value(name));
    touched.forget();
  }

  paths(): readonly PathStatistics[] {
    return [...this.#paths.values()].flatMap((numbers) => numbers?.end() ?? []);
  }

  /** Those that went farthest first. */
  travels(): readonly Travel[] {
    const all = [...this.#sets.values()].flatMap(({ things }) => [...things.values()]);
    return all
      .map(({ set, id, label, distance, time, first, last }) => {
        return { set, id, label, distance, time, speed: time > 0 ? (distance / time) * 1e9 : null, first, last };
      })
      .sort((a, b) => b.distance - a.distance);
  }

  #set(name: string, set: EntitySet, time: Time): void {
    let known = this.#sets.get(name);
    if (known === undefined) {
      known = { set: null, columns: new Map(), poses: new PoseColumns(), things: new Map(), ids: [] };
      this.#sets.set(name, known);
    }
    const before = known.set;
    known.set = set;
    for (const [key, column] of set.columns)
      if (before?.columns.get(key) !== column && !Array.isArray(column.data)) this.#column(known, name, key, column);
    const place = set.columns.has("geodetic") ? "geodetic" : "position";
    const hasMoved = before?.columns.get(place) !== set.columns.get(place) || before?.ids !== set.ids;
    if (hasMoved && known.poses.use(set)) this.#move(known, name, set, time);
  }

  #column(known: KnownSet, set: string, key: string, column: Column): void {
    let items = known.columns.get(key);
    if (items === undefined) {
      items = [...itemsOf(key, column)]
        .filter((item) => item !== "speed")
        .map((item) => {
          const path = pathText({ set, id: "*", column: key, item });
          return { item, numbers: this.#numbers(path, unitOfItem(column.unit, column.width, item)) };
        });
      known.columns.set(key, items);
    }
    const { width } = column;
    const data = column.data as ArrayLike<number>;
    for (const { item, numbers } of items) {
      if (numbers === null) continue;
      for (let at = 0; at < data.length; at += width) {
        if (item !== "length") numbers.add(data[at + ((item as number | null) ?? 0)]!);
        else numbers.add(Math.hypot(data[at]!, data[at + 1]!, data[at + 2]!));
      }
    }
  }

  #move(known: KnownSet, name: string, set: EntitySet, time: Time): void {
    const { poses, things } = known;
    const labels = set.columns.get("label")?.data;
    const present = known.ids === set.ids ? null : new Set(known.ids);
    for (const [row, id] of set.ids.entries()) {
      const isKnown = poses.isGeodetic ? poses.geodetic(row, PLACE, 0) : poses.position(row, PLACE, 0);
      if (!isKnown) continue;
      if (poses.isGeodetic) toEarth(PLACE[0]!, PLACE[1]!, PLACE[2]!, PLACE, 0);
      const [x, y, z] = PLACE as unknown as [number, number, number];
      let thing = things.get(id);
      if (thing === undefined) {
        if (this.#things >= MOST_THINGS) {
          if (present?.has(id) !== true) this.moreTravels++;
          continue;
        }
        this.#things++;
        thing = { set: name, id, label: "", distance: 0, time: 0, first: time, last: time, x, y, z };
        things.set(id, thing);
      } else if (present?.has(id) !== false) {
        thing.distance += Math.hypot(x - thing.x, y - thing.y, z - thing.z);
        thing.time += time - thing.last;
      }
      Object.assign(thing, { last: time, x, y, z });
      const label = labels?.[row];
      if (typeof label === "string" && label !== "") thing.label = label;
    }
    known.ids = set.ids;
  }

  #value(name: string, value: Value | undefined): void {
    if (value !== undefined) this.#leaf(name, value, name, 0);
  }

  #leaf(name: string, value: Value, path: string, depth: number): void {
    if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") {
      this.#numbers(path, this.#unitOf?.(name) ?? null)?.add(Number(value));
    } else if (typeof value === "object" && value !== null && depth < MOST_DEPTH) {
      if (Array.isArray(value) || ArrayBuffer.isView(value)) {
        const cells = value as ArrayLike<Value>;
        for (let i = 0; i < Math.min(MOST_CELLS, cells.length); i++)
          this.#leaf(name, cells[i]!, `${path}.*`, depth + 1);
      } else for (const [key, part] of Object.entries(value)) this.#leaf(name, part, `${path}.${key}`, depth + 1);
    }
  }

  /** Null: there are too many. */
  #numbers(path: string, unit: string | null): Numbers | null {
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    if (this.#listed >= MOST_PATHS) {
      if (this.#paths.size < 10 * MOST_PATHS) {
        this.#paths.set(path, null);
        this.morePaths++;
      }
      return null;
    }
    this.#listed++;
    const made = new Numbers(path, unit);
    this.#paths.set(path, made);
    return made;
  }
}

const PLACE = new Float64Array(3);
