import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { ColumnReader, RowRun, WantedNumber } from "../../../model/state/column-reader.ts";
import { toEarthColumns } from "../../../model/axes/geodesy.ts";
import { BatchView, LastRead } from "../../../model/state/last-read.ts";
import type { SeriesPath } from "../../../model/state/path.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import { metresPer } from "../../../model/values/units.ts";
import { placesOf, type SignalList, type SignalPlace } from "../layout/signals.ts";

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

/** A signal times a number, and the places that it goes to; null: it is not recorded, and stays unknown. */
interface Direct {
  readonly signal: SignalPlace | null;
  readonly scale: number;
  readonly places: number[];
}

/** Where records of a run begin, and the slots that belong to them. */
interface Records {
  readonly view: DataView;
  readonly starts: Int32Array;
  readonly slots: Int32Array;
  readonly count: number;
  /** The slots follow one another. */
  readonly isRow: boolean;
}

/** Reads signals from records of the channel `signals`, each of which has all of them. */
export class SignalColumns implements ColumnReader {
  readonly accepts: readonly boolean[];
  readonly #model: StateModel;
  readonly #bytes: number;
  readonly #paths: readonly SeriesPath[];
  readonly #direct: readonly Direct[];
  /** Latitude, longitude and altitude: what a place on the earth is made of. */
  readonly #geodetic: readonly [SignalPlace | null, SignalPlace | null, SignalPlace | null];
  /** Places of x, of y and of z. */
  readonly #earth: readonly [number[], number[], number[]] = [[], [], []];
  /** Which of these have any: see `toEarth`. */
  readonly #items: number;
  /** Places of all of these. */
  readonly #written: ReadonlySet<number>;
  /** Where records begin, of the rows read last, and numbers of each. */
  #starts = new Int32Array(0);
  #numbers: readonly Float64Array[] = [];
  #sines: readonly [Float64Array, Float64Array] = [new Float64Array(0), new Float64Array(0)];
  #isOpen = false;
  readonly #view = new BatchView();
  readonly #last = new LastRead();

  constructor(model: StateModel, { list, own }: Signals, wanted: readonly WantedNumber[]) {
    this.#model = model;
    this.#bytes = list.bytes;
    const places = new Map(placesOf(list, list.signals.keys()).map((place) => [place.index, place]));
    const at = (index: number): SignalPlace | null => places.get(index) ?? null;
    const byPath = new Map(list.signals.map(({ property }, index) => [property, index]));
    const direct = new Map<string, Direct>();
    const add = (index: number, scale: number, place: number): void => {
      const key = `${index} ${scale}`;
      const known = direct.get(key) ?? { signal: at(index), scale, places: [] };
      direct.set(key, known);
      known.places.push(place);
    };
    this.#geodetic = [at(own[0]!), at(own[1]!), at(own[2]!)];
    this.accepts = wanted.map(({ path, place }) => {
      if ("value" in path) {
        const index = path.keys.length === 0 ? byPath.get(path.value) : undefined;
        if (index !== undefined) add(index, 1, place);
        return index !== undefined;
      }
      if (path.set !== "aircraft" || path.id !== SELF || typeof path.item === "string") return false;
      const item = path.item ?? 0;
      if (TEXTS.has(path.column)) return item === 0;
      if (![0, 1, 2].includes(item)) return false;
      const known = Object.hasOwn(DIRECT, path.column) ? DIRECT[path.column] : undefined;
      if (known !== undefined) add(own[known.from + item]!, known.scale, place);
      else if (path.column === "position") this.#earth[item as 0 | 1 | 2].push(place);
      else return false;
      return true;
    });
    this.#paths = wanted.filter((_, n) => this.accepts[n]).map(({ path }) => path);
    this.#items = this.#earth.reduce((items, places, n) => items | (places.length === 0 ? 0 : 1 << n), 0);
    this.#direct = [...direct.values()].filter(({ signal }) => signal !== null);
    this.#written = new Set([...this.#direct.flatMap(({ places }) => places), ...this.#earth.flat()]);
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
    this.#readSignals(this.#recordsOf(batch, rows, slots, whole), columns);
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

  #recordsOf(batch: MessageBatch, rows: Int32Array, slots: Int32Array, whole: number): Records {
    if (this.#starts.length < whole) {
      this.#starts = new Int32Array(rows.length);
      this.#numbers = [0, 1, 2].map(() => new Float64Array(rows.length));
      this.#sines = [new Float64Array(rows.length), new Float64Array(rows.length)];
    }
    const starts = this.#starts;
    // of rows that have one slot the last one counts
    const first = slots[0] === slots[whole - 1] ? whole - 1 : 0;
    const count = whole - first;
    let isRow = true;
    for (let n = 0; n < count; n++) {
      starts[n] = batch.start[rows[first + n]!]!;
      isRow &&= slots[n] === slots[0]! + n;
    }
    return { view: this.#view.of(batch.bytes), starts, slots, count, isRow };
  }

  #readSignals(records: Records, columns: readonly Float64Array[]): void {
    const { count } = records;
    const [x, y, z] = this.#numbers.map((numbers) => numbers.subarray(0, count)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    for (const { signal, scale, places } of this.#direct) {
      readNumbers(records, signal, scale, x);
      for (const place of places) put(x, records, columns[place]!);
    }
    if (this.#items === 0) return;
    const [latitude, longitude, altitude] = this.#geodetic;
    readNumbers(records, latitude, 1, x);
    readNumbers(records, longitude, 1, y);
    readNumbers(records, altitude, FOOT, z);
    toEarthColumns(x, y, z, this.#items, this.#sines);
    for (const [n, places] of this.#earth.entries())
      for (const place of places) put([x, y, z][n]!, records, columns[place]!);
  }
}

/** Puts the numbers of records into their slots. */
function put(numbers: Float64Array, { slots, isRow }: Records, column: Float64Array): void {
  if (isRow) column.set(numbers, slots[0]);
  else for (let n = 0; n < numbers.length; n++) column[slots[n]!] = numbers[n]!;
}

/** Reads one signal of many records; what `readSignal` does, without asking for its type each time. */
function readNumbers({ view, starts }: Records, signal: SignalPlace | null, scale: number, into: Float64Array): void {
  if (signal === null) {
    into.fill(Number.NaN);
    return;
  }
  const { at, bit } = signal;
  switch (signal.type) {
    case "double":
      for (let n = 0; n < into.length; n++) into[n] = view.getFloat64(starts[n]! + at, true) * scale;
      return;
    case "float":
      for (let n = 0; n < into.length; n++) into[n] = view.getFloat32(starts[n]! + at, true) * scale;
      return;
    case "int":
      for (let n = 0; n < into.length; n++) into[n] = view.getInt32(starts[n]! + at, true) * scale;
      return;
    case "int16":
      for (let n = 0; n < into.length; n++) into[n] = view.getInt16(starts[n]! + at, true) * scale;
      return;
    case "int8":
      for (let n = 0; n < into.length; n++) into[n] = view.getInt8(starts[n]! + at) * scale;
      return;
    case "bool":
      for (let n = 0; n < into.length; n++) into[n] = ((view.getUint8(starts[n]! + at) >> bit) & 1) * scale;
      return;
    default:
      signal.type satisfies never;
  }
}
