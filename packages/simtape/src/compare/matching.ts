import { type Origin, unsetOrigin } from "../model/axes/geodesy.ts";
import { type Place, placesOf } from "../model/poses/place.ts";
import type { EntitySet, State } from "../model/state/state.ts";
import type { Match } from "./report.ts";

type Id = number | string;

/** Which rows of two sets are the same thing. */
export interface Rows {
  /** By row of A the row of B; -1: B does not have it. Null: the rows of both are the same. */
  readonly pairs: Int32Array | null;
  /** Rows that the other does not have. */
  readonly onlyA: readonly number[];
  readonly onlyB: readonly number[];
}

const EQUAL: Rows = { pairs: null, onlyA: [], onlyB: [] };
/** Pairs of things whose distance is looked at, at a moment. */
const MOST_PAIRS = 1_000_000;

/** Finds the things of one set of A among those of a set of B, moment after moment. */
export class Matching {
  readonly #match: Match;
  readonly #nameA: string;
  readonly #nameB: string;
  #idsA: readonly Id[] | null = null;
  #idsB: readonly Id[] | null = null;
  #labelsA: unknown = null;
  #labelsB: unknown = null;
  #rows: Rows = EQUAL;
  /** Of `nearest`: by id of A the id of B, as long as both are there. */
  readonly #near = new Map<Id, Id>();

  constructor(match: Match, nameA: string, nameB: string) {
    this.#match = match;
    this.#nameA = nameA;
    this.#nameB = nameB;
  }

  /** The same object as long as nothing has come or gone. */
  rows(a: EntitySet, b: EntitySet): Rows {
    const labelsA = this.#match === "name" ? a.columns.get("label")?.data : null;
    const labelsB = this.#match === "name" ? b.columns.get("label")?.data : null;
    const isKnown = a.ids === this.#idsA && b.ids === this.#idsB;
    if (isKnown && labelsA === this.#labelsA && labelsB === this.#labelsB) return this.#rows;
    this.#idsA = a.ids;
    this.#idsB = b.ids;
    this.#labelsA = labelsA;
    this.#labelsB = labelsB;
    this.#rows = this.#find(a, b);
    return this.#rows;
  }

  #find(a: EntitySet, b: EntitySet): Rows {
    if (this.#match === "nearest") return this.#byPlace(a, b);
    const keysA = this.#match === "name" ? namesOf(a) : a.ids;
    const keysB = this.#match === "name" ? namesOf(b) : b.ids;
    if (keysA.length === keysB.length && keysA.every((key, row) => key === keysB[row])) return EQUAL;
    const rowsB = new Map(keysB.map((key, row) => [key, row]));
    return rowsOf(
      keysA.map((key) => rowsB.get(key) ?? -1),
      b.ids.length,
    );
  }

  #byPlace(a: EntitySet, b: EntitySet): Rows {
    const rowsA = new Map(a.ids.map((id, row) => [id, row]));
    const rowsB = new Map(b.ids.map((id, row) => [id, row]));
    for (const [one, other] of this.#near) if (!rowsA.has(one) || !rowsB.has(other)) this.#near.delete(one);
    const taken = new Set(this.#near.values());
    const origin: Origin = unsetOrigin();
    const place = (name: string, set: EntitySet): readonly Place[] =>
      placesOf({ time: 0, values: NO_VALUES, sets: new Map([[name, set]]) }, origin);
    const free = place(this.#nameA, a).filter(({ id }) => !this.#near.has(id));
    const there = place(this.#nameB, b).filter(({ id }) => !taken.has(id));
    for (const [one, other] of nearestPairs(free, there)) this.#near.set(one, other);
    return rowsOf(
      a.ids.map((id) => {
        const other = this.#near.get(id);
        return other === undefined ? -1 : rowsB.get(other)!;
      }),
      b.ids.length,
    );
  }
}

const NO_VALUES: State["values"] = new Map();

/** Labels; of those without one the ids, and of those with the same one which of them it is. */
function namesOf({ ids, columns }: EntitySet): readonly string[] {
  const labels = columns.get("label")?.data;
  const seen = new Map<string, number>();
  return ids.map((id, row) => {
    const label = labels?.[row];
    if (typeof label !== "string" || label === "") return `#${id}`;
    const count = seen.get(label) ?? 0;
    seen.set(label, count + 1);
    return `${label}\0${count}`;
  });
}

/** The nearest pair first, then the nearest of the rest, and so on. */
function nearestPairs(a: readonly Place[], b: readonly Place[]): readonly (readonly [Id, Id])[] {
  if (a.length === 0 || b.length === 0 || a.length * b.length > MOST_PAIRS) return [];
  const far = new Float64Array(a.length * b.length);
  for (const [i, one] of a.entries())
    for (const [k, other] of b.entries())
      far[i * b.length + k] = Math.hypot(one.x - other.x, one.y - other.y, one.z - other.z);
  const order = Uint32Array.from(far.keys()).sort((one, other) => far[one]! - far[other]! || one - other);
  const [goneA, goneB] = [new Set<number>(), new Set<number>()];
  const pairs: (readonly [Id, Id])[] = [];
  for (const at of order) {
    const [i, k] = [Math.floor(at / b.length), at % b.length];
    if (goneA.has(i) || goneB.has(k)) continue;
    goneA.add(i);
    goneB.add(k);
    pairs.push([a[i]!.id, b[k]!.id]);
    if (pairs.length === Math.min(a.length, b.length)) break;
  }
  return pairs;
}

function rowsOf(pairs: readonly number[], countB: number): Rows {
  const found = new Uint8Array(countB);
  const onlyA: number[] = [];
  for (const [row, other] of pairs.entries()) {
    if (other < 0) onlyA.push(row);
    else found[other] = 1;
  }
  const onlyB: number[] = [];
  for (let row = 0; row < countB; row++) if (found[row] === 0) onlyB.push(row);
  return { pairs: Int32Array.from(pairs), onlyA, onlyB };
}
