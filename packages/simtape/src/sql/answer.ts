import type { TableCells, TableColumn } from "../model/query/table-cells.ts";

/** A column of an answer. Its unit is that of the column of a table that it is, or that a function such as `max` keeps. */
export interface AnswerColumn extends TableColumn {
  /** The type in the words of DuckDB: `BIGINT`, `VARCHAR[]`, `TIMESTAMP`. */
  readonly type: string;
}

/** The cells of a column of an answer. */
export interface AnswerCells extends TableCells {
  readonly type: string;
}

/** Some rows of an answer, column by column. */
export interface AnswerBatch {
  /** Rows, at least one. */
  readonly length: number;
  readonly columns: readonly AnswerCells[];
}

/**
 * The answer to a statement: typed columns, whose rows arrive in batches. To be read once.
 *
 * Kinds: DOUBLE and DECIMAL are `f64`, FLOAT `f32`, INTEGER and smaller ones `i32`, unsigned ones `u32` and `u8`, BIGINT and
 * HUGEINT `bigint`, BOOLEAN `bool`, lists of these `list`; all other types are texts.
 */
export interface Answer extends AsyncIterable<AnswerBatch> {
  readonly columns: readonly AnswerColumn[];
}
