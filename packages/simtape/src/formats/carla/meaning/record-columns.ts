import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { LastRead } from "../../../model/state/last-read.ts";
import type { CellPath } from "../../../model/state/path.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { MutableEntitySet, MutableState } from "../../../model/state/state.ts";
import { ACTORS, COLUMNS, type ColumnName, SETS } from "./columns.ts";
import { areTangled } from "./attached.ts";
import type { CellPlace, Movement } from "./motion.ts";

/** Ids of actors that are asked for. */
export type Actors = ReadonlySet<number | string>;

/** A cell that is wanted, and where it goes. */
export interface WantedCell {
  readonly path: CellPath;
  readonly place: number;
}

/** A wanted cell that packets of a kind say. */
interface Output {
  readonly set: string;
  readonly id: number | string;
  readonly name: ColumnName;
  readonly item: number;
  readonly place: number;
}

/** Of an output that a packet has: where its number is behind the packet's beginning. */
interface Found {
  /** Which of the outputs it is. */
  readonly output: number;
  readonly place: number;
  readonly at: number;
  readonly type: CellPlace["type"];
}

/** A packet that was looked at: others about the same actors have the same numbers at the same places. */
interface Pattern {
  readonly length: number;
  readonly count: number;
  readonly ids: Uint32Array;
  readonly found: readonly Found[];
}

/** Bytes of each number. */
const BYTES: Readonly<Record<CellPlace["type"], number>> = { f64: 8, f32: 4, i32: 4, u32: 4, u8: 1, flag: 1 };

/** Reads what is wanted from packets of one kind of motion. */
export class RecordColumns {
  /** Whether any of what they say is wanted. */
  readonly isAsked: boolean;
  readonly #movement: Movement;
  readonly #isPlace: boolean;
  readonly #outputs: readonly Output[];
  readonly #ids: Actors;
  readonly #last: LastRead;
  #pattern: Pattern | null = null;
  /** Places depend on more than the packet. */
  #isCarried = false;
  /** Packets that were taken and whose numbers are not in the columns yet: where they begin, and their slots. */
  #starts = new Int32Array(0);
  #slots = new Int32Array(0);
  #count = 0;
  /** By output: the last slot that it was put into in this run; -1: none. */
  readonly #reached: Int32Array;

  /** `isPlace`: they say where actors are, and what is attached goes along. */
  constructor(movement: Movement, isPlace: boolean, cells: readonly WantedCell[], ids: Actors, last: LastRead) {
    this.#movement = movement;
    this.#isPlace = isPlace;
    this.#ids = ids;
    this.#last = last;
    const names: readonly string[] = movement.destinations.names;
    this.#outputs = cells.flatMap(({ path: { set, id, column, item }, place }) =>
      names.includes(column) ? [{ set, id, name: column as ColumnName, item: Number(item ?? 0), place }] : [],
    );
    this.isAsked = this.#outputs.length > 0;
    this.#reached = new Int32Array(this.#outputs.length);
  }

  /** To be called when actors may be others than they were. */
  open(state: MutableState): void {
    this.#pattern = null;
    this.#isCarried = false;
    if (!this.#isPlace || !this.isAsked) return;
    const attached = state.sets.get(".attached");
    if (attached === undefined || attached.size === 0) return;
    this.#isCarried = areTangled(attached) || this.#outputs.some(({ id }) => attached.find(id) >= 0);
  }

  /** Begins a run of so many rows at most. */
  begin(most: number): void {
    this.#count = 0;
    this.#reached.fill(-1);
    if (this.#starts.length >= most) return;
    this.#starts = new Int32Array(most);
    this.#slots = new Int32Array(most);
  }

  /** False: row `i` has to be folded. */
  take(
    model: StateModel,
    state: MutableState,
    batch: MessageBatch,
    i: number,
    slot: number,
    view: DataView,
    columns: readonly Float64Array[],
  ): boolean {
    if (this.#isCarried) return false;
    const start = batch.start[i]!;
    const length = batch.end[i]! - start;
    // without records
    if (length <= 2) return true;
    if (!this.#isLike(view, start, length)) {
      this.#put(view, columns);
      // what the packets before said of others
      this.#last.settle(model, state);
      this.#pattern = this.#patternOf(state, view, start, length);
      if (this.#pattern === null) return false;
    }
    // of those of one slot the last one counts
    if (this.#count > 0 && this.#slots[this.#count - 1] === slot) this.#count--;
    this.#starts[this.#count] = start;
    this.#slots[this.#count++] = slot;
    this.#last.note(batch, i);
    return true;
  }

  /** Puts what was taken into the columns, up to the slot that is the last one of the run. */
  end(view: DataView, slot: number, columns: readonly Float64Array[]): void {
    this.#put(view, columns);
    const [outputs, reached] = [this.#outputs, this.#reached];
    for (let n = 0; n < outputs.length; n++) {
      const from = reached[n]!;
      if (from >= 0 && from < slot) hold(columns[outputs[n]!.place]!, from, slot + 1);
    }
  }

  /** Whether a packet is about the same actors as the one looked at last. */
  #isLike(view: DataView, start: number, length: number): boolean {
    const pattern = this.#pattern;
    if (pattern === null || pattern.length !== length || view.getUint16(start, true) !== pattern.count) return false;
    const { ids } = pattern;
    const { width } = this.#movement;
    let other = 0;
    for (let n = 0, at = start + 2; n < ids.length; n++, at += width) other |= view.getUint32(at, true) ^ ids[n]!;
    return other === 0;
  }

  /** Null: it makes something that is not there yet. */
  #patternOf(state: MutableState, view: DataView, start: number, length: number): Pattern | null {
    const { width, cells, destinations } = this.#movement;
    const count = view.getUint16(start, true);
    const ids = new Uint32Array(Math.min(count, Math.floor((length - 2) / width)));
    const actors = state.sets.get(ACTORS);
    const types = actors?.columns.get("type");
    const sets = new Set<string>();
    /** By id: the set, and where its last record begins. */
    const records = new Map<number | string, { readonly set: string; readonly from: number }>();
    for (let n = 0; n < ids.length; n++) {
      const from = 2 + n * width;
      const id = view.getUint32(start + from, true);
      const row = actors?.find(id) ?? -1;
      const set = SETS[row < 0 ? destinations.unknown : (types?.number(row) ?? 0)] ?? "other";
      ids[n] = id;
      sets.add(set);
      if (!this.#ids.has(id)) continue;
      if ((state.sets.get(set)?.find(id) ?? -1) < 0) return null;
      records.set(id, { set, from });
    }
    const found: Found[] = [];
    for (const [output, { set, id, name, item, place }] of this.#outputs.entries()) {
      if (!sets.has(set)) continue;
      if (!isUsual(state.sets.get(set), name)) return null;
      const record = records.get(id);
      if (record?.set !== set || item >= COLUMNS[name].width) continue;
      const { at, type } = cells[name]!;
      found.push({ output, place, at: record.from + at + item * BYTES[type], type });
    }
    return { length, count, ids, found };
  }

  #put(view: DataView, columns: readonly Float64Array[]): void {
    const count = this.#count;
    this.#count = 0;
    if (count === 0) return;
    const [starts, slots, reached] = [this.#starts, this.#slots, this.#reached];
    const [first, last] = [slots[0]!, slots[count - 1]!];
    const isEven = last - first === count - 1;
    const { found } = this.#pattern!;
    for (let n = 0; n < found.length; n++) {
      const { output, place, at, type } = found[n]!;
      const column = columns[place]!;
      const before = reached[output]!;
      if (before >= 0 && before < first) hold(column, before, first);
      readColumn(view, starts, slots, count, at, type, column);
      if (!isEven) for (let k = 1; k < count; k++) hold(column, slots[k - 1]!, slots[k]!);
      reached[output] = last;
    }
  }
}

/** Whether a set has a column as packets make it. */
function isUsual(set: MutableEntitySet | undefined, name: ColumnName): boolean {
  const spec = set?.columns.get(name)?.spec;
  return spec !== undefined && spec.kind === COLUMNS[name].kind && spec.width === COLUMNS[name].width;
}

/** Slots behind `from`, before `to`, have the number that it has. */
function hold(column: Float64Array, from: number, to: number): void {
  for (let slot = from + 1; slot < to; slot++) column[slot] = column[from]!;
}

/** Reads one number of many packets. */
function readColumn(
  view: DataView,
  starts: Int32Array,
  slots: Int32Array,
  count: number,
  at: number,
  kind: CellPlace["type"],
  column: Float64Array,
): void {
  switch (kind) {
    case "f64":
      for (let n = 0; n < count; n++) column[slots[n]!] = view.getFloat64(starts[n]! + at, true);
      return;
    case "f32":
      for (let n = 0; n < count; n++) column[slots[n]!] = view.getFloat32(starts[n]! + at, true);
      return;
    case "i32":
      for (let n = 0; n < count; n++) column[slots[n]!] = view.getInt32(starts[n]! + at, true);
      return;
    case "u32":
      for (let n = 0; n < count; n++) column[slots[n]!] = view.getUint32(starts[n]! + at, true);
      return;
    case "u8":
      for (let n = 0; n < count; n++) column[slots[n]!] = view.getUint8(starts[n]! + at);
      return;
    case "flag":
      for (let n = 0; n < count; n++) column[slots[n]!] = view.getUint8(starts[n]! + at) === 0 ? 0 : 1;
      return;
    default:
      kind satisfies never;
  }
}
