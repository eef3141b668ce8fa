import { type Column, numberAt, type SeriesPath, type State, type Value } from "simtape";
import { preview } from "../engine/preview.ts";
import { hasWords } from "../plots/paths.ts";

/** Characters of a value in its row. */
const WIDTH = 120;
/** Rows under one value, and rows that a search finds. */
const MOST_PARTS = 256;
export const MOST_FOUND = 2000;

/** One line of the state. */
export interface TreeRow {
  /** The same as long as it is the same thing: `vehicles/7/position`. */
  readonly key: string;
  readonly depth: number;
  readonly name: string;
  /** Null: there is nothing below it. */
  readonly isOpen: boolean | null;
  /** What is shown beside the name; asked for when it is seen. */
  readonly text: () => string;
  readonly unit: string | null;
  /** The value that it is of, whose unit its format may tell; null: it is of none. */
  readonly value: string | null;
  /** What can be plotted of it. */
  readonly paths: () => readonly SeriesPath[];
  readonly thing: { readonly set: string; readonly id: number | string } | null;
}

interface Group {
  readonly parts: Map<string, Group>;
  value?: { readonly name: string; readonly value: Value };
}

/**
 * The rows of a state: sets of things first, then values by their paths. With words, what they occur in, opened. They are
 * kept from state to state as long as the same parts are there: a row says what is in the state asked for last.
 */
export class StateTree {
  readonly #shown: { state: State | null } = { state: null };
  #open: ReadonlySet<string> | null = null;
  #words = "";
  #rows: readonly TreeRow[] = [];

  rows(state: State, open: ReadonlySet<string>, words: readonly string[]): readonly TreeRow[] {
    const before = this.#shown.state;
    const text = words.join(" ");
    const isSame = open === this.#open && text === this.#words && before !== null && hasSameParts(before, state);
    this.#shown.state = state;
    this.#open = open;
    this.#words = text;
    if (!isSame) this.#rows = rowsOf(state, new Rows(() => this.#shown.state ?? state, open, words));
    return this.#rows;
  }
}

function rowsOf(state: State, rows: Rows): readonly TreeRow[] {
  for (const [set, { ids, columns }] of state.sets) {
    rows.branch(
      set,
      0,
      set,
      ({ sets }) => counted(sets.get(set)?.ids.length ?? 0, "thing"),
      null,
      () => {
        for (const [row, id] of ids.entries()) rows.thing({ set, id }, row, columns);
      },
    );
  }
  const top: Group = { parts: new Map() };
  for (const [name, value] of state.values) {
    let group = top;
    for (const part of name.split("/").filter((part) => part !== "")) {
      const inner: Group = group.parts.get(part) ?? { parts: new Map() };
      group.parts.set(part, inner);
      group = inner;
    }
    group.value = { name, value };
  }
  for (const [name, group] of top.parts) rows.group(name, 0, name, group);
  return rows.all;
}

class Rows {
  readonly all: TreeRow[] = [];
  readonly #state: () => State;
  readonly #open: ReadonlySet<string>;
  readonly #words: readonly string[];

  /** `state` gives the one that rows tell of. */
  constructor(state: () => State, open: ReadonlySet<string>, words: readonly string[]) {
    this.#state = state;
    this.#open = open;
    this.#words = words;
  }

  get isFull(): boolean {
    return this.#words.length > 0 && this.all.length >= MOST_FOUND;
  }

  /** A row with others below it, which `fill` adds. */
  branch(
    key: string,
    depth: number,
    name: string,
    tell: (state: State) => string,
    thing: TreeRow["thing"],
    fill: () => void,
  ): void {
    const isSearch = this.#words.length > 0;
    const isOpen = isSearch || this.#open.has(key);
    const at = this.all.length;
    const text = (): string => tell(this.#state());
    this.all.push({ key, depth, name, isOpen, text, unit: null, value: null, paths: () => [], thing });
    if (isOpen) fill();
    if (isSearch && this.all.length === at + 1 && !hasWords(key, this.#words)) this.all.pop();
  }

  leaf(
    key: string,
    depth: number,
    name: string,
    tell: (state: State) => string,
    { unit, value, thing }: Pick<TreeRow, "unit" | "value" | "thing">,
    paths: (state: State) => readonly SeriesPath[],
  ): void {
    if (this.isFull || !hasWords(key, this.#words)) return;
    const text = (): string => tell(this.#state());
    this.all.push({ key, depth, name, isOpen: null, text, unit, value, paths: () => paths(this.#state()), thing });
  }

  /** One thing, the `row`th of its set, and what is known of it. */
  thing(thing: NonNullable<TreeRow["thing"]>, row: number, columns: ReadonlyMap<string, Column>): void {
    if (this.isFull) return;
    const { set, id } = thing;
    const key = `${set}/${id}`;
    this.branch(
      key,
      1,
      String(id),
      ({ sets }) => nameOf(sets.get(set)?.columns, row),
      thing,
      () => {
        for (const [name, { unit }] of columns) {
          const column = ({ sets }: State): Column | undefined => sets.get(set)?.columns.get(name);
          this.leaf(
            `${key}/${name}`,
            2,
            name,
            (state) => cells(column(state), row),
            { unit, value: null, thing },
            (state) => cellsOf(column(state), (item) => ({ set, id, column: name, item })),
          );
        }
      },
    );
  }

  group(key: string, depth: number, name: string, { parts, value }: Group): void {
    if (parts.size === 0) this.value(`=${key}`, depth, name, value!.name, [], value!.value);
    else {
      this.branch(
        `=${key}`,
        depth,
        name,
        () => counted(parts.size, "value"),
        null,
        () => {
          if (value !== undefined) this.value(`=${key}=`, depth + 1, "(itself)", value.name, [], value.value);
          for (const [inner, group] of parts) this.group(`${key}/${inner}`, depth + 1, inner, group);
        },
      );
    }
  }

  value(
    key: string,
    depth: number,
    name: string,
    root: string,
    keys: readonly (string | number)[],
    value: Value,
  ): void {
    // A name without a value is one that has not come yet: they come when the group is opened.
    const tell = ({ values }: State): string =>
      values.get(root) === undefined ? "" : partText(partAt(values.get(root), keys));
    const parts = partsOf(value);
    if (parts === null) {
      const path: SeriesPath = { value: root, keys };
      this.leaf(key, depth, name, tell, { unit: null, value: root, thing: null }, (state) =>
        Number.isNaN(numberAt(state, path)) ? [] : [path],
      );
      return;
    }
    this.branch(key, depth, name, tell, null, () => {
      for (const [part, inner] of parts()) {
        if (this.isFull) return;
        this.value(`${key}.${part}`, depth + 1, String(part), root, [...keys, part], inner);
      }
    });
  }
}

/** Null: it has no parts that are worth a row. */
function partsOf(value: Value): (() => Iterable<readonly [string | number, Value]>) | null {
  if (typeof value !== "object" || value === null) return null;
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    const list = value as ArrayLike<Value>;
    if (list.length === 0 || value instanceof Uint8Array) return null;
    return () => Array.from({ length: Math.min(MOST_PARTS, list.length) }, (_, i) => [i, list[i]!] as const);
  }
  return () => Object.entries(value as Readonly<Record<string, Value>>);
}

/** A part of a value; null where there is none any more. */
function partAt(value: Value | undefined, keys: readonly (string | number)[]): Value {
  let part: unknown = value;
  for (const key of keys) part = (part as Readonly<Record<string | number, unknown>> | null | undefined)?.[key];
  return (part ?? null) as Value;
}

/** A number alone is given with all its digits. */
function partText(part: Value): string {
  return typeof part === "number" ? String(part) : preview(part, WIDTH);
}

/** Whether two states have the same rows, whatever these say. */
function hasSameParts(a: State, b: State): boolean {
  return (
    areAlike(a.sets, b.sets, (one, other) => {
      const isSameCrowd = one.ids === other.ids || isSameList(one.ids, other.ids);
      return isSameCrowd && (one.columns === other.columns || areAlike(one.columns, other.columns, hasSameUnit));
    }) && areAlike(a.values, b.values, isAlike)
  );
}

function hasSameUnit(a: Column, b: Column): boolean {
  return a.unit === b.unit;
}

/** Whether two maps have the same keys in the same order, and what is under each is alike. */
function areAlike<T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>, isLike: (a: T, b: T) => boolean): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  const others = b.entries();
  for (const [key, value] of a) {
    const [name, other] = others.next().value!;
    if (key !== name || (value !== other && !isLike(value, other))) return false;
  }
  return true;
}

function isAlike(a: Value, b: Value): boolean {
  const [parts, others] = [partsOf(a), partsOf(b)];
  if (parts === null || others === null) return parts === others;
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) return a.byteLength === b.byteLength;
  const [mine, theirs] = [[...parts()], [...others()]];
  return (
    mine.length === theirs.length &&
    mine.every(([key, part], i) => {
      const [name, other] = theirs[i]!;
      return key === name && (part === other || isAlike(part, other));
    })
  );
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function nameOf(columns: ReadonlyMap<string, Column> | undefined, row: number): string {
  return ["label", "kind"]
    .map((name) => columns?.get(name)?.data[row])
    .filter((text) => typeof text === "string" && text !== "")
    .join(" · ");
}

function cells(column: Column | undefined, row: number): string {
  if (column === undefined) return "";
  const { data, width } = column;
  if (width === 1) return cell(data[row]);
  return Array.from({ length: width }, (_, item) => cell(data[row * width + item])).join(", ");
}

function cell(value: number | string | undefined): string {
  if (typeof value !== "number") return value ?? "";
  return Number.isNaN(value) ? "–" : String(Number.isInteger(value) ? value : Number(value.toPrecision(7)));
}

function cellsOf(column: Column | undefined, path: (item: number | null) => SeriesPath): SeriesPath[] {
  if (column === undefined || Array.isArray(column.data)) return [];
  const { width } = column;
  return width === 1 ? [path(null)] : Array.from({ length: width }, (_, item) => path(item));
}
