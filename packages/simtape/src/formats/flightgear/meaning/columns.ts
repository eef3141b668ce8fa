import type { MessageBatch } from "../../../model/batch.ts";
import type { ColumnReader, WantedNumber } from "../../../model/column-reader.ts";
import { toEarth } from "../../../model/geodesy.ts";
import { BatchView, LastRead } from "../../../model/last-read.ts";
import type { SeriesPath } from "../../../model/query/path.ts";
import type { MutableState } from "../../../model/state.ts";
import type { StateModel } from "../../../model/state-model.ts";
import { metresPer } from "../../../model/units.ts";
import { placesOf, readSignal, type SignalList, type SignalPlace, type SignalType } from "../layout/signals.ts";

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

/** A signal that goes to a place; null: it is not recorded, and not known. */
interface Direct {
  readonly place: number;
  readonly signal: SignalPlace | null;
  readonly scale: number;
}

/** Signals of one type that go to places: of each where in a record, and to which. */
class Run {
  readonly at: Int32Array;
  readonly places: Int32Array;
  readonly scales: Float64Array;

  constructor(direct: readonly Direct[], type: SignalType) {
    const own = direct.filter(({ signal }) => signal?.type === type);
    this.at = Int32Array.from(own, ({ signal }) => signal!.at);
    this.places = Int32Array.from(own, ({ place }) => place);
    this.scales = Float64Array.from(own, ({ scale }) => scale);
  }
}

/** Reads signals from records of the channel `signals`, each of which has all of them. */
export class SignalColumns implements ColumnReader {
  readonly accepts: readonly boolean[];
  readonly #model: StateModel;
  readonly #bytes: number;
  readonly #numbers: Float64Array;
  readonly #paths: readonly SeriesPath[];
  readonly #doubles: Run;
  readonly #floats: Run;
  /** Signals of the other types. */
  readonly #others: readonly { readonly place: number; readonly signal: SignalPlace }[];
  /** Places of what is not known. */
  readonly #unknown: readonly number[];
  /** Latitude, longitude and altitude, and where x, y and z go: -1 where they are not wanted. */
  readonly #earth: readonly (SignalPlace | null)[];
  readonly #earthPlaces: Int32Array;
  /** Bits of x, y and z: 1, 2, 4; 0: none is wanted. */
  readonly #earthItems: number;
  readonly #xyz = new Float64Array(3);
  #isOpen = false;
  readonly #view = new BatchView();
  readonly #last = new LastRead();

  constructor(model: StateModel, { list, own }: Signals, wanted: readonly WantedNumber[], numbers: Float64Array) {
    this.#model = model;
    this.#bytes = list.bytes;
    this.#numbers = numbers;
    const places = new Map(placesOf(list, list.signals.keys()).map((place) => [place.index, place]));
    const at = (index: number): SignalPlace | null => places.get(index) ?? null;
    const byPath = new Map(list.signals.map(({ property }, index) => [property, index]));
    const direct: Direct[] = [];
    this.#earth = [at(own[0]!), at(own[1]!), at(own[2]!)];
    const earth: [place: number, item: number][] = [];
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
      else if (path.column === "position") earth.push([place, item]);
      else return false;
      return true;
    });
    this.#paths = wanted.filter((_, n) => this.accepts[n]).map(({ path }) => path);
    this.#doubles = new Run(direct, "double");
    this.#floats = new Run(direct, "float");
    this.#unknown = direct.filter(({ signal }) => signal === null).map(({ place }) => place);
    this.#others = direct.flatMap(({ place, signal }) =>
      signal === null || signal.type === "double" || signal.type === "float" ? [] : [{ place, signal }],
    );
    this.#earthPlaces = Int32Array.from(earth.flat());
    this.#earthItems = earth.reduce((bits, [, item]) => bits | (1 << item), 0);
  }

  begin(state: MutableState): void {
    this.#last.forget();
    this.#isOpen = this.#paths.every((path) => {
      if ("value" in path) return state.kept(path.value) !== undefined;
      const set = state.sets.get(path.set);
      return set !== undefined && set.find(path.id) >= 0 && set.columns.has(path.column);
    });
    for (const place of this.#unknown) this.#numbers[place] = Number.NaN;
  }

  read(batch: MessageBatch, i: number): boolean {
    if (!this.#isOpen) return false;
    const start = batch.start[i]!;
    if (batch.end[i]! - start < this.#bytes) return true;
    const view = this.#view.of(batch.bytes);
    const numbers = this.#numbers;
    const { at: doublesAt, places: doubles, scales: doubleScales } = this.#doubles;
    for (let n = 0; n < doubles.length; n++)
      numbers[doubles[n]!] = view.getFloat64(start + doublesAt[n]!, true) * doubleScales[n]!;
    const { at: floatsAt, places: floats, scales: floatScales } = this.#floats;
    for (let n = 0; n < floats.length; n++)
      numbers[floats[n]!] = view.getFloat32(start + floatsAt[n]!, true) * floatScales[n]!;
    const others = this.#others;
    for (let n = 0; n < others.length; n++) numbers[others[n]!.place] = readSignal(view, start, others[n]!.signal);
    if (this.#earthItems !== 0) this.#readEarth(view, start);
    this.#last.note(batch, i);
    return true;
  }

  settle(state: MutableState): void {
    this.#last.settle(this.#model, state);
  }

  #readEarth(view: DataView, start: number): void {
    const [latitude, longitude, altitude] = this.#earth;
    const xyz = this.#xyz;
    toEarth(
      numberOf(view, start, latitude!),
      numberOf(view, start, longitude!),
      numberOf(view, start, altitude!) * FOOT,
      xyz,
      0,
      this.#earthItems,
    );
    const places = this.#earthPlaces;
    for (let n = 0; n < places.length; n += 2) this.#numbers[places[n]!] = xyz[places[n + 1]!]!;
  }
}

function numberOf(view: DataView, start: number, signal: SignalPlace | null): number {
  return signal === null ? Number.NaN : readSignal(view, start, signal);
}
