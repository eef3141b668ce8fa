import type { WantedNumber } from "../state/column-reader.ts";
import type { ColumnSpec, Interpolation, MutableColumn } from "../state/column.ts";
import { given, type Kept } from "../state/late.ts";
import { compareIds, type MutableEntitySet, type MutableState, type State } from "../state/state.ts";
import { TELEPORT } from "../state/teleports.ts";
import type { Time } from "../values/time.ts";
import { kindOfColumn, kindOfValue, type SeriesKind, type Telling } from "./listing.ts";
import { type CellPath, isLeaf, partAt, pathText, type SeriesPath, unitOfItem, type ValuePath } from "../state/path.ts";

/**
 * What is at a path of a state: a number, a boolean or a text; undefined: it is not there. No state tells a `"speed"`,
 * which takes two of them.
 */
export function readPath(state: State, path: SeriesPath): number | bigint | boolean | string | undefined {
  if ("value" in path) {
    const found = partAt(state.values.get(path.value), path.keys);
    return isLeaf(found) ? found : undefined;
  }
  const set = state.sets.get(path.set);
  const column = set?.columns.get(path.column);
  const row = set === undefined ? -1 : rowOf(set.ids, path.id);
  if (column === undefined || row < 0 || path.item === "speed") return undefined;
  const { data, width } = column;
  if (path.item === "length") return hypot(width, (k) => Number(data[row * width + k]));
  const item = path.item ?? 0;
  return item >= 0 && item < width ? data[row * width + item] : undefined;
}

/** The number at a path of a state; NaN: there is none, and no state tells a speed. Booleans are 0 and 1. */
export function numberAt(state: State, path: SeriesPath): number {
  const found = readPath(state, path);
  return found === undefined || typeof found === "string" ? Number.NaN : Number(found);
}

/** Row of `id` in ids that ascend, numbers before texts; -1: it is not there. */
function rowOf(ids: readonly (number | string)[], id: number | string): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(ids[middle]!, id) < 0) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : -1;
}

function hypot(width: number, cell: (k: number) => number): number {
  let squares = 0;
  for (let k = 0; k < width; k++) squares += cell(k) ** 2;
  return Math.sqrt(squares);
}

/** Where probes leave the numbers that they read. */
export interface ProbePlace {
  readonly numbers: Float64Array;
  /** Of the probe's own number. */
  readonly place: number;
  /** Of the first of three numbers of a cell from which it counts its own; unused by those that do not. */
  readonly parts: number;
}

/** Reads one path of a state while that is folded, again and again. */
export abstract class Probe {
  readonly path: SeriesPath;
  readonly text: string;
  unit: string | null = null;
  kind: SeriesKind = "number";
  interpolation: Interpolation = "hold";
  /** What was read last: whether it is there, and the text (null for a number). The number is at the probe's place. */
  isThere = false;
  words: string | null = null;
  readonly numbers: Float64Array;
  readonly place: number;
  protected readonly parts: number;

  protected constructor(path: SeriesPath, { numbers, place, parts }: ProbePlace) {
    this.path = path;
    this.text = pathText(path);
    this.numbers = numbers;
    this.place = place;
    this.parts = parts;
  }

  /** `time` is that of the moment, which must not be before the one read last. */
  abstract read(state: MutableState, time: Time): void;

  /** The same where the numbers that it is counted from are at their places, and it is there if it was there before. */
  count(_time: Time): void {}

  /** To be called before it reads when the number at its place is not its own any more. */
  forget(): void {}

  /** The numbers that a column reader has to put to their places, so that this one need not look at the state. */
  get wanted(): readonly WantedNumber[] {
    return [{ path: this.path, place: this.place }];
  }

  /** What it read last says that it has to look at the state each time: a number that is shown as a text, for instance. */
  get isMixed(): boolean {
    return false;
  }

  static of(path: SeriesPath, telling: Telling, place: ProbePlace): Probe {
    if ("value" in path) return new ValueProbe(path, telling, place);
    return path.item === "speed" ? new SpeedProbe(path, place) : new CellProbe(path, place);
  }

  protected put(isThere: boolean, number: number, words: string | null): void {
    this.isThere = isThere;
    this.numbers[this.place] = number;
    this.words = words;
  }
}

/** Whether a path is counted from three numbers of a cell. */
export function isCounted(path: SeriesPath): path is CellPath {
  return "set" in path && typeof path.item === "string";
}

class ValueProbe extends Probe {
  readonly #name: string;
  readonly #keys: readonly (string | number)[];
  #kept: Kept | undefined;
  #isKept = true;
  #isKnown = false;
  #isMixed = false;

  constructor(path: ValuePath, telling: Telling, place: ProbePlace) {
    super(path, place);
    this.#name = path.value;
    this.#keys = path.keys;
    this.unit = telling.unitOf?.(path.value) ?? null;
    if (path.keys.length === 0) this.interpolation = telling.interpolation?.(path.value) ?? "hold";
    this.put(false, Number.NaN, null);
  }

  read(state: MutableState): void {
    const kept = state.kept(this.#name);
    if (this.#isKept && Object.is(kept, this.#kept)) return;
    this.#isKept = true;
    this.#kept = kept;
    const found = kept === undefined ? undefined : partAt(given(kept), this.#keys);
    if (!isLeaf(found)) {
      this.put(false, Number.NaN, null);
      return;
    }
    if (!this.#isKnown) {
      this.#isKnown = true;
      this.kind = kindOfValue(found);
    }
    this.#isMixed = this.kind === "text" && typeof found !== "string";
    if (this.kind === "text") this.put(true, Number.NaN, String(found));
    else this.put(true, typeof found === "string" ? Number.NaN : Number(found), null);
  }

  override forget(): void {
    this.#isKept = false;
  }

  override get isMixed(): boolean {
    return this.#isMixed;
  }
}

/** Where a cell is: looked up again when the set or the thing in the row is another. */
class CellProbe extends Probe {
  readonly #path: CellPath;
  #state: MutableState | null = null;
  #shape = -1;
  /** Whether unit and kind are those of the column. */
  #isDescribed = false;
  protected entities: MutableEntitySet | undefined;
  protected cells: MutableColumn | undefined;
  /** When things were put elsewhere; undefined: none was. */
  protected teleports: MutableColumn | undefined;
  protected row = -1;
  protected width = 0;

  constructor(path: CellPath, place: ProbePlace) {
    super(path, place);
    this.#path = path;
    this.put(false, Number.NaN, null);
  }

  read(state: MutableState, _time: Time): void {
    if (!this.find(state)) {
      this.put(false, Number.NaN, null);
      return;
    }
    const cells = this.cells!;
    const { row } = this;
    const { item } = this.#path;
    if (this.kind === "text") this.put(true, Number.NaN, cells.text(row));
    else if (item === "length") {
      this.fill();
      this.put(
        true,
        hypot(cells.spec.width, (k) => cells.number(row, k)),
        null,
      );
    } else {
      const k = typeof item === "number" ? item : 0;
      this.isThere = k < this.width;
      this.numbers[this.place] = this.isThere ? cells.number(row, k) : Number.NaN;
      this.words = null;
    }
  }

  override get wanted(): readonly WantedNumber[] {
    if (typeof this.#path.item !== "string") return super.wanted;
    return [0, 1, 2].map((item) => ({ path: { ...this.#path, item }, place: this.parts + item }));
  }

  override count(_time: Time): void {
    if (!this.isThere || this.#path.item !== "length") return;
    const { numbers, parts } = this;
    numbers[this.place] = hypot(3, (k) => numbers[parts + k]!);
  }

  override get isMixed(): boolean {
    return typeof this.#path.item === "string" && this.isThere && this.width !== 3;
  }

  /** Puts the first three numbers of the cell to their places, or as many as it has. */
  protected fill(): void {
    const most = Math.min(3, this.width);
    for (let k = 0; k < most; k++) this.numbers[this.parts + k] = this.cells!.number(this.row, k);
  }

  /** Whether the cell is there. */
  protected find(state: MutableState): boolean {
    if (state !== this.#state || state.shape !== this.#shape) this.#look(state);
    const set = this.entities;
    if (set === undefined || this.cells === undefined) return false;
    if (set.ids[this.row] !== this.#path.id) this.row = set.find(this.#path.id);
    if (this.row < 0) return false;
    if (!this.#isDescribed) this.#describe(this.cells.spec);
    return true;
  }

  #look(state: MutableState): void {
    this.#state = state;
    this.#shape = state.shape;
    const { set, column } = this.#path;
    this.entities = state.sets.get(set);
    this.cells = this.entities?.columns.get(column);
    this.teleports = this.entities?.columns.get(TELEPORT);
    this.#isDescribed = false;
  }

  #describe({ unit, width, kind, interpolation }: ColumnSpec): void {
    const { item } = this.#path;
    this.#isDescribed = true;
    this.width = width;
    this.unit = unitOfItem(unit, width, item);
    this.kind = typeof item === "string" ? "number" : kindOfColumn(kind);
    this.interpolation = interpolation ?? "hold";
  }
}

/**
 * How fast a place moved from the moment read before to the one read last; NaN where there was no moment before, and where
 * the thing was put elsewhere since.
 */
class SpeedProbe extends CellProbe {
  readonly #place = new Float64Array(3).fill(Number.NaN);
  #since = Number.NaN;

  override read(state: MutableState, time: Time): void {
    // a cell of fewer numbers is no place: those behind are of other things
    if (!this.find(state) || this.width < 3) {
      this.#place.fill(Number.NaN);
      this.put(false, Number.NaN, null);
      return;
    }
    this.fill();
    this.isThere = true;
    if (this.teleports !== undefined && this.teleports.number(this.row) > this.#since) this.#place.fill(Number.NaN);
    this.count(time);
  }

  override count(time: Time): void {
    // the same moment again: it goes as fast as it did
    if (!this.isThere || time === this.#since) return;
    const { numbers, parts } = this;
    let squares = 0;
    for (let k = 0; k < 3; k++) {
      const at = numbers[parts + k]!;
      squares += (at - this.#place[k]!) ** 2;
      this.#place[k] = at;
    }
    this.put(true, (Math.sqrt(squares) / (time - this.#since)) * 1e9, null);
    this.#since = time;
  }
}
