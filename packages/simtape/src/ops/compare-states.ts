import type { Column } from "../model/state/column.ts";
import { type Origin, unsetOrigin } from "../model/axes/geodesy.ts";
import { type Place, placesOf } from "../model/poses/place.ts";
import type { Recording } from "../model/recording.ts";
import type { Reader } from "../model/reader.ts";
import type { Query } from "../model/messages/batch-query.ts";
import { areSameSets, isSameSet, type EntitySet, MutableState, type State } from "../model/state/state.ts";
import type { Time } from "../model/values/time.ts";
import type { Value } from "../model/values/value.ts";
import { thingKey, type Witness } from "../model/writer.ts";
import { applyRows } from "../model/state/apply.ts";
import type { MessageBatch } from "../model/messages/batch.ts";
import { LookedAt } from "./looked-at.ts";

/** How exactly numbers are stored at least: single precision. */
const PRECISION = 1e-6;
/** Metres within which a thing is where it was. */
const NEAR = 1e-3;
/** Radians within which a thing is turned as it was. */
const TURNED = 1.8e-3;
const NOT_FOUND = "it was not found when the result was read back";
const TOO_FAST = "it changed more than once within one step of the format's clock: only the last change is carried";

/** Of a recording of the same format: everything is where it was. */
export const SAME: Witness = {
  timeOf: (time) => time,
  value: ({ values }, path) => values.get(path),
  hasSets: true,
  things: () => new Map(),
  origin: unsetOrigin(),
};

/** What a recording has lost: paths, reasons and counts. */
export type Missing = (path: string, reason: string, count: number) => void;

/**
 * Reads source and result side by side, moment by moment, and says what the result does not have: every change of a
 * value, and every move of a thing, that is not there at its time. `origin` is where the plane of geodetic things of
 * the source lies, unset: at the first of them. `rounding`: by how much cells may differ, in parts of them. `batches`:
 * all messages of the result, where it is read anyway.
 */
export async function compareStates(
  source: Recording,
  result: Recording,
  witness: Witness,
  begin: { readonly time: Time; readonly isCut: boolean },
  query: Query,
  missing: Missing,
  origin: Origin = unsetOrigin(),
  rounding = 0,
  batches: AsyncIterable<MessageBatch> = result.reader.batches({}),
): Promise<void> {
  const given = new Pull(source.reader, source.reader.batches(query));
  const found = new Pull(result.reader, batches);
  const lookedAt = new LookedAt(source.reader);
  const comparison = new Comparison(witness, { ...origin }, rounding);
  if (begin.isCut) await given.begin(begin.time);
  let at: Time | null = null;
  for (;;) {
    const next = given.next ?? (await given.more());
    const then = next === null ? null : witness.timeOf(next - begin.time);
    if (at !== null && then !== at) {
      while (!found.to(at)) await found.more();
      comparison.compare(found.state.freeze());
    }
    if (next === null) break;
    at = then;
    while (!given.to(next)) await given.more();
    const moment = given.state.freeze();
    lookedAt.add(moment);
    comparison.moment(moment);
  }
  comparison.tell(missing);
}

/** State going forward through a recording, as far as it is asked to. */
class Pull {
  readonly state = new MutableState();
  readonly #reader: Reader;
  readonly #batches: AsyncIterator<MessageBatch>;
  #batch: MessageBatch | null = null;
  #row = 0;
  #isOver = false;

  constructor(reader: Reader, batches: AsyncIterable<MessageBatch>) {
    this.#reader = reader;
    this.#batches = batches[Symbol.asyncIterator]();
    reader.state.begin?.(this.state);
  }

  async begin(time: Time): Promise<void> {
    for await (const batch of this.#reader.batches({ end: time })) {
      applyRows(this.#reader.state, this.state, batch, 0, batch.length);
    }
  }

  /** Time of the next message; null when it is not known yet, or there is none. */
  get next(): Time | null {
    return this.#batch !== null && this.#row < this.#batch.length ? this.#batch.time[this.#row]! : null;
  }

  /** Reads on; gives the time of the next message, null at the end. */
  async more(): Promise<Time | null> {
    while (this.next === null && !this.#isOver) {
      const { done, value } = await this.#batches.next();
      this.#isOver = done === true;
      this.#batch = done === true ? null : value;
      this.#row = 0;
    }
    return this.next;
  }

  /** Applies what was said up to `time`, that included; false when more has to be read for that. */
  to(time: Time): boolean {
    const batch = this.#batch;
    if (batch !== null) {
      const from = this.#row;
      while (this.#row < batch.length && batch.time[this.#row]! <= time) this.#row++;
      if (this.#row > from) applyRows(this.#reader.state, this.state, batch, from, this.#row);
      if (this.#row < batch.length) return true;
    }
    return this.#isOver;
  }
}

/** What is known of a value, or of a thing, as it was looked for last. */
interface Known {
  given: unknown;
  found: unknown;
  isThere: boolean;
}

class Comparison {
  readonly #witness: Witness;
  readonly #origin: Origin;
  readonly #rounding: number;
  readonly #values = new Map<string, Known>();
  readonly #things = new Map<string, Known>();
  readonly #columns = new Map<string, Known>();
  readonly #counts = new Map<string, number>();
  readonly #tooFast = new Map<string, number>();
  /** The source at the moment that is compared next, and at the one that was last. */
  #now: State | null = null;
  #last: State | null = null;
  #lastFound: State | null = null;
  /** Values and cells that changed since the last comparison, when several moments fall on one time. */
  readonly #changed = new Set<string>();

  constructor(witness: Witness, origin: Origin, rounding: number) {
    this.#rounding = rounding;
    this.#witness = witness;
    this.#origin = origin;
  }

  /** A moment of the source; several may fall on one time of the result, of which the last counts. */
  moment(state: State): void {
    const before = this.#now;
    this.#now = state;
    if (before === null) return;
    if (this.#changed.size === 0) for (const [cell] of changes(this.#last ?? NOTHING, before)) this.#changed.add(cell);
    for (const [cell, path] of changes(before, state)) {
      if (this.#changed.has(cell)) add(this.#tooFast, path);
      this.#changed.add(cell);
    }
  }

  compare(found: State): void {
    const now = this.#now!;
    this.#compareValues(now, found);
    const isStill =
      this.#last !== null &&
      this.#lastFound !== null &&
      areSameSets(this.#last.sets, now.sets) &&
      areSameSets(this.#lastFound.sets, found.sets);
    if (!isStill) {
      if (this.#witness.hasSets) this.#compareSets(now, found);
      else this.#compareThings(now, found);
    }
    this.#last = now;
    this.#lastFound = found;
    this.#now = null;
    this.#changed.clear();
  }

  tell(missing: Missing): void {
    for (const [path, count] of this.#tooFast) missing(path, TOO_FAST, count);
    for (const [path, count] of this.#counts) missing(path, NOT_FOUND, count);
  }

  #compareValues(now: State, found: State): void {
    if (this.#last?.values === now.values && this.#lastFound?.values === found.values) return;
    for (const [path, value] of now.values) {
      const there = this.#witness.value(found, path);
      const known = this.#values.get(path);
      // members of objects and lists may have a path of their own
      if (known !== undefined && known.given === value && known.found === there && there !== undefined) continue;
      const isThere = this.#isThere(found, path, value, there);
      this.#note(this.#values, path, path, known, value, there, isThere);
    }
    for (const [path, known] of this.#values) {
      if (now.values.has(path)) continue;
      this.#values.delete(path);
      if (this.#witness.value(found, path) !== undefined) add(this.#counts, path);
      else if (!known.isThere) add(this.#counts, path);
    }
  }

  #isThere(found: State, path: string, value: Value, there: Value | undefined): boolean {
    // Where nothing is said, and where it is said that there is nothing, is the same.
    if (value === null && there === undefined) return true;
    if (there !== undefined && isSame(value, there, PRECISION)) return true;
    if (there !== undefined || typeof value !== "object" || value === null) return false;
    const look = (member: string, item: Value): boolean =>
      this.#isThere(found, member, item, this.#witness.value(found, member));
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      return Array.from(value as ArrayLike<Value>).every((item, i) => look(i === 0 ? path : `${path}[${i}]`, item));
    }
    return Object.entries(value).every(([key, item]) => look(`${path}/${key}`, item));
  }

  #compareSets(now: State, found: State): void {
    for (const [name, set] of now.sets) {
      const other = found.sets.get(name);
      this.#compareColumn(name, set.ids, other?.ids ?? [], () => hasSameIds(set, other));
      for (const [key, column] of set.columns) {
        const there = other?.columns.get(key);
        this.#compareColumn(`${name}/${key}`, column, there, () => hasSameCells(column, there, this.#rounding));
      }
    }
  }

  #compareColumn(path: string, given: unknown, there: unknown, test: () => boolean): void {
    const known = this.#columns.get(path);
    if (known !== undefined && known.given === given && known.found === there) return;
    this.#note(this.#columns, path, path, known, given, there, test());
  }

  #compareThings(now: State, found: State): void {
    const places = placesOf(now, this.#origin);
    const there = this.#witness.things(found, places);
    for (const place of places) {
      const key = thingKey(place.set, place.id);
      const known = this.#things.get(key);
      const other = there.get(key);
      const isChanged = known === undefined || !isAt(known.given as Place, place, 0);
      const isThere = other !== undefined && isAt(place, other, PRECISION);
      this.#note(this.#things, key, `${place.set}/position`, known, isChanged ? place : known.given, null, isThere);
    }
  }

  /** A change that is not there counts, and so does what is not there any more. */
  #note(
    all: Map<string, Known>,
    key: string,
    path: string,
    known: Known | undefined,
    given: unknown,
    found: unknown,
    isThere: boolean,
  ): void {
    const isChanged = known === undefined || known.given !== given;
    if (!isThere && (isChanged || known.isThere)) add(this.#counts, path);
    if (known === undefined) all.set(key, { given, found, isThere });
    else {
      known.given = given;
      known.found = found;
      known.isThere = isThere;
    }
  }
}

const NOTHING: State = { time: 0, values: new Map(), sets: new Map() };

/** Values and cells of things that came, went or changed, each with its path. */
function* changes(before: State, after: State): Generator<readonly [cell: string, path: string]> {
  if (before.values !== after.values) {
    for (const [path, value] of after.values) if (!isSame(before.values.get(path), value, 0)) yield [path, path];
    for (const path of before.values.keys()) if (!after.values.has(path)) yield [path, path];
  }
  for (const name of new Set([...before.sets.keys(), ...after.sets.keys()])) {
    const [old, set] = [before.sets.get(name), after.sets.get(name)];
    if (old !== undefined && set !== undefined && isSameSet(old, set)) continue;
    const rows = new Map(old?.ids.map((id, row) => [id, row]));
    for (const [key, column] of set?.columns ?? []) {
      const other = old?.columns.get(key);
      if (column === other) continue;
      for (const [row, id] of set!.ids.entries()) {
        if (!isSameRow(column, row, other, rows.get(id))) yield [`${name}/${key}\0${id}`, `${name}/${key}`];
      }
    }
    const present = new Set(set?.ids);
    for (const [id] of rows) {
      if (present.has(id)) continue;
      for (const key of old!.columns.keys()) yield [`${name}/${key}\0${id}`, `${name}/${key}`];
    }
  }
}

function isSameRow({ data, width }: Column, row: number, other: Column | undefined, at: number | undefined): boolean {
  if (other === undefined || at === undefined || other.width !== width) return false;
  for (let k = 0; k < width; k++) if (!Object.is(data[row * width + k], other.data[at * width + k])) return false;
  return true;
}

function add(counts: Map<string, number>, path: string): void {
  counts.set(path, (counts.get(path) ?? 0) + 1);
}

function isAt(a: Place, b: Place, precision: number): boolean {
  const near = precision === 0 ? 0 : NEAR + precision * Math.max(Math.abs(a.x), Math.abs(a.y), Math.abs(a.z));
  const isNear = Math.abs(a.x - b.x) <= near && Math.abs(a.y - b.y) <= near && Math.abs(a.z - b.z) <= near;
  if (!isNear || a.orientation === null || b.orientation === null) return isNear;
  if (precision === 0) return a.orientation.every((cell, k) => cell === b.orientation![k]);
  const dot = a.orientation.reduce((sum, cell, k) => sum + cell * b.orientation![k]!, 0);
  return 2 * Math.acos(Math.min(1, Math.abs(dot))) <= TURNED;
}

function hasSameIds({ ids }: EntitySet, other: EntitySet | undefined): boolean {
  return other === undefined
    ? ids.length === 0
    : ids === other.ids || (ids.length === other.ids.length && ids.every((id, i) => id === other.ids[i]));
}

function hasSameCells({ data, width, unit }: Column, other: Column | undefined, rounding: number): boolean {
  if (data === other?.data) return true;
  if (other === undefined) return data.length === 0;
  if (width !== other.width || unit !== other.unit || data.length !== other.data.length) return false;
  for (let i = 0; i < data.length; i++) {
    const [a, b] = [data[i]!, other.data[i]!];
    if (Object.is(a, b)) continue;
    if (rounding === 0 || typeof a !== "number" || typeof b !== "number") return false;
    if (!(Math.abs(a - b) <= rounding * Math.abs(a) + Number.MIN_VALUE)) return false;
  }
  return true;
}

/** Equal within `precision`, however the numbers are kept: as another kind of list, as text. */
function isSame(a: Value | undefined, b: Value | undefined, precision: number): boolean {
  if (Object.is(a, b)) return true;
  if (a === undefined || b === undefined || a === null || b === null) return false;
  if (typeof a !== "object" || typeof b !== "object") return isSameScalar(a, b, precision);
  const [isListA, isListB] = [isList(a), isList(b)];
  if (isListA || isListB) {
    const [x, y] = [a as unknown as ArrayLike<Value>, b as unknown as ArrayLike<Value>];
    if (!isListA || !isListB || x.length !== y.length) return false;
    for (let i = 0; i < x.length; i++) if (!isSame(x[i], y[i], precision)) return false;
    return true;
  }
  const [left, right] = [Object.entries(a), b as { readonly [key: string]: Value }];
  return left.length === Object.keys(right).length && left.every(([key, item]) => isSame(item, right[key], precision));
}

function isList(value: object): boolean {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

function isSameScalar(a: Value, b: Value, precision: number): boolean {
  if (typeof a === "object" || typeof b === "object" || precision === 0) return false;
  if (typeof a === "string" && typeof b === "string") return false;
  if (String(a) === String(b)) return true;
  const [x, y] = [Number(a), Number(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) return false;
  return Math.abs(x - y) <= precision * Math.abs(x);
}
