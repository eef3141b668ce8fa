import { type EntitySet, isSameSet } from "../model/state/state.ts";
import type { MutableState } from "../model/state/state.ts";
import type { Column, ColumnData } from "../model/state/column.ts";
import { pathText } from "../model/state/path.ts";
import type { Time } from "../model/values/time.ts";
import type { Traits } from "../model/traits.ts";
import type { Value } from "../model/values/value.ts";
import { type ColumnErrors, type ColumnPlan, compareColumns, planOf, poseCells, UNKNOWN } from "./columns.ts";
import { ErrorCurve, type Span } from "./curve.ts";
import { Matching, type Rows } from "./matching.ts";
import { OnlyNotes } from "./only-in.ts";
import type { Divergence, Match, OnlyIn, PathDifference, Which } from "./report.ts";
import { EXACT, type Rules, type Tolerance } from "./rules.ts";
import { differencesIn } from "./values.ts";

/** Paths of which a curve is kept. */
const MOST_PATHS = 4000;
/** Of recordings of different formats: single precision, a millimetre, a tenth of a degree. */
const ROUNDED: Tolerance = { absolute: 0, relative: 1e-6, isIgnored: false };
const NEAR: Tolerance = { absolute: 1e-3, relative: 1e-6, isIgnored: false };
const TURNED: Tolerance = { absolute: 0.1, relative: 0, isIgnored: false };

/** How states are compared. */
export interface DifferOptions {
  readonly rules: Rules;
  readonly match: Match;
  /** Both are of one format: what one of them does not have is a difference. */
  readonly isStrict: boolean;
  readonly span: Span;
  readonly unitOf: Traits["unitOf"];
}

/** What is known of one column of both. */
interface KnownColumn {
  readonly plan: ColumnPlan | string;
  readonly tolerance: Tolerance;
  a: Column | undefined;
  b: Column | undefined;
  rows: Rows | null;
  curve: ErrorCurve | null;
  isOver: boolean;
}

/** What is known of a set of A and the one of B that it is compared with. */
interface KnownSet {
  readonly nameA: string;
  readonly nameB: string;
  readonly matching: Matching;
  readonly columns: Map<string, KnownColumn>;
  a: EntitySet | null;
  b: EntitySet | null;
  rows: Rows | null;
  readonly only: Record<Which, ReadonlySet<string>>;
}

const EMPTY: EntitySet = { ids: [], columns: new Map(), axes: null };

/** Compares two states moment after moment. What was not written to since the last moment is not looked at again. */
export class Differ {
  readonly notes: Set<string> = new Set();
  readonly only: Readonly<Record<Which, OnlyNotes>> = { a: new OnlyNotes(), b: new OnlyNotes() };
  first: Divergence | null = null;
  morePaths = 0;
  readonly #options: DifferOptions;
  readonly #curves = new Map<string, ErrorCurve>();
  /** Curves that are beyond their tolerance now. */
  readonly #over = new Set<ErrorCurve>();
  readonly #sets = new Map<string, KnownSet>();
  /** By name of a value: the curves that are not level. */
  readonly #values = new Map<string, Map<string, ErrorCurve>>();
  readonly #put = new Set<ErrorCurve>();
  /** Values that differ, and are not listed as paths are too many. */
  readonly #unlisted = new Set<string>();
  readonly #errors: ColumnErrors = {
    ...{ rows: 0, differing: 0, squares: 0, peak: 0, peakRow: -1, firstOver: -1, firstError: 0 },
  };
  #before: Time;
  #isBegun = false;

  constructor(options: DifferOptions) {
    this.#options = options;
    this.#before = options.span.start;
  }

  /** Nothing is beyond its tolerance now, as far as values and columns go. */
  get isQuiet(): boolean {
    return this.#over.size === 0;
  }

  /** Nothing is apart now, not even within a tolerance. */
  get isLevel(): boolean {
    return (
      this.#over.size === 0 && this.#values.size === 0 && [...this.#curves.values()].every((curve) => curve.isLevel)
    );
  }

  /** The states at a moment. What they note as touched is forgotten. */
  look(a: MutableState, b: MutableState, time: Time): void {
    this.#put.clear();
    this.#lookAtSets(a, b, time);
    const [touchedA, touchedB] = [a.touch(), b.touch()];
    if (this.#isBegun) {
      for (const name of touchedA.values) this.#value(name, a, b, time);
      for (const name of touchedB.values) if (!touchedA.values.has(name)) this.#value(name, a, b, time);
    } else {
      this.#isBegun = true;
      for (const name of a.values.keys()) this.#value(name, a, b, time);
      for (const name of b.values.keys()) if (a.kept(name) === undefined) this.#value(name, a, b, time);
    }
    touchedA.forget();
    touchedB.forget();
    for (const curve of this.#over) if (!this.#put.has(curve)) curve.hold(time);
    this.#before = time;
  }

  paths(): readonly PathDifference[] {
    const found = [...this.#curves.values()].map((curve) => curve.end());
    const rank = ({ differs, max }: PathDifference): number => (differs ? 0 : 2) + (max.error === null ? 1 : 0);
    return found
      .sort((a, b) => (a.first?.time ?? 0) - (b.first?.time ?? 0) || rank(a) - rank(b))
      .sort((a, b) => Number(b.differs) - Number(a.differs));
  }

  onlyIn(which: Which): readonly OnlyIn[] {
    return this.only[which].end(this.#before);
  }

  #lookAtSets(a: MutableState, b: MutableState, time: Time): void {
    const [setsA, setsB] = [a.freezeSets(ALL), b.freezeSets(ALL)];
    for (const [name, one] of setsA) this.#set(this.#knownSet(name), one, setsB.get(name) ?? EMPTY, time);
    for (const [name, other] of setsB) if (!setsA.has(name)) this.#set(this.#knownSet(name), EMPTY, other, time);
  }

  #knownSet(name: string): KnownSet {
    let known = this.#sets.get(name);
    if (known === undefined) {
      const matching = new Matching(this.#options.match, name, name);
      const only = { a: new Set<string>(), b: new Set<string>() };
      known = { nameA: name, nameB: name, matching, columns: new Map(), a: null, b: null, rows: null, only };
      this.#sets.set(name, known);
    }
    return known;
  }

  #set(known: KnownSet, a: EntitySet, b: EntitySet, time: Time): void {
    if (known.a !== null && known.b !== null && isSameSet(known.a, a) && isSameSet(known.b, b)) return;
    const [isA, isB] = [a.ids.length > 0, b.ids.length > 0];
    known.a = a;
    known.b = b;
    if (!this.#options.isStrict && isA !== isB) {
      this.only[isA ? "a" : "b"].note(known.nameA, "set", time);
      return;
    }
    const rows = known.matching.rows(a, b);
    if (rows !== known.rows) {
      this.#things(known, "a", a, rows.onlyA, time);
      this.#things(known, "b", b, rows.onlyB, time);
      known.rows = rows;
    }
    for (const name of a.columns.keys()) this.#column(known, name, a, b, rows, time);
    for (const name of b.columns.keys()) if (!a.columns.has(name)) this.#column(known, name, a, b, rows, time);
  }

  #things(known: KnownSet, which: Which, { ids }: EntitySet, rows: readonly number[], time: Time): void {
    const before = known.only[which];
    const now = new Set(rows.map((row) => `${known.nameA}/${ids[row]}`));
    for (const path of before) if (!now.has(path)) this.only[which].settle(path, this.#before);
    for (const [i, path] of [...now].entries()) {
      if (!this.only[which].note(path, "thing", time)) continue;
      const thing = { set: known.nameA, id: ids[rows[i]!]! };
      const [a, b] = which === "a" ? [thing.id, null] : [null, thing.id];
      this.#diverge({ time, kind: "thing", path, thing, a, b, error: null, unit: null, tolerance: null });
    }
    known.only[which] = now;
  }

  #column(known: KnownSet, name: string, a: EntitySet, b: EntitySet, rows: Rows, time: Time): void {
    const [one, other] = [a.columns.get(name), b.columns.get(name)];
    const path = `${known.nameA}/*/${name}`;
    if (one === undefined || other === undefined) {
      if (a.ids.length > 0 && b.ids.length > 0)
        this.#onlyColumn(known.nameA, name, one === undefined ? "b" : "a", one === undefined ? b : a, time);
      return;
    }
    this.only.a.settle(path, this.#before);
    this.only.b.settle(path, this.#before);
    const column = this.#knownColumn(known, name, a, b);
    if (column.a === one && column.b === other && column.rows === rows) return;
    column.a = one;
    column.b = other;
    column.rows = rows;
    const { plan, tolerance } = column;
    if (typeof plan === "string") {
      this.notes.add(`${path} was not compared: ${plan}`);
      return;
    }
    if (tolerance.isIgnored && !this.#options.rules.isByThing) return;
    const [cellsA, cellsB] = plan.isPose
      ? [poseCells(name, a, plan.width), poseCells(name, b, plan.width)]
      : [one.data, other.data];
    const errors = this.#errors;
    const byThing = this.#options.rules.isByThing
      ? (row: number): Tolerance => this.#tolerance(known.nameA, a.ids[row]!, name, plan)
      : null;
    compareColumns(plan, cellsA, cellsB, rows, tolerance, byThing, errors);
    if (errors.differing === 0 && column.curve === null) return;
    column.curve ??= this.#curve(path, plan.unit, plan.measure !== "text");
    const { curve } = column;
    if (errors.firstOver >= 0) {
      const id = a.ids[errors.firstOver]!;
      const bound = byThing?.(errors.firstOver) ?? tolerance;
      const isFirst = curve === null ? this.first === null : curve.first === null;
      if (isFirst) {
        const k = rows.pairs === null ? errors.firstOver : rows.pairs[errors.firstOver]!;
        const found = { set: known.nameA, id, column: name, plan, row: errors.firstOver, other: k };
        const divergence = divergenceOf(found, cellsA, cellsB, errors.firstError, bound, time);
        this.#diverge(divergence);
        if (curve !== null) curve.first = divergence;
      }
    }
    if (curve === null) return;
    const peakPath = (): string => `${known.nameA}/${a.ids[errors.peakRow]}/${name}`;
    this.#level(curve, time, errors.squares / Math.max(1, errors.rows), errors.peak, peakPath, errors.firstOver >= 0);
  }

  /** The first thing of which it says something is where the two part. */
  #onlyColumn(set: string, name: string, which: Which, { ids, columns }: EntitySet, time: Time): void {
    const { data, width, unit } = columns.get(name)!;
    const cell = firstKnown(data);
    if (cell < 0 || !this.only[which].note(`${set}/*/${name}`, "column", time)) return;
    if (!this.#options.isStrict) return;
    const row = Math.floor(cell / width);
    const id = ids[row]!;
    const cells = Array.from({ length: width }, (_, k) => data[row * width + k]!);
    const there = width === 1 ? cells[0]! : cells;
    const path = pathText({ set, id, column: name, item: null });
    const [a, b] = which === "a" ? [there, null] : [null, there];
    this.#diverge({ time, kind: "value", path, thing: { set, id }, a, b, error: null, unit, tolerance: null });
  }

  #knownColumn(known: KnownSet, name: string, a: EntitySet, b: EntitySet): KnownColumn {
    const found = known.columns.get(name);
    if (found !== undefined) return found;
    const plan = planOf(name, a, b);
    const tolerance = typeof plan === "string" ? EXACT : this.#tolerance(known.nameA, "*", name, plan);
    const made: KnownColumn = { plan, tolerance, a: undefined, b: undefined, rows: null, curve: null, isOver: false };
    known.columns.set(name, made);
    return made;
  }

  #tolerance(set: string, id: number | string, name: string, { unit, isPose, measure }: ColumnPlan): Tolerance {
    const ruled = this.#options.rules.ruled({ set, id, name, keys: "", unit });
    if (ruled !== null) return ruled;
    if (this.#options.isStrict && !isPose) return EXACT;
    const isTurn = measure === "turn" || measure === "degrees" || measure === "radians";
    if (isTurn) return measure === "radians" ? { ...TURNED, absolute: (TURNED.absolute * Math.PI) / 180 } : TURNED;
    return isPose || measure === "earth" ? NEAR : ROUNDED;
  }

  #value(name: string, a: MutableState, b: MutableState, time: Time): void {
    if (name.startsWith(".")) return;
    const [one, other] = [a.value(name), b.value(name)];
    const isMissing = (one === undefined && other !== null) || (other === undefined && one !== null);
    if (isMissing && one !== other) {
      this.only[one === undefined ? "b" : "a"].note(name, "value", time);
      if (!this.#options.isStrict) return;
    } else {
      this.only.a.settle(name, this.#before);
      this.only.b.settle(name, this.#before);
    }
    const open = this.#values.get(name);
    if (one === other && open === undefined) return;
    const unit = this.#options.unitOf?.(name) ?? null;
    const groups = new Map<
      string,
      { peak: number; path: string; isOver: boolean; isNumber: boolean; first: Divergence | null }
    >();
    for (const { keys, all, a: x, b: y, error } of differencesIn(one, other)) {
      const bound =
        this.#options.rules.ruled({ set: null, id: null, name, keys, unit }) ??
        (this.#options.isStrict ? EXACT : ROUNDED);
      if (bound.isIgnored) continue;
      const isNumber = !Number.isNaN(error);
      const isOver = !isNumber || error > Math.max(bound.absolute, bound.relative * greatest(x, y));
      let group = groups.get(all);
      if (group === undefined) {
        group = { peak: 0, path: "", isOver: false, isNumber, first: null };
        groups.set(all, group);
      }
      const level = isNumber ? error : UNKNOWN;
      if (level > group.peak) {
        group.peak = level;
        group.path = `${name}${keys}`;
      }
      if (isOver && group.first === null) {
        const where = { time, path: `${name}${keys}`, thing: null, unit, tolerance: isNumber ? bound.absolute : null };
        group.first = { ...where, kind: "value", a: x, b: y, error: isNumber ? error : null };
      }
      group.isOver ||= isOver;
    }
    this.#putValue(name, groups, open, unit, time);
  }

  #putValue(
    name: string,
    groups: ReadonlyMap<
      string,
      { peak: number; path: string; isOver: boolean; isNumber: boolean; first: Divergence | null }
    >,
    open: Map<string, ErrorCurve> | undefined,
    unit: string | null,
    time: Time,
  ): void {
    const curves = open ?? new Map<string, ErrorCurve>();
    for (const [all, { peak, path, isOver, isNumber, first }] of groups) {
      const curve = curves.get(all) ?? this.#curve(`${name}${all}`, unit, isNumber);
      if (first !== null && (curve === null || curve.first === null)) {
        this.#diverge(first);
        if (curve !== null) curve.first = first;
      }
      if (curve === null) continue;
      curves.set(all, curve);
      this.#level(curve, time, peak > UNKNOWN ? peak * peak : 0, peak, () => path, isOver);
    }
    for (const [all, curve] of curves) {
      if (groups.has(all)) continue;
      this.#level(curve, time, 0, 0, () => "", false);
      curves.delete(all);
    }
    if (curves.size > 0) this.#values.set(name, curves);
    else this.#values.delete(name);
  }

  #level(curve: ErrorCurve, time: Time, mean: number, peak: number, path: () => string, isOver: boolean): void {
    curve.put(time, mean, peak, path, isOver);
    this.#put.add(curve);
    if (isOver) this.#over.add(curve);
    else this.#over.delete(curve);
  }

  /** Null: there are too many. */
  #curve(path: string, unit: string | null, isNumber: boolean): ErrorCurve | null {
    const known = this.#curves.get(path);
    if (known !== undefined) return known;
    if (this.#curves.size >= MOST_PATHS) {
      if (this.#unlisted.size < MOST_PATHS && !this.#unlisted.has(path)) {
        this.#unlisted.add(path);
        this.morePaths++;
      }
      return null;
    }
    const made = new ErrorCurve(path, unit, isNumber, this.#options.span);
    this.#curves.set(path, made);
    return made;
  }

  /** Of what differs at the first moment, things are named before values; and what comes first in order: B with A has the same. */
  #diverge(divergence: Divergence): void {
    const { first } = this;
    if (first === null || (first.time === divergence.time && isBefore(divergence, first))) this.first = divergence;
  }
}

const ALL = (): boolean => true;

function isBefore(a: Divergence, b: Divergence): boolean {
  const rank = ({ kind, thing }: Divergence): number => (kind === "thing" ? 0 : thing === null ? 2 : 1);
  return rank(a) === rank(b) ? a.path < b.path : rank(a) < rank(b);
}

/** The first cell that says something: NaN, 0 of whole numbers and "" do not. -1: there is none. */
function firstKnown(data: ColumnData): number {
  const isWhole = !(data instanceof Float64Array || data instanceof Float32Array);
  for (let i = 0; i < data.length; i++) {
    const cell = data[i]!;
    if (typeof cell === "string" ? cell !== "" : !Number.isNaN(cell) && !(isWhole && cell === 0)) return i;
  }
  return -1;
}

function greatest(a: Value, b: Value): number {
  return Math.max(Math.abs(Number(a)), Math.abs(Number(b)));
}

interface FoundCell {
  readonly set: string;
  readonly id: number | string;
  readonly column: string;
  readonly plan: ColumnPlan;
  readonly row: number;
  readonly other: number;
}

/** One number where one differs, else all of the cell. */
function divergenceOf(
  { set, id, column, plan, row, other }: FoundCell,
  cellsA: ArrayLike<number | string>,
  cellsB: ArrayLike<number | string>,
  error: number,
  tolerance: Tolerance,
  time: Time,
): Divergence {
  const { width, factor, measure, unit } = plan;
  const a = Array.from({ length: width }, (_, k) => cellsA[row * width + k]!);
  const b = Array.from({ length: width }, (_, k) => {
    const cell = cellsB[other * width + k]!;
    return typeof cell === "number" ? cell * factor : cell;
  });
  const apart = a.flatMap((cell, k) => (Object.is(cell, b[k]) || cell === b[k] ? [] : [k]));
  const one = apart.length === 1 && measure !== "turn" ? apart[0]! : null;
  const item = width === 1 || one === null ? null : one;
  return {
    time,
    kind: "value",
    path: pathText({ set, id, column, item }),
    thing: { set, id },
    a: width === 1 ? a[0]! : one === null ? a : a[one]!,
    b: width === 1 ? b[0]! : one === null ? b : b[one]!,
    error: error > UNKNOWN ? error : null,
    unit,
    tolerance: measure === "text" ? null : tolerance.absolute,
  };
}

/** Whether everything that two states hold is equal to the last bit, the fold's own as well: what follows is equal, too. */
export function areEqualStates(a: MutableState, b: MutableState): boolean {
  if (a.values.size !== b.values.size) return false;
  for (const name of a.values.keys()) {
    if (b.kept(name) === undefined || differencesIn(a.value(name), b.value(name)).length > 0) return false;
  }
  if (a.sets.size !== b.sets.size) return false;
  for (const [name, one] of a.sets) {
    const other = b.sets.get(name);
    if (other === undefined || one.size !== other.size || one.columns.size !== other.columns.size) return false;
    // what is removed next would move rows of another order elsewhere
    if (one.ids !== other.ids && one.ids.some((id, row) => id !== other.ids[row])) return false;
    for (const [key, column] of one.columns) {
      const there = other.columns.get(key);
      if (there === undefined) return false;
      const [x, y] = [column.cellsUsed(), there.cellsUsed()];
      if (x.length !== y.length) return false;
      for (let i = 0; i < x.length; i++) if (!Object.is(x[i], y[i])) return false;
    }
  }
  return true;
}
