import { RecordingError } from "../error.ts";
import type { Value } from "../values/value.ts";
import { isList, type ItemKind, joinedKind, type RowBuilder, type TableColumn, type TableList } from "./table-cells.ts";

/** Items of a list that have columns of their own, at most; longer ones, and those of several lengths, are lists. */
const ITEMS = 16;
/** Columns of a table at most. */
const COLUMNS = 4096;

/** The columns that one place in the values becomes. */
interface Places {
  /** Of the value itself; -1: none. */
  readonly self: number;
  /** Of its items, when each has a column; empty: none has. */
  readonly items: readonly number[];
}

/** A place in the values of a channel: what is met there, and what becomes of it. */
class Field {
  readonly members = new Map<string, Field>();
  /** Kind of the single values met there; null: none. */
  kind: ItemKind | null = null;
  /** Whether all numbers met there are whole: then those beyond 2^53 may stand beside them. */
  isWhole = true;
  /** Kind of the items of the lists met there, and how long these are; -1: of several lengths. */
  itemKind: ItemKind | null = null;
  length: number | null = null;
  /** Whether lists met there hold objects or lists: then they are text. */
  isNested = false;
  places: Places = { self: -1, items: [] };
}

/**
 * The members of a channel's values as columns: first every value is met, then the columns are settled, then values are
 * put into rows.
 */
export class Fields {
  readonly #root = new Field();
  /** Names asked for; null: all. */
  readonly #asked: readonly string[] | null;
  #count = 1;
  /** Where something was met last that changes what the columns are; null: nowhere since. */
  #changed: string | null = null;

  constructor(asked: readonly string[] | null) {
    this.#asked = asked;
  }

  /** Throws `RecordingError` when there are too many members. */
  meet(value: Value): void {
    this.#meet(this.#root, "", value);
  }

  /** Meets a value when the columns are settled; gives the place for which they would be others, or null. */
  meetAgain(value: Value): string | null {
    this.#changed = null;
    this.meet(value);
    return this.#changed;
  }

  /** The columns; `taken` are names of others, and what is called so is `value.NAME` here. The first has number `first`. */
  settle(taken: readonly string[], first: number): TableColumn[] {
    const columns: TableColumn[] = [];
    const names = new Set(taken);
    const add = (path: string, kind: ItemKind, isListed = false): number => {
      if (!this.#isAsked(path)) return -1;
      let name = taken.includes(path) ? `value.${path}` : path;
      for (let n = 2; names.has(name); n++) name = `${path}#${n}`;
      names.add(name);
      columns.push(isListed ? { name, unit: null, kind: "list", items: kind } : { name, unit: null, kind });
      return first + columns.length - 1;
    };
    const visit = (field: Field, path: string): void => {
      const { kind, itemKind, length, isNested } = field;
      const name = path === "" ? "value" : path;
      const isOfSingles = kind === null && itemKind !== null && !isNested;
      const isSpread = isOfSingles && length !== null && length > 0 && length <= ITEMS;
      const isText = length !== null && !isOfSingles;
      const isListed = isOfSingles && !isSpread;
      const self = isText ? "string" : isListed ? itemKind : kind;
      field.places = {
        self: self === null || isSpread ? -1 : add(name, self, isListed),
        items: isSpread ? Array.from({ length }, (_, k) => add(`${name}.${k}`, itemKind)) : [],
      };
      for (const [key, member] of field.members) visit(member, path === "" ? key : `${path}.${key}`);
    };
    visit(this.#root, "");
    if (columns.length > COLUMNS) throw tooMany();
    return columns;
  }

  /** Puts a value into a row that was begun. */
  fill(rows: RowBuilder, row: number, value: Value): void {
    fill(rows, row, this.#root, value);
  }

  #meet(field: Field, path: string, value: Value): void {
    if (value === null) return;
    if (isObject(value)) {
      for (const key of Object.keys(value)) {
        const below = path === "" ? key : `${path}.${key}`;
        if (this.#leads(below)) this.#meet(this.#member(field, key), below, value[key]!);
      }
    } else if (isList(value) ? meetList(field, value) : meetSingle(field, value))
      this.#changed = path === "" ? "value" : path;
  }

  #member(field: Field, key: string): Field {
    const found = field.members.get(key);
    if (found !== undefined) return found;
    if (++this.#count > 2 * COLUMNS) throw tooMany();
    const made = new Field();
    field.members.set(key, made);
    return made;
  }

  /** A name stands for its column, and for all that lie below it. */
  #isAsked(path: string): boolean {
    return this.#asked === null || this.#asked.some((name) => isAtOrBelow(path, name));
  }

  #leads(path: string): boolean {
    return this.#asked === null || this.#asked.some((name) => isAtOrBelow(path, name) || isAtOrBelow(name, path));
  }
}

/** Whether `path` is `name`, or a part of what is called so. */
export function isAtOrBelow(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}.`);
}

function tooMany(): RecordingError {
  return new RecordingError("over-budget", `more than ${COLUMNS} columns: name the columns that you want`);
}

/** Gives whether it makes the columns others. */
function meetSingle(field: Field, value: number | bigint | boolean | string): boolean {
  const kind = kindOf(value);
  const before = field.kind;
  if (typeof value === "number" && !Number.isInteger(value)) field.isWhole = false;
  if (before === kind) return false;
  const isBothNumbers = [before, kind].every((one) => one === "bigint" || one === "f64");
  field.kind = before === null ? kind : isBothNumbers && field.isWhole ? "bigint" : joinedKind(before, kind);
  return field.kind !== before;
}

/** Gives whether it makes the columns others. */
function meetList(field: Field, list: TableList): boolean {
  const { length, isNested, itemKind } = field;
  field.length = length === null || length === list.length ? list.length : -1;
  meetItems(field, list);
  return field.length !== length || field.isNested !== isNested || field.itemKind !== itemKind;
}

function meetItems(field: Field, list: TableList): void {
  if (field.isNested) return;
  if (ArrayBuffer.isView(list)) meetItem(field, kindOfItems(list));
  else
    for (const item of list) {
      if (typeof item === "object" && item !== null) field.isNested = true;
      else if (item !== null) meetItem(field, kindOf(item));
    }
}

function meetItem(field: Field, kind: ItemKind): void {
  field.itemKind = field.itemKind === null ? kind : joinedKind(field.itemKind, kind);
}

function fill(rows: RowBuilder, row: number, field: Field, value: Value): void {
  if (value === null) return;
  const { self, items } = field.places;
  if (isObject(value)) {
    for (const [key, member] of field.members) {
      const below = value[key];
      if (below !== undefined) fill(rows, row, member, below);
    }
  } else if (isList(value) && items.length > 0) {
    const length = Math.min(items.length, value.length);
    for (let k = 0; k < length; k++) if (items[k]! >= 0) rows.put(items[k]!, row, value[k]!);
  } else if (self >= 0) rows.put(self, row, value);
}

function kindOf(value: number | bigint | boolean | string): ItemKind {
  switch (typeof value) {
    case "number":
      return "f64";
    case "bigint":
      return "bigint";
    case "boolean":
      return "bool";
    default:
      return "string";
  }
}

function kindOfItems(list: ArrayBufferView): ItemKind {
  if (list instanceof Float32Array) return "f32";
  if (list instanceof Int32Array) return "i32";
  if (list instanceof Uint32Array || list instanceof Uint16Array) return "u32";
  return list instanceof Uint8Array ? "u8" : "f64";
}

function isObject(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
