import type { Column } from "../../model/state/column.ts";
import { type PathInfo, pathsIn, textsOf } from "../../model/query/listing.ts";
import { nearest, type SeriesPath } from "../../model/state/path.ts";
import { readPath } from "../../model/query/probe.ts";
import type { EntitySet, State } from "../../model/state/state.ts";
import type { Value } from "../../model/values/value.ts";
import { UsageError } from "../run/failure.ts";
import { known, matching } from "./glob.ts";
import { clock } from "./time.ts";

/**
 * What the globs name of a state: values and sets; else things, columns and single numbers, which are called as in a
 * table: `vehicles/24`, `vehicles/24/position`, `vehicles/24/position.x`. Throws `UsageError` for a glob that names nothing.
 */
export function partOf(state: State, globs: readonly string[]): State {
  const names = [...state.sets.keys(), ...state.values.keys()];
  const isNamed = matching(globs);
  const values = new Map([...state.values].filter(([path]) => isNamed(path)));
  const sets = new Map([...state.sets].filter(([name]) => isNamed(name)));
  const inner = globs.filter((glob) => !names.some(matching([glob])));
  if (inner.length > 0) addInner(state, inner, values, sets);
  return { time: state.time, values, sets };
}

/** Adds what is inside of values and sets. */
function addInner(
  state: State,
  globs: readonly string[],
  values: Map<string, Value>,
  sets: Map<string, EntitySet>,
): void {
  const isNamed = matching(globs);
  const unmet = new Map(globs.map((glob) => [glob, matching([glob])]));
  const parts = new Map<string, Part>();
  for (const info of pathsIn(state)) {
    const { path, text } = info;
    const called = namesOf(path, text).filter(isNamed);
    if (called.length === 0) continue;
    for (const [glob, isMatch] of unmet) if (called.some(isMatch)) unmet.delete(glob);
    const value = readPath(state, path)!;
    if ("value" in path) values.set(text, value);
    else {
      const part = parts.get(path.set) ?? new Part();
      parts.set(path.set, part);
      part.put(path.id, text.slice(`${path.set}/${path.id}/`.length), info, value as number | string);
    }
  }
  for (const [glob] of unmet) throw new UsageError(refusal(glob, state));
  for (const [name, part] of parts) sets.set(name, sets.get(name) ?? part.built(state.sets.get(name)!));
}

/** What a number can be called by: itself, its column, its thing. What is computed of several is no part of a state. */
function namesOf(path: SeriesPath, text: string): readonly string[] {
  if ("value" in path) return [text];
  if (typeof path.item === "string") return [];
  const thing = `${path.set}/${path.id}`;
  return [text, `${thing}/${path.column}`, thing];
}

function refusal(glob: string, state: State): string {
  const wrong = `no value or set at ${clock(state.time)} matches ${glob}`;
  if ([...state.sets.keys()].some((set) => glob.startsWith(`${set}/`)))
    return `${wrong}; the nearest: ${nearest(glob, textsOf(pathsIn(state))).join(", ")}`;
  return `${wrong}; ${known(glob, [...state.sets.keys(), ...state.values.keys()])}`;
}

/** Some things of a set, and some of their numbers and texts, each in a column of its own. */
class Part {
  readonly #rows = new Map<number | string, Map<string, number | string>>();
  readonly #columns = new Map<string, PathInfo>();

  put(id: number | string, column: string, info: PathInfo, value: number | string): void {
    this.#columns.set(column, info);
    const row = this.#rows.get(id) ?? new Map<string, number | string>();
    this.#rows.set(id, row);
    row.set(column, value);
  }

  built({ axes }: EntitySet): EntitySet {
    const columns = new Map<string, Column>();
    for (const [name, { kind, unit, interpolation }] of this.#columns) {
      const cells = [...this.#rows.values()].map((row) => row.get(name));
      const data =
        kind === "text"
          ? cells.map((cell) => (cell ?? "") as string)
          : Float64Array.from(cells, (cell) => (cell ?? Number.NaN) as number);
      columns.set(name, { data, width: 1, unit, interpolation });
    }
    return { ids: [...this.#rows.keys()], columns, axes };
  }
}
