import { Sha256 } from "../bytes/sha256.ts";
import { parquetWriter } from "../export/parquet.ts";
import { type RowBatch, type RowCells, type RowColumn, withoutUnit } from "../export/rows.ts";
import type { SpoolFactory } from "../io/source/spool.ts";
import { Spooled } from "../io/source/spooled.ts";
import type { Axes } from "../model/axes/axes.ts";
import type { TableKind } from "../model/query/table-cells.ts";
import { freeName } from "../sql/names.ts";
import { isListKind, itemsOf, type SqlBatch, type SqlColumn } from "../sql/kinds.ts";

/** Bytes of a file that is made kept in memory. */
const MEMORY = 4 << 20;

/** Columns that readers take from the names of folders: a column of a set that is called so gets another name. */
const PARTITIONS: readonly string[] = ["format", "day", "recording"];

/** A Parquet file that was made and is not stored yet. Close it. */
export interface MadeFile {
  readonly table: string;
  readonly rows: number;
  readonly content: Spooled;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
}

/** The rows of a table as a Parquet file, one batch after the other. */
export class ParquetRows {
  readonly #table: string;
  readonly #content: Spooled;
  readonly #digest = new Sha256();
  readonly #places: readonly number[];
  readonly #columns: readonly RowColumn[];
  readonly #writer: ReturnType<typeof parquetWriter>;
  #rows = 0;

  constructor(table: string, columns: readonly SqlColumn[], axes: Axes | null, spool: SpoolFactory) {
    this.#table = table;
    this.#content = new Spooled(MEMORY, spool);
    const isPartition = (name: string): boolean =>
      name === "recording" || (table === "recordings" && PARTITIONS.includes(name));
    this.#places = [...columns.keys()].filter((k) => !isPartition(columns[k]!.name));
    const taken = new Set([...PARTITIONS, ...columns.map(({ name }) => name.toLowerCase())]);
    this.#columns = this.#places.map((k) => {
      const column = columns[k]!;
      const isTaken = PARTITIONS.includes(column.name.toLowerCase());
      return columnOf(isTaken ? { ...column, name: freeName(column.name, taken) } : column);
    });
    this.#writer = parquetWriter({ columns: this.#columns, axes }, withoutUnit, async (piece) => {
      const bytes = piece as Uint8Array;
      this.#digest.update(bytes);
      await this.#content.write(this.#content.length, bytes);
    });
  }

  async write({ length, cells }: SqlBatch): Promise<void> {
    const columns = this.#columns.map((column, k): RowCells => {
      const { data, valid } = cells[this.#places[k]!]!;
      return { ...column, data, valid: valid ?? new Uint8Array(length).fill(1) };
    });
    await this.#writer.write({ length, columns } satisfies RowBatch);
    this.#rows += length;
  }

  /** Null: it has no rows, and is no file. */
  async end(): Promise<MadeFile | null> {
    if (this.#rows === 0) {
      await this.close();
      return null;
    }
    await this.#writer.end();
    return { table: this.#table, rows: this.#rows, content: this.#content, digest: this.#digest.digest() };
  }

  close(): Promise<void> {
    return this.#content.close();
  }
}

function columnOf({ name, kind, unit }: SqlColumn): RowColumn {
  const own = { name, unit, isFree: true };
  if (kind === "whole") return { ...own, kind: "f64", isInteger: true };
  if (kind === "instant") return { ...own, kind: "f64", isUtc: true };
  if (isListKind(kind)) return { ...own, kind: "list", items: itemsOf(kind) };
  return { ...own, kind: kind === "recording" ? "string" : (kind satisfies TableKind) };
}
