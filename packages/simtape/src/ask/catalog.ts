import { findPath, isLeaf, nearest, type SeriesPath, unitOfItem } from "../model/state/path.ts";
import { kindOfData, type PathInfo, pathsIn, type SeriesKind, textsOf } from "../model/query/listing.ts";
import { completeAxes } from "../model/axes/standard-axes.ts";
import type { Recording } from "../model/recording.ts";
import type { State } from "../model/state/state.ts";
import type { Column } from "../model/state/column.ts";
import type { Time } from "../model/values/time.ts";
import { ONE, type Unit, unitRecorded } from "./units.ts";
import { fits } from "./wildcard.ts";

/** What is known of a column of a set. */
export interface ColumnFacts {
  readonly width: number;
  /** Of each number of a cell. */
  readonly units: readonly Unit[];
  readonly kind: SeriesKind;
  /** Whether its numbers are known of every thing at every moment of the recording; false: that is not known. */
  readonly isComplete: boolean;
}

/** What is known of a set. */
export interface SetFacts {
  readonly columns: ReadonlyMap<string, ColumnFacts>;
}

/** What was met of a set. */
interface MetSet extends SetFacts {
  readonly columns: Map<string, ColumnFacts>;
  /** By their texts. */
  readonly ids: Map<string, number | string>;
  /** Ticks a second; null: not known. */
  tickRate: number | null;
}

/** A number, boolean or text in a value. */
export interface ValueFacts {
  readonly path: SeriesPath;
  readonly unit: Unit;
  readonly kind: SeriesKind;
}

/** What names of an expression are looked up in. */
export interface Vocabulary {
  readonly sets: ReadonlyMap<string, SetFacts>;
  /** The number, boolean or text at a path of the values. */
  value(text: string): ValueFacts | null;
  /** The numbers, booleans and texts in values whose paths fit a pattern. */
  fitting(pattern: string): readonly ValueFacts[];
  /** The id of the thing of a set that has this text; null: there is none. */
  thing(set: string, text: string): number | string | null;
  /** Ids of things of a set, for an error. */
  idsOf(set: string): Iterable<number | string>;
  /** Some names that begin as `text` does, for an error. */
  near(text: string): string;
}

/**
 * What expressions can name in a recording. It begins with what is there at the start of the range, and looks further only
 * when something is missing: at the end, then at all that is between.
 */
export class Catalog implements Vocabulary {
  readonly sets: Map<string, MetSet> = new Map();
  readonly #recording: Recording;
  readonly #range: { readonly start: Time; readonly end: Time };
  readonly #signal: AbortSignal | undefined;
  readonly #unitOf: (value: string) => string | null;
  readonly #states: State[] = [];
  /** Columns of which the side-car knows that they are complete, by set and name; null: it was not looked at. */
  #complete: ReadonlySet<string> | null = null;
  /** All paths of the range; null: they have not been listed. */
  #listed: Map<string, ValueFacts> | null = null;
  #level = 0;

  private constructor(
    recording: Recording,
    range: { readonly start: Time; readonly end: Time },
    unitOf: (value: string) => string | null,
    signal: AbortSignal | undefined,
  ) {
    this.#recording = recording;
    this.#range = range;
    this.#unitOf = unitOf;
    this.#signal = signal;
  }

  static async of(
    recording: Recording,
    range: { readonly start: Time; readonly end: Time },
    signal?: AbortSignal,
  ): Promise<Catalog> {
    const { unitOf } = await recording.traits();
    const catalog = new Catalog(recording, range, (value) => unitOf?.(value) ?? null, signal);
    await catalog.#take(await recording.state(range.start, { signal }));
    return catalog;
  }

  /** The state at the start of the range. */
  get first(): State {
    return this.#states[0]!;
  }

  /** Looks at more of the recording; false: there is no more. */
  async more(): Promise<boolean> {
    this.#level++;
    if (this.#level === 1) {
      await this.#take(await this.#recording.state(this.#range.end, { signal: this.#signal }));
      return true;
    }
    if (this.#level > 2) return false;
    const { start, end } = await this.#recording.timeline();
    const isWhole = this.#range.start <= start && this.#range.end > end;
    const paths = await this.#recording.paths(
      isWhole ? { signal: this.#signal } : { ...this.#range, signal: this.#signal },
    );
    await this.#lookUpComplete();
    this.#listed = new Map();
    for (const { path, text, unit, kind } of paths) {
      if ("value" in path) this.#listed.set(text, { path, unit: unitNamed(unit), kind });
      else {
        const set = this.#set(path.set);
        set.ids.set(String(path.id), path.id);
        if (typeof path.item === "string") continue;
        const known = set.columns.get(path.column);
        const item = path.item ?? 0;
        if (known !== undefined && known.width > item) continue;
        const units = [...(known?.units ?? []), unitNamed(unit, set.tickRate)];
        const isComplete = this.#isComplete(path.set, path.column);
        set.columns.set(path.column, { width: item + 1, units, kind, isComplete });
      }
    }
    return true;
  }

  /** All things of the sets at any time of the range. */
  async things(): Promise<void> {
    const { start, end } = await this.#recording.timeline();
    const isWhole = this.#range.start <= start && this.#range.end > end;
    const found = await this.#recording.things(
      isWhole ? { signal: this.#signal } : { ...this.#range, signal: this.#signal },
    );
    for (const [name, ids] of found) for (const id of ids) this.#set(name).ids.set(String(id), id);
  }

  /** The number, boolean or text at a path of the values. */
  value(text: string): ValueFacts | null {
    const listed = this.#listed?.get(text);
    if (listed !== undefined) return listed;
    for (const state of this.#states) {
      const path = findPath(text, state);
      if (path === null || !("value" in path)) continue;
      let part: unknown = state.values.get(path.value);
      for (const key of path.keys) part = (part as Readonly<Record<string | number, unknown>>)[key];
      if (!isLeaf(part as never)) continue;
      const kind =
        typeof part === "string"
          ? "text"
          : typeof part === "boolean"
            ? "boolean"
            : typeof part === "bigint"
              ? "integer"
              : "number";
      return { path, unit: unitNamed(this.#unitOf(path.value)), kind };
    }
    return null;
  }

  /** Texts of all paths of values that were met, and what they are. */
  *values(): Generator<readonly [text: string, facts: ValueFacts]> {
    const met = new Set<string>();
    for (const [text, facts] of this.#listed ?? []) {
      met.add(text);
      yield [text, facts];
    }
    for (const { path, text, unit, kind } of this.#atEnds()) {
      if (met.has(text)) continue;
      met.add(text);
      yield [text, { path, unit: unitNamed(unit), kind }];
    }
  }

  fitting(pattern: string): readonly ValueFacts[] {
    return [...this.values()].flatMap(([text, facts]) => (fits(text, pattern) ? [facts] : []));
  }

  thing(set: string, text: string): number | string | null {
    return this.sets.get(set)?.ids.get(text) ?? null;
  }

  /** Ids of all things of a set that were met. */
  idsOf(name: string): Iterable<number | string> {
    return this.sets.get(name)?.ids.values() ?? [];
  }

  /** Some names that begin as `text` does. */
  near(text: string): string {
    return nearTo(text, this.sets.keys(), textsOf(this.#atEnds()));
  }

  async #take(state: State): Promise<void> {
    this.#states.push(state);
    // of others it does not matter: see `thingSpeed`
    const isAsked = [...state.sets.values()].some(({ columns }) => columns.has("velocity") && columns.has("position"));
    if (isAsked) await this.#lookUpComplete();
    for (const [name, { ids, columns, axes }] of state.sets) {
      const set = this.#set(name);
      set.tickRate = completeAxes(axes).tickRate ?? null;
      for (const id of ids) set.ids.set(String(id), id);
      for (const [column, cells] of columns) {
        if (set.columns.has(column)) continue;
        set.columns.set(column, factsOf(cells, set.tickRate, this.#isComplete(name, column)));
      }
    }
  }

  /** The numbers, booleans and texts in values of the states that were looked at. */
  *#atEnds(): Generator<PathInfo> {
    for (const state of this.#states) yield* pathsIn({ ...state, sets: new Map() }, { unitOf: this.#unitOf });
  }

  async #lookUpComplete(): Promise<void> {
    if (this.#complete !== null) return;
    const outline = await this.#recording.sideCar?.outline(this.#signal);
    const all = outline?.columns.filter(({ isComplete }) => isComplete) ?? [];
    this.#complete = new Set(all.map(({ set, column }) => `${set}/${column}`));
  }

  #isComplete(set: string, column: string): boolean {
    return this.#complete?.has(`${set}/${column}`) === true;
  }

  #set(name: string): MetSet {
    const known = this.sets.get(name);
    if (known !== undefined) return known;
    const made: MetSet = { columns: new Map(), ids: new Map(), tickRate: null };
    this.sets.set(name, made);
    return made;
  }
}

/** Some names that begin as `text` does, for an error. In whatever order they are met, it says the same. */
export function nearTo(text: string, sets: Iterable<string>, paths: Iterable<string>): string {
  const found = nearest(text, new Set([...[...sets].sort(), ...[...paths].sort()]));
  return found.length === 0 ? "there are no paths" : `there are: ${found.join(", ")}`;
}

/** `tickRate`: ticks a second; null: not known. */
export function unitNamed(unit: string | null, tickRate: number | null = null): Unit {
  return unit === null ? ONE : unitRecorded(unit, tickRate);
}

function factsOf({ data, width, unit }: Column, tickRate: number | null, isComplete: boolean): ColumnFacts {
  const units = Array.from({ length: width }, (_, item) => unitNamed(unitOfItem(unit, width, item), tickRate));
  return { width, units, kind: kindOfData({ data }), isComplete };
}
