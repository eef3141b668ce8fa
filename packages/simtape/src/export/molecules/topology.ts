import type { Column } from "../../model/state/column.ts";
import type { EntitySet } from "../../model/state/state.ts";
import type { Value } from "../../model/values/value.ts";

/** A residue: a part of a chain, as a PDB names it. */
export interface Residue {
  /** Empty: not recorded. */
  readonly name: string;
  /** Number in the sequence as text, with an insertion code behind it where it has one: "52A". Empty: not recorded. */
  readonly id: string;
  /** Index of its chain; -1: not recorded. */
  readonly chain: number;
}

/** What particles are, and how they are bound: all of a frame but where they are. */
export interface Topology {
  readonly count: number;
  /** One for each particle, without spaces around; empty: not recorded. */
  readonly names: readonly string[];
  /** Atomic number of each; 0: not known. */
  readonly elements: Uint32Array;
  /** Index of the residue of each; -1: not recorded. */
  readonly residueOf: Int32Array;
  readonly residues: readonly Residue[];
  /** Names of chains; empty where none is recorded. */
  readonly chains: readonly string[];
  /** Two particles for each bond, the smaller index first; ascending, each bond once. */
  readonly bonds: Uint32Array;
  /** B factor of each, Å²; absent: none is known, as in every recording. */
  readonly factors?: ArrayLike<number>;
}

/** Values of a state that say what particles are (docs/state.md), of which another one may be another topology. */
const VALUES = ["residue.names", "residue.ids", "residue.chains", "chain.names", "bond.pairs"] as const;
const COLUMNS = ["label", "element", "residue"] as const;

/** What a topology is made from; the same objects give the same topology. */
type Parts = readonly unknown[];

/** Where values of a state are found. */
export interface Values {
  value(path: string): Value | undefined;
}

/** Follows the topology of a set from state to state: the same object is given until something of it changes. */
export class TopologyReader {
  #parts: Parts = [];
  #rows: Uint32Array = new Uint32Array(0);
  #current: Topology | null = null;

  /** Of these rows of the set. Indices of residues, chains or particles that there are not are as if not recorded. */
  read(state: Values, set: EntitySet, rows: Uint32Array): Topology {
    const isOfAtoms = set.columns.has("element") || set.columns.has("residue");
    const values = VALUES.map((path) => (isOfAtoms ? state.value(path) : undefined));
    const parts = [...COLUMNS.map((name) => set.columns.get(name)?.data), ...values];
    if (this.#current !== null && isEqual(rows, this.#rows) && parts.every((part, k) => part === this.#parts[k]))
      return this.#current;
    const made = topologyOf(set, rows, values);
    if (this.#current === null || !areSame(this.#current, made)) this.#current = made;
    this.#parts = parts;
    this.#rows = rows;
    return this.#current;
  }
}

function topologyOf(set: EntitySet, rows: Uint32Array, values: readonly (Value | undefined)[]): Topology {
  const [names, ids, chainOf, chainNames, pairs] = values.map(listOf);
  const residues = Array.from({ length: Math.max(names!.length, ids!.length, chainOf!.length) }, (_, k) => ({
    name: textOf(names![k]),
    id: textOf(ids![k]),
    chain: indexOf(chainOf![k], chainNames!.length),
  }));
  const label = textsOf(set.columns.get("label"));
  const element = numbersOf(set.columns.get("element"));
  const residue = numbersOf(set.columns.get("residue"));
  return {
    count: rows.length,
    names: Array.from(rows, (row) => textOf(label?.[row])),
    elements: Uint32Array.from(rows, (row) => element?.[row] ?? 0),
    residueOf: Int32Array.from(rows, (row) => indexOf(residue?.[row], residues.length)),
    residues,
    chains: Array.from(chainNames!, textOf),
    bonds: bondsOf(pairs!, rows, set.ids.length),
  };
}

/** Pairs among `rows` as indices into them, each once. Pairs of what there is not are left out. */
function bondsOf(pairs: ArrayLike<unknown>, rows: Uint32Array, count: number): Uint32Array {
  if (rows.length === 0) return new Uint32Array(0);
  const placeOf = new Int32Array(count).fill(-1);
  for (let k = 0; k < rows.length; k++) placeOf[rows[k]!] = k;
  // a pair as one number, so that a typed array sorts and compares them
  const keys = new Float64Array(pairs.length >>> 1);
  let found = 0;
  for (let k = 0; k + 1 < pairs.length; k += 2) {
    const a = placeOf[Number(pairs[k])] ?? -1;
    const b = placeOf[Number(pairs[k + 1])] ?? -1;
    if (a >= 0 && b >= 0 && a !== b) keys[found++] = Math.min(a, b) * rows.length + Math.max(a, b);
  }
  const sorted = keys.subarray(0, found).sort();
  const bonds: number[] = [];
  for (let k = 0; k < found; k++) {
    if (k > 0 && sorted[k] === sorted[k - 1]) continue;
    bonds.push(Math.floor(sorted[k]! / rows.length), sorted[k]! % rows.length);
  }
  return Uint32Array.from(bonds);
}

function areSame(a: Topology, b: Topology): boolean {
  return (
    a.count === b.count &&
    isEqual(a.names, b.names) &&
    isEqual(a.elements, b.elements) &&
    isEqual(a.residueOf, b.residueOf) &&
    isEqual(a.chains, b.chains) &&
    isEqual(a.bonds, b.bonds) &&
    a.residues.length === b.residues.length &&
    a.residues.every(({ name, id, chain }, k) => {
      const other = b.residues[k]!;
      return name === other.name && id === other.id && chain === other.chain;
    })
  );
}

function isEqual(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}

function listOf(value: Value | undefined): ArrayLike<unknown> {
  if (Array.isArray(value)) return value as readonly unknown[];
  return ArrayBuffer.isView(value) && "length" in value ? (value as unknown as ArrayLike<unknown>) : [];
}

/** Without spaces around: some programs pad names to the columns of a PDB. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return typeof value === "number" && Number.isFinite(value) ? String(value) : "";
}

function indexOf(value: unknown, count: number): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < count ? value : -1;
}

function textsOf(column: Column | undefined): readonly string[] | null {
  return column !== undefined && Array.isArray(column.data) ? (column.data as readonly string[]) : null;
}

function numbersOf(column: Column | undefined): ArrayLike<number> | null {
  return column === undefined || column.width !== 1 || Array.isArray(column.data)
    ? null
    : (column.data as ArrayLike<number>);
}
