import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { ColumnReader, RowRun, WantedNumber } from "../../../model/state/column-reader.ts";
import { toEarthColumns } from "../../../model/axes/geodesy.ts";
import { BatchView, LastRead } from "../../../model/state/last-read.ts";
import type { SeriesPath } from "../../../model/state/path.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import { metresPer } from "../../../model/values/units.ts";
import { placesOf, readSignal, type SignalList, type SignalPlace } from "../layout/signals.ts";

/** Id of the recorded aircraft itself in the set `aircraft`; all others are called by their callsign. */
export const SELF = "self";

export const FOOT: number = metresPer("ft")!;

/** Numbers of the recorded aircraft that are signals as they are, but for a factor: the first of three own signals. */
const DIRECT: Readonly<Record<string, { readonly from: number; readonly scale: number }>> = {
  geodetic: { from: 0, scale: 1 },
  rotation: { from: 3, scale: 1 },
  velocity: { from: 6, scale: FOOT },
};
const TEXTS: ReadonlySet<string> = new Set(["label", "kind"]);

/** What the signals of a tape are, and where the nine of the aircraft's own motion are among them, -1 where not recorded. */
interface Signals {
  readonly list: SignalList;
  readonly own: readonly number[];
}

/** Where some records begin, and the slots that belong to them. */
interface Records {
  readonly view: DataView;
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  readonly count: number;
  /** Bytes from each to the next one, where that is the same for all and their slots follow one another; else 0. */
  readonly step: number;
}

/** A signal that goes to a place; null: it is not recorded, and stays unknown. */
interface Direct {
  readonly place: number;
  readonly signal: SignalPlace | null;
  readonly scale: number;
}

/** Reads signals from records of the channel `signals`, each of which has all of them. */
export class SignalColumns implements ColumnReader {
  readonly accepts: readonly boolean[];
  readonly #model: StateModel;
  readonly #bytes: number;
  readonly #paths: readonly SeriesPath[];
  readonly #direct: readonly Direct[];
  /** Latitude, longitude and altitude: what a place on the earth is made of. */
  readonly #earth: readonly (SignalPlace | null)[];
  /** Places of x, of y and of z. */
  readonly #earthPlaces: readonly [number[], number[], number[]] = [[], [], []];
  /** Places of all of these. */
  readonly #written: ReadonlySet<number>;
  /** Of the rows read last, where it is wanted. */
  #geodetic = geodeticOf(0);
  /** Where records begin, of the rows read last. */
  #starts = new Int32Array(0);
  #isOpen = false;
  readonly #view = new BatchView();
  readonly #last = new LastRead();

  constructor(model: StateModel, { list, own }: Signals, wanted: readonly WantedNumber[]) {
    this.#model = model;
    this.#bytes = list.bytes;
    const places = new Map(placesOf(list, list.signals.keys()).map((place) => [place.index, place]));
    const at = (index: number): SignalPlace | null => places.get(index) ?? null;
    const byPath = new Map(list.signals.map(({ property }, index) => [property, index]));
    const direct: Direct[] = [];
    this.#earth = [at(own[0]!), at(own[1]!), at(own[2]!)];
    this.accepts = wanted.map(({ path, place }) => {
      if ("value" in path) {
        const index = path.keys.length === 0 ? byPath.get(path.value) : undefined;
        if (index !== undefined) direct.push({ place, signal: at(index), scale: 1 });
        return index !== undefined;
      }
      if (path.set !== "aircraft" || path.id !== SELF || typeof path.item === "string") return false;
      const item = path.item ?? 0;
      if (TEXTS.has(path.column)) return item === 0;
      if (![0, 1, 2].includes(item)) return false;
      const known = Object.hasOwn(DIRECT, path.column) ? DIRECT[path.column] : undefined;
      if (known !== undefined) direct.push({ place, signal: at(own[known.from + item]!), scale: known.scale });
      else if (path.column === "position") this.#earthPlaces[item as 0 | 1 | 2].push(place);
      else return false;
      return true;
    });
    this.#paths = wanted.filter((_, n) => this.accepts[n]).map(({ path }) => path);
    this.#direct = direct;
    const recorded = direct.filter(({ signal }) => signal !== null).map(({ place }) => place);
    this.#written = new Set([...recorded, ...this.#earthPlaces.flat()]);
  }

  begin(state: MutableState): void {
    this.#last.forget();
    this.#isOpen = this.#paths.every((path) => {
      if ("value" in path) return state.kept(path.value) !== undefined;
      const set = state.sets.get(path.set);
      return set !== undefined && set.find(path.id) >= 0 && set.columns.has(path.column);
    });
  }

  writes(place: number): boolean {
    return this.#written.has(place);
  }

  read({ batch, rows, slots, count }: RowRun, columns: readonly Float64Array[]): number {
    if (!this.#isOpen) return 0;
    const whole = this.#wholeOf(batch, rows, count);
    if (whole === 0) return 0;
    const view = this.#view.of(batch.bytes);
    if (this.#starts.length < whole) this.#starts = new Int32Array(rows.length);
    const starts = this.#starts;
    // of rows that have one slot the last one counts
    const first = slots[0] === slots[whole - 1] ? whole - 1 : 0;
    const wanted = whole - first;
    for (let n = 0; n < wanted; n++) starts[n] = batch.start[rows[first + n]!]!;
    const records = { view, starts, slots, count: wanted, step: stepOf(starts, slots, wanted) };
    for (const { place, signal, scale } of this.#direct)
      if (signal !== null) readColumn(records, signal, scale, columns[place]!);
    this.#readEarth(records, columns);
    this.#last.note(batch, rows[whole - 1]!);
    return whole;
  }

  /** How many of the first rows have all signals. */
  #wholeOf({ start, end }: MessageBatch, rows: Int32Array, count: number): number {
    for (let n = 0; n < count; n++) if (end[rows[n]!]! - start[rows[n]!]! < this.#bytes) return n;
    return count;
  }

  settle(state: MutableState): void {
    this.#last.settle(this.#model, state);
  }

  #readEarth(records: Records, columns: readonly Float64Array[]): void {
    const [x, y, z] = this.#earthPlaces;
    if (x.length + y.length + z.length === 0) return;
    const { slots, count } = records;
    if (this.#geodetic.latitude.length < count) this.#geodetic = geodeticOf(this.#starts.length);
    const { order, latitude, longitude, height } = this.#geodetic;
    const inOrder = { ...records, slots: order };
    for (const [n, numbers] of [latitude, longitude, height].entries()) {
      const signal = this.#earth[n] ?? null;
      if (signal === null) numbers.fill(Number.NaN);
      else readColumn(inOrder, signal, n === 2 ? FOOT : 1, numbers);
    }
    const most = Math.max(x.length, y.length, z.length);
    for (let n = 0; n < most; n++) {
      const columnOf = (places: readonly number[]): Float64Array | null => columns[places[n] ?? -1] ?? null;
      toEarthColumns(this.#geodetic, slots, count, { x: columnOf(x), y: columnOf(y), z: columnOf(z) });
    }
  }
}

/** Room for as many places on the earth, and the order that they lie in. */
function geodeticOf(count: number): Readonly<Record<"latitude" | "longitude" | "height", Float64Array>> & {
  readonly order: Int32Array;
} {
  return {
    order: Int32Array.from({ length: count }, (_, n) => n),
    latitude: new Float64Array(count),
    longitude: new Float64Array(count),
    height: new Float64Array(count),
  };
}

/** See `Records.step`. */
function stepOf(starts: Int32Array, slots: Int32Array, count: number): number {
  const step = count > 1 ? starts[1]! - starts[0]! : 1;
  for (let n = 1; n < count; n++) if (starts[n]! - starts[n - 1]! !== step || slots[n]! - slots[n - 1]! !== 1) return 0;
  return step;
}

/** Reads one signal of many records. */
function readColumn(records: Records, signal: SignalPlace, scale: number, column: Float64Array): void {
  const { view, starts, slots, count, step } = records;
  const { type, at } = signal;
  if (type === "double" && step > 0) {
    const slot = slots[0]!;
    for (let n = 0, from = starts[0]! + at; n < count; n++, from += step)
      column[slot + n] = view.getFloat64(from, true) * scale;
  } else if (type === "float" && step > 0) {
    const slot = slots[0]!;
    for (let n = 0, from = starts[0]! + at; n < count; n++, from += step)
      column[slot + n] = view.getFloat32(from, true) * scale;
  } else if (type === "double")
    for (let n = 0; n < count; n++) column[slots[n]!] = view.getFloat64(starts[n]! + at, true) * scale;
  else if (type === "float")
    for (let n = 0; n < count; n++) column[slots[n]!] = view.getFloat32(starts[n]! + at, true) * scale;
  else for (let n = 0; n < count; n++) column[slots[n]!] = readSignal(view, starts[n]!, signal) * scale;
}
