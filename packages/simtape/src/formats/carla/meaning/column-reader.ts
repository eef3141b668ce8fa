import type { MessageBatch } from "../../../model/batch.ts";
import type { ColumnReader, WantedNumber } from "../../../model/column-reader.ts";
import { BatchView, LastRead } from "../../../model/last-read.ts";
import type { StateModel } from "../../../model/state-model.ts";
import type { MutableState } from "../../../model/state.ts";
import type { Dialect, PacketKind } from "../layout/layout.ts";
import { SETS } from "./columns.ts";
import { fieldOf, type NumberField, numberAt, shapeOf, type ValueShape, VALUES } from "./number-fields.ts";
import { type RecordOutput, RecordNumbers } from "./record-numbers.ts";

/**
 * Reads numbers of actors from the packets that every frame has. Nothing of it goes into the state before that is looked
 * at.
 */
export class PacketColumns implements ColumnReader {
  readonly accepts: readonly boolean[];
  readonly #kinds: readonly (PacketKind | null)[];
  /** By channel: packets of records, and those of one value; null: of another kind, or nothing is wanted of them. */
  readonly #records: readonly (RecordNumbers | null)[];
  readonly #values: readonly (ValueNumbers | null)[];
  readonly #view = new BatchView();
  #state: MutableState | null = null;
  #isOpen = false;
  /** Everything is folded from now on. */
  #isShut = false;

  /** `isAttached`: actors may go along with others. */
  constructor(
    model: StateModel,
    kinds: readonly (PacketKind | null)[],
    dialect: Dialect,
    isAttached: boolean,
    wanted: readonly WantedNumber[],
    numbers: Float64Array,
  ) {
    this.#kinds = kinds;
    this.accepts = wanted.map(({ path }) =>
      "value" in path ? path.keys.length === 0 && Object.hasOwn(VALUES, path.value) : SETS.includes(path.set),
    );
    const accepted = wanted.filter((_, n) => this.accepts[n]);
    const ids = new Set(
      accepted.flatMap(({ path }) => ("set" in path && typeof path.id === "number" ? [path.id] : [])),
    );
    this.#records = kinds.map((kind) => {
      const shape = kind === null ? null : shapeOf(kind, dialect);
      if (shape === null) return null;
      const outputs = accepted.flatMap(({ path, place }): RecordOutput[] => {
        if (!("set" in path) || typeof path.id !== "number") return [];
        const { set, id, column } = path;
        const item = Number(path.item ?? 0);
        const field = fieldOf(shape, column, item);
        return field === null ? [] : [{ set, id, column, item, place, field }];
      });
      const whole = isAttached && kind === "position" ? model : null;
      return new RecordNumbers(shape.width, ids, outputs, numbers, whole);
    });
    this.#values = kinds.map((kind) => {
      const own = accepted.flatMap(({ path, place }) => {
        const shape = "value" in path ? VALUES[path.value]! : null;
        return shape !== null && shape.kind === kind ? [{ shape, place }] : [];
      });
      // the frame's beginning is of every path of an actor, too
      const name = own[0] === undefined && kind === "frame-start" ? "frame" : nameOf(own[0]?.shape);
      return name === null ? null : new ValueNumbers(model, name, own, numbers);
    });
  }

  begin(state: MutableState): void {
    this.#state = state;
    this.#isOpen = false;
    for (const values of this.#values) values?.begin(state);
  }

  read(batch: MessageBatch, i: number): boolean {
    if (this.#isShut || (!this.#isOpen && !this.#open())) return false;
    const channel = batch.channel[i]!;
    const kind = this.#kinds[channel] ?? null;
    if (kind === null) return false;
    const records = this.#records[channel]!;
    if (records !== null) return records.read(this.#view.of(batch.bytes), batch, i);
    const values = this.#values[channel]!;
    if (values !== null) return values.read(this.#view.of(batch.bytes), batch, i);
    // a packet of a list without records
    return batch.end[i]! - batch.start[i]! === 2;
  }

  settle(state: MutableState): void {
    for (const values of this.#values) values?.settle(state);
    for (const records of this.#records) records?.settle(state);
  }

  #open(): boolean {
    const state = this.#state!;
    this.#isShut = this.#records.some((records) => records?.isShut(state) === true);
    if (this.#isShut) return false;
    for (const records of this.#records) records?.begin(state);
    this.#isOpen = true;
    return true;
  }
}

function nameOf(shape: ValueShape | undefined): string | null {
  return shape === undefined ? null : (Object.keys(VALUES).find((name) => VALUES[name] === shape) ?? null);
}

/** Packets that say one thing, all of it each time. */
class ValueNumbers {
  readonly #model: StateModel;
  /** A value that the state has once such a packet was folded. */
  readonly #name: string;
  readonly #fields: readonly { readonly place: number; readonly field: NumberField }[];
  readonly #bytes: number;
  readonly #isFrame: boolean;
  readonly #numbers: Float64Array;
  readonly #last = new LastRead();
  #isOpen = false;

  constructor(
    model: StateModel,
    name: string,
    wanted: readonly { readonly place: number; readonly shape: ValueShape }[],
    numbers: Float64Array,
  ) {
    this.#model = model;
    this.#name = name;
    this.#bytes = VALUES[name]!.bytes;
    this.#isFrame = VALUES[name]!.kind === "frame-start";
    this.#fields = wanted.map(({ place, shape }) => ({ place, field: shape.field }));
    this.#numbers = numbers;
  }

  begin(state: MutableState): void {
    this.#last.forget();
    this.#isOpen = state.kept(this.#name) !== undefined;
  }

  read(view: DataView, batch: MessageBatch, i: number): boolean {
    const start = batch.start[i]!;
    if (!this.#isOpen || batch.end[i]! - start < this.#bytes) return false;
    // a frame that no number can name is no frame
    if (this.#isFrame && !Number.isSafeInteger(numberAt(view, start, "u64"))) return false;
    for (const { place, field } of this.#fields) this.#numbers[place] = numberAt(view, start + field.at, field.type);
    this.#last.note(batch, i);
    return true;
  }

  settle(state: MutableState): void {
    this.#last.settle(this.#model, state);
  }
}
