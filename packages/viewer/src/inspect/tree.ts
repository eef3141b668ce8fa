import type { Column, State, Value } from "simtape";
import { preview } from "../engine/preview.ts";
import { hasWords, numberIn } from "../plots/paths.ts";
import { unitOfValue } from "../plots/units.ts";
import type { SeriesPath } from "../protocol.ts";

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
  /** What can be plotted of it. */
  readonly paths: () => readonly SeriesPath[];
  readonly thing: { readonly set: string; readonly id: number | string } | null;
}

interface Group {
  readonly parts: Map<string, Group>;
  value?: { readonly name: string; readonly value: Value };
}

/** The rows of a state: sets of things first, then values by their paths. Words given: what they occur in, opened. */
export function treeRows(state: State, open: ReadonlySet<string>, words: readonly string[]): TreeRow[] {
  const rows = new Rows(open, words);
  for (const [set, { ids, columns }] of state.sets) {
    rows.branch(
      set,
      0,
      set,
      () => counted(ids.length, "thing"),
      null,
      () => {
        ids.forEach((id, row) => {
          if (rows.isFull) return;
          const thing = { set, id };
          rows.branch(
            `${set}/${id}`,
            1,
            String(id),
            () => nameOf(columns, row),
            thing,
            () => {
              for (const [name, column] of columns) {
                const path = { set, id, column: name } as const;
                rows.leaf(
                  `${set}/${id}/${name}`,
                  2,
                  name,
                  () => cells(column, row),
                  column.unit,
                  thing,
                  () => cellsOf(column, (item) => ({ ...path, item })),
                );
              }
            },
          );
        });
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
  readonly #open: ReadonlySet<string>;
  readonly #words: readonly string[];

  constructor(open: ReadonlySet<string>, words: readonly string[]) {
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
    text: () => string,
    thing: TreeRow["thing"],
    fill: () => void,
  ): void {
    const isSearch = this.#words.length > 0;
    const isOpen = isSearch || this.#open.has(key);
    const at = this.all.length;
    this.all.push({ key, depth, name, isOpen, text, unit: null, paths: () => [], thing });
    if (isOpen) fill();
    if (isSearch && this.all.length === at + 1 && !hasWords(key, this.#words)) this.all.pop();
  }

  leaf(
    key: string,
    depth: number,
    name: string,
    text: () => string,
    unit: string | null,
    thing: TreeRow["thing"],
    paths: () => readonly SeriesPath[],
  ): void {
    if (this.isFull || !hasWords(key, this.#words)) return;
    this.all.push({ key, depth, name, isOpen: null, text, unit, paths, thing });
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
    const text = (): string => preview(value, WIDTH);
    const parts = partsOf(value);
    if (parts === null) {
      this.leaf(key, depth, name, text, unitOfValue(root), null, () =>
        Number.isNaN(numberIn(value, [])) ? [] : [{ value: root, keys }],
      );
      return;
    }
    this.branch(key, depth, name, text, null, () => {
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

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function nameOf(columns: ReadonlyMap<string, Column>, row: number): string {
  return ["label", "kind"]
    .map((name) => columns.get(name)?.data[row])
    .filter((text) => typeof text === "string" && text !== "")
    .join(" · ");
}

function cells({ data, width }: Column, row: number): string {
  if (width === 1) return cell(data[row]);
  return Array.from({ length: width }, (_, item) => cell(data[row * width + item])).join(", ");
}

function cell(value: number | string | undefined): string {
  if (typeof value !== "number") return value ?? "";
  return Number.isNaN(value) ? "–" : String(Number.isInteger(value) ? value : Number(value.toPrecision(7)));
}

function cellsOf({ data, width }: Column, path: (item: number | null) => SeriesPath): SeriesPath[] {
  if (Array.isArray(data)) return [];
  return width === 1 ? [path(null)] : Array.from({ length: width }, (_, item) => path(item));
}
