import type { SqlBatch, SqlColumn } from "./kinds.ts";
import type { Wanted } from "./wanted.ts";

/** A table of which rows are read in another thread: plain data. */
export interface AskedTable {
  /** As the statement has it. */
  readonly name: string;
  readonly wanted: Omit<Wanted, "signal">;
}

/** What is read of one table: its columns, then its rows. */
export type TablePart =
  /** `isTried`: the rows may have to be taken back. */
  | { readonly how: "columns"; readonly columns: readonly SqlColumn[]; readonly isTried: boolean }
  | { readonly how: "rows"; readonly batch: SqlBatch }
  /** Rows and columns since the last columns are not those of the table; others follow. */
  | { readonly how: "again" };

/** What is read of one recording: that it is open, then each table that is asked for, by its number. */
export type ReadPart = { readonly how: "open" } | { readonly how: "table"; readonly table: number } | TablePart;

/** A recording that is opened in another thread. */
export interface FarSource {
  readonly name: string;
  readonly file?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly more?: Readonly<Record<string, string | null>> | undefined;
}

/** What is read of a recording, as it is read. */
export interface FarReading {
  /** In order; rejects with the error of a recording that cannot be read. */
  readonly parts: AsyncIterable<ReadPart>;
  /** Ends the reading. */
  close(): void;
}

/** Threads that read recordings side by side. What waits there takes memory that does not grow with a recording. */
export interface Elsewhere {
  /** Recordings that are read at once. */
  readonly room: number;
  /** Whether these recordings can be read there, and are enough to be worth it. */
  takes(sources: readonly FarSource[]): boolean;
  /** Begins to read: `tables` one after the other. `more`: names of further columns of `recordings`. */
  read(source: FarSource, tables: readonly AskedTable[], more: readonly string[]): FarReading;
}
