import type { ItemKind, TableData } from "../model/query/table-cells.ts";

/**
 * What the cells of a column are. `whole`: whole numbers within 2^53, held as doubles, BIGINT in SQL. `instant`:
 * microseconds since 1970 in UTC, held as doubles, TIMESTAMP in SQL. `recording`: names of the recordings of the session, held
 * as texts, VARCHAR in SQL.
 */
export type SqlKind = ItemKind | "whole" | "instant" | "recording" | `${ItemKind}[]`;

/** A column of a table of recordings. */
export interface SqlColumn {
  /** Safe, each name once in a table. */
  readonly name: string;
  readonly kind: SqlKind;
  /** As recorded; null: nothing states it. */
  readonly unit: string | null;
}

/** The cells of a column in some rows. */
export interface SqlCells {
  readonly data: TableData;
  /** 1 for each row that has a cell, else 0; null: every row has one. */
  readonly valid: Uint8Array | null;
}

/** Some rows of a table, column by column, in the order of its columns. */
export interface SqlBatch {
  readonly length: number;
  readonly cells: readonly SqlCells[];
}

/** Rows of one recording. */
export interface SqlRows {
  readonly columns: readonly SqlColumn[];
  /** Whether they are messages of a channel: what its columns are depends on the messages that were looked at. */
  readonly isChannel?: boolean;
  batches(): AsyncIterable<SqlBatch>;
}

const STORED: Readonly<Record<ItemKind, string>> = {
  f64: "DOUBLE",
  f32: "FLOAT",
  i32: "INTEGER",
  u32: "UINTEGER",
  u8: "UTINYINT",
  bool: "BOOLEAN",
  string: "VARCHAR",
  bigint: "HUGEINT",
};

/** The type in DuckDB of names of recordings: a number for each, so that a row has no text of its own. */
export const NAMES = "kept.recording_names";

/** The type in which DuckDB holds a column. */
export function storedType(kind: SqlKind): string {
  if (kind === "whole" || kind === "instant") return "DOUBLE";
  if (kind === "recording") return NAMES;
  return isListKind(kind) ? `${STORED[itemsOf(kind)]}[]` : STORED[kind];
}

/** What a stored column is in a statement, as an expression of SQL. */
export function shownAs(kind: SqlKind, stored: string): string {
  if (kind === "whole") return `CAST(${stored} AS BIGINT)`;
  if (kind === "recording") return `CAST(${stored} AS VARCHAR)`;
  return kind === "instant" ? `make_timestamp(CAST(${stored} AS BIGINT))` : stored;
}

/** The kind that holds cells of both; text holds all. */
export function unitedKind(a: SqlKind, b: SqlKind): SqlKind {
  if (a === b) return a;
  if (isListKind(a) && isListKind(b)) return `${unitedKind(itemsOf(a), itemsOf(b)) as ItemKind}[]`;
  return isNumber(a) && isNumber(b) ? "f64" : "string";
}

export function isListKind(kind: SqlKind): kind is `${ItemKind}[]` {
  return kind.endsWith("[]");
}

export function itemsOf(kind: `${ItemKind}[]`): ItemKind {
  return kind.slice(0, -2) as ItemKind;
}

function isNumber(kind: SqlKind): boolean {
  return ["f64", "f32", "i32", "u32", "u8", "whole", "bigint"].includes(kind);
}
