import { findPath, isLeaf, nearest, type SeriesPath } from "../model/query/path.ts";
import { pathsIn, type SeriesKind } from "../model/query/listing.ts";
import { completeAxes } from "../model/standard-axes.ts";
import type { NameFacts } from "../model/query/name-facts.ts";
import type { Recording } from "../model/recording.ts";
import type { State } from "../model/state.ts";
import type { Column } from "../model/column.ts";
import type { Time } from "../model/time.ts";
import { AskError } from "./error.ts";
import { ONE, type Unit, unitRecorded } from "./units.ts";

/** What is known of a column of a set. */
export interface ColumnFacts {
  readonly width: number;
  /** Of each number of a cell. */
  readonly units: readonly Unit[];
  readonly kind: SeriesKind;
  /** Whether, at a moment that was looked at, the number is known of some things and not of all, or of none. */
  readonly isPartial?: boolean;
}

/** What is known of a set. */
export interface SetFacts {
  readonly columns: Map<string, ColumnFacts>;
  /** By their texts; those that were met so far. */
  readonly ids: Map<string, number | string>;
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
  /** Texts of all paths of values that are known, and what they are. */
  values(): Iterable<readonly [text: string, facts: ValueFacts]>;
  /** Some names that begin as `text` does, for an error. */
  near(text: string): string;
}

/**
 * What a side-car keeps of the names. The things of sets are not known, nor how long a tick is: names of them are not there,
 * and patterns, which stand for paths of a moment, are refused with an `AskError`.
 */
export class KeptVocabulary implements Vocabulary {
  readonly sets: ReadonlyMap<string, SetFacts>;
  readonly #values: ReadonlyMap<string, ValueFacts>;

  constructor({ values, columns }: NameFacts) {
    const sets = new Map<string, SetFacts>();
    for (const { set, column, kind, units } of columns) {
      const facts = sets.get(set) ?? {
        columns: new Map<string, ColumnFacts>(),
        ids: new Map<string, number | string>(),
      };
      sets.set(set, facts);
      if (units.some((unit) => unit !== null && TICK.test(unit))) continue;
      facts.columns.set(column, { width: units.length, units: units.map(unitNamed), kind });
    }
    this.sets = sets;
    this.#values = new Map(values.map(({ path, text, unit, kind }) => [text, { path, unit: unitNamed(unit), kind }]));
  }

  value(text: string): ValueFacts | null {
    return this.#values.get(text) ?? null;
  }

  values(): never {
    throw new AskError("path", "the paths of a moment are not known", { offset: 0, length: 0 });
  }

  near(): string {
    return "others are not known";
  }
}

/** A unit that depends on how long a tick of the recording is. */
const TICK = /\bticks?\b/;

function unitNamed(unit: string | null): Unit {
  return unit === null ? ONE : unitRecorded(unit);
}

/**
 * What expressions can name in a recording. It begins with what is there at the start of the range, and looks further only
 * when something is missing: at the end, then at all that is between.
 */
export class Catalog implements Vocabulary {
  readonly sets: Map<string, SetFacts> = new Map();
  readonly #recording: Recording;
  readonly #range: { readonly start: Time; readonly end: Time };
  readonly #signal: AbortSignal | undefined;
  readonly #unitOf: (value: string) => string | null;
  readonly #states: State[] = [];
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
    catalog.#take(await recording.state(range.start, { signal }));
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
      this.#take(await this.#recording.state(this.#range.end, { signal: this.#signal }));
      return true;
    }
    if (this.#level > 2) return false;
    const { start, end } = await this.#recording.timeline();
    const isWhole = this.#range.start <= start && this.#range.end > end;
    const paths = await this.#recording.paths(
      isWhole ? { signal: this.#signal } : { ...this.#range, signal: this.#signal },
    );
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
        const units = [...(known?.units ?? []), unitNamed(unit)];
        set.columns.set(path.column, { width: item + 1, units, kind });
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
    for (const state of this.#states) {
      const telling = { unitOf: this.#unitOf };
      for (const { path, text, unit, kind } of pathsIn({ ...state, sets: new Map() }, telling)) {
        if (met.has(text)) continue;
        met.add(text);
        yield [text, { path, unit: unitNamed(unit), kind }];
      }
    }
  }

  /** The things of a set that fit: all of them, or those with an id that is, or fits, one of `picks`. */
  idsOf(name: string): Iterable<number | string> {
    return this.sets.get(name)?.ids.values() ?? [];
  }

  /** Some names that begin as `text` does. */
  near(text: string): string {
    const names = new Set<string>(this.sets.keys());
    for (const [name] of this.values()) names.add(name);
    const found = nearest(text, names);
    return found.length === 0 ? "there are no paths" : `there are: ${found.join(", ")}`;
  }

  #take(state: State): void {
    this.#states.push(state);
    for (const [name, { ids, columns, axes }] of state.sets) {
      const set = this.#set(name);
      for (const id of ids) set.ids.set(String(id), id);
      for (const [column, cells] of columns) {
        if (!set.columns.has(column)) set.columns.set(column, factsOf(cells, completeAxes(axes).tickRate ?? null));
      }
    }
  }

  #set(name: string): SetFacts {
    const known = this.sets.get(name);
    if (known !== undefined) return known;
    const made: SetFacts = { columns: new Map(), ids: new Map() };
    this.sets.set(name, made);
    return made;
  }
}

function factsOf({ data, width, unit }: Column, tickRate: number | null): ColumnFacts {
  const names = unit?.split(" ") ?? [];
  const units = Array.from({ length: width }, (_, item) => {
    const name = names.length === width ? names[item]! : unit;
    return name === null ? ONE : unitRecorded(name, tickRate);
  });
  const kind = Array.isArray(data)
    ? "text"
    : data instanceof Float64Array || data instanceof Float32Array
      ? "number"
      : "integer";
  return {
    width,
    units,
    kind,
    isPartial: data.length === 0 || (kind === "number" && (data as Float64Array).some(Number.isNaN)),
  };
}
