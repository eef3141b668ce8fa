import { type Column, MutableColumn } from "../../model/state/column.ts";
import type { MutableState, State } from "../../model/state/state.ts";
import type { Value } from "../../model/values/value.ts";

/**
 * A running hash of numbers, texts and bytes in order: two 32-bit lanes of the MurmurHash3 kind. Guards against
 * mistakes, not against forgery.
 */
export class Hash64 {
  #a = 0x2f6b_4c1d;
  #b = 0x51a3_97e8;

  u32(value: number): this {
    const word = value | 0;
    let k = Math.imul(word, 0xcc9e_2d51);
    k = Math.imul((k << 15) | (k >>> 17), 0x1b87_3593);
    const a = this.#a ^ k;
    this.#a = (Math.imul((a << 13) | (a >>> 19), 5) + 0xe654_6b64) | 0;
    let j = Math.imul(word, 0x239b_961b);
    j = Math.imul((j << 17) | (j >>> 15), 0xab0e_9789);
    const b = this.#b ^ j;
    this.#b = (Math.imul((b << 15) | (b >>> 17), 5) + 0x561c_cd1b) | 0;
    return this;
  }

  /** Any double: every NaN is the same, -0 is 0. */
  number(value: number): this {
    if ((value | 0) === value) return this.u32(1).u32(value);
    DOUBLE.setFloat64(0, Number.isNaN(value) ? Number.NaN : value);
    return this.u32(2).u32(DOUBLE.getInt32(0)).u32(DOUBLE.getInt32(4));
  }

  text(text: string): this {
    this.u32(3).u32(text.length);
    for (let i = 0; i < text.length; i += 2) this.u32(text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16));
    return this;
  }

  bytes(bytes: Uint8Array, start = 0, end: number = bytes.length): this {
    this.u32(4).u32(end - start);
    let at = start;
    for (; at + 4 <= end; at += 4)
      this.u32(bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    let rest = 0;
    for (let shift = 0; at < end; shift += 8) rest |= bytes[at++]! << shift;
    return this.u32(rest);
  }

  /** Halves of the hash so far, high one first; it may go on. */
  get high(): number {
    return finished(this.#a ^ this.#b);
  }

  get low(): number {
    return finished((this.#b + Math.imul(this.#a, 0x9e37_79b1)) | 0);
  }
}

const DOUBLE = new DataView(new ArrayBuffer(8));

function finished(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A sum of hashes modulo 2^64, half by half: the order of what is in it does not matter. */
class HashSum {
  #high = 0;
  #low = 0;

  add(hash: Hash64): void {
    this.#high = (this.#high + hash.high) >>> 0;
    this.#low = (this.#low + hash.low) >>> 0;
  }

  get text(): string {
    return hashText(this.#high, this.#low);
  }
}

/** 16 hexadecimal digits. */
export function hashText(high: number, low: number): string {
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}

/**
 * The canonical hash of a state, 16 hexadecimal digits: equal for equal states, however they were come by. It is the
 * sum of the hashes of every value (path, value) and every cell (set, id, column, numbers or text), so neither the
 * order of paths nor that of rows counts. All NaN are equal, -0 is 0, an empty set is no set; time, units, axes and
 * the fold's own names (those that begin with a dot) do not count.
 */
export function stateHash(state: State | MutableState): string {
  const sum = new HashSum();
  for (const [path, value] of state.values) if (!path.startsWith(".")) sum.add(hashOfValue(path, value));
  for (const [name, set] of state.sets) {
    if (name.startsWith(".")) continue;
    for (const [column, cells] of set.columns) {
      if (!column.startsWith(".")) addColumn(sum, name, set.ids, column, cells);
    }
  }
  return sum.text;
}

/**
 * The hash of what snapshots of HCRP tell, by which one is known to be superfluous: entities on the grid, their looks,
 * items and metadata, blocks, interface, hosts. Not in it is what no section holds (HCRP spec §6.2), so that it is
 * unknown behind a snapshot until it is said again, and the time of day, which runs by itself.
 */
export function sceneHash(state: MutableState): string {
  const sum = new HashSum();
  for (const [path, value] of state.values) if (isScenePath(path)) sum.add(hashOfValue(path, value));
  for (const [name, set] of state.sets) {
    const isActors = ACTORS.has(name);
    for (const [column, cells] of set.columns) {
      if (isActors ? LOOKS.has(column) : !column.startsWith(".")) addColumn(sum, name, set.ids, column, cells);
    }
    if (!isActors) continue;
    const grid = set.columns.get(".q");
    const angles = set.columns.get(".a");
    if (grid === undefined || angles === undefined) continue;
    for (let row = 0; row < set.size; row++) {
      const hash = new Hash64().text(name);
      addId(hash, set.ids[row]!);
      for (let k = 0; k < 3; k++) hash.number(grid.number(row, k));
      sum.add(hash.number(angles.number(row, 0)).number(angles.number(row, 1)));
    }
  }
  return sum.text;
}

const ACTORS: ReadonlySet<string> = new Set(["players", "entities", ".mirror"]);
/** Columns of actors that a snapshot tells. */
const LOOKS: ReadonlySet<string> = new Set([
  "kind",
  "label",
  "uuid",
  "pose",
  "flags",
  "on-ground",
  "held-slot",
  "item-use",
]);
const EFFECTS = /^(?:players|entities|\.mirror)\/\d+\/effects\//;

function isScenePath(path: string): boolean {
  switch (path) {
    case "chat":
    case "mark":
    case "world/time":
    case "world/weather":
      return false;
    default:
      return !EFFECTS.test(path) && (path.startsWith(".mirror/") || !path.startsWith("."));
  }
}

function addColumn(
  sum: HashSum,
  set: string,
  ids: readonly (number | string)[],
  name: string,
  column: Column | MutableColumn,
): void {
  const isMutable = column instanceof MutableColumn;
  const width = isMutable ? column.spec.width : column.width;
  const isText = isMutable ? column.spec.kind === "string" : Array.isArray(column.data);
  for (let row = 0; row < ids.length; row++) {
    const hash = new Hash64().text(set).text(name);
    addId(hash, ids[row]!);
    if (isText) hash.text(isMutable ? column.text(row) : (column.data[row] as string));
    else {
      for (let k = 0; k < width; k++)
        hash.number(isMutable ? column.number(row, k) : (column.data[row * width + k] as number));
    }
    sum.add(hash);
  }
}

function addId(hash: Hash64, id: number | string): void {
  if (typeof id === "number") hash.number(id);
  else hash.text(id);
}

function hashOfValue(path: string, value: Value): Hash64 {
  const hash = new Hash64().u32(5).text(path);
  addValue(hash, value);
  return hash;
}

function addValue(hash: Hash64, value: Value): void {
  switch (typeof value) {
    case "number":
      hash.number(value);
      return;
    case "string":
      hash.text(value);
      return;
    case "boolean":
      hash.u32(value ? 6 : 7);
      return;
    case "bigint":
      hash.u32(8).text(String(value));
      return;
    default:
  }
  if (value === null) {
    hash.u32(9);
  } else if (value instanceof Uint8Array) {
    hash.bytes(value);
  } else if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    const items = value as ArrayLike<Value>;
    hash.u32(10).u32(items.length);
    for (let i = 0; i < items.length; i++) addValue(hash, items[i]!);
  } else {
    const fields = value as { readonly [key: string]: Value };
    const keys = Object.keys(fields).sort();
    hash.u32(11).u32(keys.length);
    for (const key of keys) addValue(hash.text(key), fields[key]!);
  }
}
