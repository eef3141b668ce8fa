import type { MessageBatch } from "../../../model/batch.ts";
import type { MutableColumn } from "../../../model/column.ts";
import { LastRead } from "../../../model/last-read.ts";
import type { StateModel } from "../../../model/state-model.ts";
import type { MutableEntitySet, MutableState } from "../../../model/state.ts";
import { CHAIN } from "./attached.ts";
import { ACTORS, SETS } from "./columns.ts";
import { type NumberField, numberAt } from "./number-fields.ts";

/** A number of an actor that is wanted: where it is in the actor's record, and where it goes. */
export interface RecordOutput {
  readonly set: string;
  readonly id: number;
  readonly column: string;
  readonly item: number;
  readonly place: number;
  readonly field: NumberField;
}

/** What the records of one actor change, as long as actors do not come or go. */
interface Actor {
  readonly isKnown: boolean;
  readonly outputs: readonly { readonly cells: MutableColumn; readonly row: number; readonly of: RecordOutput }[];
  /** Its numbers are ahead of the state. */
  isAhead: boolean;
}

/** Ids up to which actors are looked up by place. */
const SMALL = 1 << 12;

/** A packet that is read in place of all before it, because they had records of the same actors. */
class Latest {
  readonly #model: StateModel;
  readonly #last = new LastRead();
  #ids = new Uint32Array(0);
  #total = 0;

  constructor(model: StateModel) {
    this.#model = model;
  }

  /** Whether it has the actors of the packet noted last, if that was not folded yet. */
  isLike(view: DataView, records: number, total: number, width: number): boolean {
    if (!this.#last.isOpen) return true;
    if (total !== this.#total) return false;
    for (let n = 0, at = records; n < total; n++, at += width)
      if (view.getUint32(at, true) !== this.#ids[n]) return false;
    return true;
  }

  note(view: DataView, records: number, total: number, width: number, batch: MessageBatch, row: number): void {
    if (!this.#last.isOpen) {
      if (this.#ids.length < total) this.#ids = new Uint32Array(2 * total);
      this.#total = total;
      for (let n = 0, at = records; n < total; n++, at += width) this.#ids[n] = view.getUint32(at, true);
    }
    this.#last.note(batch, row);
  }

  settle(state: MutableState): void {
    this.#last.settle(this.#model, state);
  }

  forget(): void {
    this.#last.forget();
  }
}

/** Reads numbers from packets of records of one width, each of one actor. */
export class RecordNumbers {
  readonly #width: number;
  readonly #ids: ReadonlySet<number>;
  readonly #outputs: readonly RecordOutput[];
  readonly #numbers: Float64Array;
  /** Actors that have to be looked at, by id: those of which something is wanted here, and those that are not known. */
  readonly #actors = new Map<number, Actor>();
  /** The same for small ids: 1. */
  readonly #isSmall: Uint8Array;
  #hasUnknown = false;
  /** A column that is wanted is not there yet: any record may make it. */
  #isClosed = true;

  /** Where all records matter, be they wanted or not, because other actors may go along with theirs. */
  readonly #latest: Latest | null;

  /**
   * `ids` are those of all actors of which something is wanted, be it of these packets or not. `whole`: the model that
   * folds them, where actors may go along with others; null: records that are not wanted do not matter.
   */
  constructor(
    width: number,
    ids: ReadonlySet<number>,
    outputs: readonly RecordOutput[],
    numbers: Float64Array,
    whole: StateModel | null,
  ) {
    this.#latest = whole === null || outputs.length === 0 ? null : new Latest(whole);
    this.#width = width;
    this.#ids = ids;
    this.#outputs = outputs;
    this.#numbers = numbers;
    this.#isSmall = new Uint8Array(SMALL);
  }

  /** Whether something else than their own records says where wanted actors are, or what is attached to what is odd. */
  isShut(state: MutableState): boolean {
    return this.#latest !== null && !isPlain(state, new Set(this.#outputs.map(({ id }) => id)));
  }

  /** Looks up what is there in a state. */
  begin(state: MutableState): void {
    this.#latest?.forget();
    const known = state.sets.get(ACTORS);
    const types = known?.columns.get("type");
    this.#actors.clear();
    this.#isSmall.fill(0);
    this.#hasUnknown = false;
    this.#isClosed = this.#outputs.some(({ set, column }) => state.sets.get(set)?.columns.has(column) !== true);
    for (const id of this.#ids) {
      const actor = known?.find(id) ?? -1;
      const isAdded = actor >= 0 && types !== undefined;
      const name = isAdded ? (SETS[types.number(actor)] ?? "other") : null;
      const own = this.#outputs.filter((output) => output.id === id && output.set === name);
      if (isAdded && own.length === 0) continue;
      const outputs = cellsOf(state, own);
      const isKnown = isAdded && outputs.length === own.length;
      this.#hasUnknown ||= !isKnown;
      this.#actors.set(id, { isKnown, outputs, isAhead: false });
      if (id >= 0 && id < SMALL) this.#isSmall[id] = 1;
    }
  }

  /** Reads the packet in row `i`; false: it has to be folded, and nothing was done. */
  read(view: DataView, batch: MessageBatch, i: number): boolean {
    const start = batch.start[i]!;
    const end = batch.end[i]!;
    if (end - start < 2) return true;
    const width = this.#width;
    const total = Math.min(view.getUint16(start, true), Math.floor((end - start - 2) / width));
    if (total === 0) return true;
    if (this.#isClosed) return false;
    const latest = this.#latest;
    if (this.#actors.size === 0 && latest === null) return true;
    if (latest?.isLike(view, start + 2, total, width) === false) return false;
    if (this.#hasUnknown) {
      for (let n = 0, at = start + 2; n < total; n++, at += width)
        if (this.#actorOf(view.getUint32(at, true))?.isKnown === false) return false;
    }
    latest?.note(view, start + 2, total, width, batch, i);
    const numbers = this.#numbers;
    for (let n = 0, at = start + 2; n < total; n++, at += width) {
      const actor = this.#actorOf(view.getUint32(at, true));
      if (actor === undefined) continue;
      actor.isAhead = true;
      const { outputs } = actor;
      for (let k = 0; k < outputs.length; k++) {
        const { place, field } = outputs[k]!.of;
        numbers[place] = numberAt(view, at + field.at, field.type);
      }
    }
    return true;
  }

  /** Puts what was read into the state. */
  settle(state: MutableState): void {
    this.#latest?.settle(state);
    for (const actor of this.#actors.values()) {
      if (!actor.isAhead) continue;
      actor.isAhead = false;
      for (const { cells, row, of } of actor.outputs) cells.put(row, this.#numbers[of.place]!, of.item);
    }
  }

  #actorOf(id: number): Actor | undefined {
    return id < SMALL && this.#isSmall[id] === 0 ? undefined : this.#actors.get(id);
  }
}

/** Whether none of these actors is attached to another, and those that are depend on a chain of parents that ends. */
function isPlain(state: MutableState, ids: ReadonlySet<number>): boolean {
  const attached = state.sets.get(".attached");
  const parents = attached?.columns.get("parent");
  if (attached === undefined || parents === undefined) return true;
  return attached.ids.every((id, row) => {
    let above = row;
    for (let depth = 0; above >= 0; depth++) {
      if (depth >= CHAIN) return false;
      above = attached.find(parents.number(above));
    }
    return !ids.has(id as number);
  });
}

function cellsOf(state: MutableState, outputs: readonly RecordOutput[]): Actor["outputs"] {
  return outputs.flatMap((of) => {
    const set: MutableEntitySet | undefined = state.sets.get(of.set);
    const cells = set?.columns.get(of.column);
    const row = set?.find(of.id) ?? -1;
    return cells === undefined || row < 0 ? [] : [{ cells, row, of }];
  });
}
