import { given, type Kept, LateValues } from "../model/state/late.ts";
import type { Column, ColumnData } from "../model/state/column.ts";
import type { Axes } from "../model/axes/axes.ts";
import type { EntitySet, State } from "../model/state/state.ts";
import type { Time } from "../model/values/time.ts";
import type { Value } from "../model/values/value.ts";
import type { MovingState } from "./ground-speeds.ts";

/** What makes one state of another: only what is new, in arrays of its own. */
export interface StatePatch {
  readonly time: Time;
  /** Undefined: one that is not sent. */
  readonly values: Changes<Value | undefined>;
  readonly sets: Changes<SetPatch>;
  /** All of them. */
  readonly speeds?: NonNullable<MovingState["speeds"]>;
}

/** By name: what is new or other, and what is gone. */
interface Changes<T> {
  readonly put: readonly (readonly [name: string, value: T])[];
  readonly drop: readonly string[];
}

interface SetPatch {
  /** Undefined: as before, the same object. */
  readonly axes: Axes | null | undefined;
  /** Null: as before. */
  readonly ids: EntitySet["ids"] | null;
  readonly columns: Changes<Column>;
}

const NOTHING: State = { time: 0, values: new Map(), sets: new Map() };
const UNSENT = { is: undefined };

function isAmong(name: string, beginnings: readonly string[]): boolean {
  for (const beginning of beginnings) if (name.startsWith(beginning)) return true;
  return false;
}

/** Makes patches for one watcher, each against the state before. */
export class Patcher {
  #state: State = NOTHING;
  /** How names of values begin that are not sent, and that were not with the patch before. */
  #omitted: readonly string[] = [];
  #omittedBefore: readonly string[] = [];

  /** From now on only the names are sent of values whose names begin so. */
  omitValues(beginnings: readonly string[]): void {
    this.#omitted = beginnings;
  }

  /** The buffers of the arrays in the patch are given to `transfer`: nothing else uses them. */
  next(state: MovingState, transfer: ArrayBuffer[]): StatePatch {
    const patch = this.beside(state, transfer);
    this.#state = state;
    this.#omittedBefore = this.#omitted;
    return patch;
  }

  /** What makes another state of the one that the last patch was for. The next patch is against that one all the same. */
  beside(state: MovingState, transfer: ArrayBuffer[]): StatePatch {
    const before = this.#state;
    const [omitted, omittedBefore] = [this.#omitted, this.#omittedBefore];
    const copies = new Copies();
    const areOmittedSame = omitted === omittedBefore;
    const areSame = state.values === before.values && areOmittedSame;
    const valuePatch = (value: Kept, old: Kept | undefined, name: string): { is: Value | undefined } | null => {
      if (areOmittedSame && Object.is(value, old)) return null;
      const wasSent = old !== undefined && !isAmong(name, omittedBefore);
      if (isAmong(name, omitted)) return old !== undefined && !wasSent ? null : UNSENT;
      return wasSent && Object.is(value, old) ? null : { is: owned(given(value)) };
    };
    const patch: StatePatch = {
      time: state.time,
      values: areSame
        ? { put: [], drop: [] }
        : changes(LateValues.kept(before.values), LateValues.kept(state.values), valuePatch),
      sets: changes(before.sets, state.sets, (set, old) => setPatch(set, old, copies)),
      ...(state.speeds && { speeds: state.speeds }),
    };
    const buffer = copies.fill();
    if (buffer.byteLength > 0) transfer.push(buffer);
    return patch;
  }
}

/** The state behind a patch; `before` stays as it is. */
export function patched(before: State | null, patch: StatePatch): MovingState {
  const { values, sets } = before ?? NOTHING;
  return {
    ...patch,
    values: applied(values, patch.values, (value) => value as Value),
    sets: applied(sets, patch.sets, patchedSet),
  };
}

function patchedSet({ axes, ids, columns }: SetPatch, before: EntitySet | undefined): EntitySet {
  return {
    axes: axes === undefined ? (before?.axes ?? null) : axes,
    ids: ids ?? before?.ids ?? [],
    columns: applied(before?.columns ?? new Map<string, Column>(), columns, (column) => column),
  };
}

/** `before` itself when nothing changes. */
function applied<T, P>(
  before: ReadonlyMap<string, T>,
  { put, drop }: Changes<P>,
  apply: (patch: P, before: T | undefined) => T,
): ReadonlyMap<string, T> {
  if (put.length === 0 && drop.length === 0) return before;
  const after = new Map(before);
  for (const name of drop) after.delete(name);
  for (const [name, patch] of put) after.set(name, apply(patch, before.get(name)));
  return after;
}

/** `patch` gives null for what has not changed. */
function changes<T, P>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  patch: (after: T, before: T | undefined, name: string) => { readonly is: P } | null,
): Changes<P> {
  const put: (readonly [string, P])[] = [];
  const drop: string[] = [];
  let stayed = 0;
  for (const [name, value] of after) {
    const old = before.get(name);
    if (old !== undefined) stayed++;
    const change = patch(value, old, name);
    if (change !== null) put.push([name, change.is]);
  }
  if (stayed < before.size) for (const name of before.keys()) if (!after.has(name)) drop.push(name);
  return { put, drop };
}

function setPatch(set: EntitySet, before: EntitySet | undefined, copies: Copies): { is: SetPatch } | null {
  if (set === before) return null;
  const hasSameIds = before !== undefined && isSame(before.ids, set.ids);
  const columns = changes(before?.columns ?? new Map<string, Column>(), set.columns, (column, old) => {
    if (old !== undefined && isSame(old.data, column.data)) return null;
    return { is: copies.add(column) };
  });
  if (hasSameIds && columns.put.length === 0 && columns.drop.length === 0) return null;
  const axes = before !== undefined && before.axes === set.axes ? undefined : set.axes;
  return { is: { axes, ids: hasSameIds ? null : set.ids, columns } };
}

type List = ArrayLike<number | string>;

function isSame(a: List, b: List): boolean {
  if (a === b) return true;
  if (a.length !== b.length || a.constructor !== b.constructor) return false;
  if (ArrayBuffer.isView(a)) return haveSameBits(a, b as unknown as ArrayBufferView);
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Bit for bit, which is the same for all kinds of numbers. */
function haveSameBits(a: ArrayBufferView, b: ArrayBufferView): boolean {
  const isWide = (a.byteOffset | b.byteOffset | a.byteLength) % 4 === 0;
  const x = isWide ? words(a) : bytes(a);
  const y = isWide ? words(b) : bytes(b);
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return false;
  return true;
}

function words({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

function bytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Typed arrays in a value are copied: a view would take its whole chunk along. */
function owned(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) return value.slice();
  if (Array.isArray(value)) return value.map(owned);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, owned(member as Value)]));
}

type Numbers = Exclude<ColumnData, readonly string[]>;

/** Copies of columns, laid into one buffer when it is known how large it must be. */
class Copies {
  readonly #columns: { data: ColumnData }[] = [];
  #bytes = 0;

  /** The column as it will be: its data is still that of the original. */
  add(column: Column): Column {
    if (!isNumbers(column.data)) return column;
    const copy = { ...column };
    this.#columns.push(copy);
    this.#bytes += aligned(column.data.byteLength);
    return copy;
  }

  fill(): ArrayBuffer {
    const buffer = new ArrayBuffer(this.#bytes);
    let offset = 0;
    for (const column of this.#columns) {
      const data = column.data as Numbers;
      column.data = copied(data, buffer, offset);
      offset += aligned(data.byteLength);
    }
    return buffer;
  }
}

function isNumbers(data: ColumnData): data is Numbers {
  return ArrayBuffer.isView(data);
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function copied(data: Numbers, buffer: ArrayBuffer, offset: number): Numbers {
  const Kind = data.constructor as new (buffer: ArrayBuffer, offset: number, length: number) => Numbers;
  const copy = new Kind(buffer, offset, data.length);
  copy.set(data);
  return copy;
}
