import type * as DuckDB from "@duckdb/node-api";
import type { ItemKind, TableKind, TableList } from "../model/query/table-cells.ts";
import type { Answer, AnswerBatch, AnswerColumn } from "./answer.ts";
import { failsOfItself } from "./constant-parts.ts";
import type { Database } from "./duckdb.ts";
import type { SqlError } from "./error.ts";
import { failureOf } from "./failure.ts";
import { freeName } from "./names.ts";
import type { Parsed } from "./parse.ts";

/** What is streamed. */
export interface Streaming {
  readonly statement: Pick<Parsed, "sql" | "texts" | "tree">;
  /** The unit of a column of the answer; null: none is known. */
  readonly unit: (column: { readonly name: string; readonly place: number; readonly count: number }) => string | null;
  readonly signal: AbortSignal;
}

/** An answer that DuckDB streams. */
export class StreamedAnswer implements Answer {
  readonly columns: readonly AnswerColumn[];
  readonly #result: DuckDB.DuckDBResult;
  readonly #database: Database;
  readonly #api: typeof DuckDB;
  readonly #signal: AbortSignal;
  readonly #streaming: Streaming;
  #end: () => void = () => undefined;

  private constructor(database: Database, result: DuckDB.DuckDBResult, streaming: Streaming) {
    const { unit, signal } = streaming;
    const { api } = database;
    this.#database = database;
    this.#api = api;
    this.#result = result;
    this.#signal = signal;
    this.#streaming = streaming;
    const taken = new Set<string>();
    const names = result.columnNames();
    this.columns = names.map((name, k) => {
      const type = result.columnType(k);
      const kind = kindOf(api, type);
      const items = kind === "list" ? (kindOf(api, (type as DuckDB.DuckDBListType).valueType) as ItemKind) : undefined;
      const known = unit({ name, place: k, count: names.length });
      const own = { name: freeName(name, taken), unit: known, type: type.toString() };
      return items === undefined ? { ...own, kind } : { ...own, kind, items };
    });
  }

  /** Rejects with `SqlError`. */
  static async of(database: Database, streaming: Streaming): Promise<StreamedAnswer> {
    const { sql } = streaming.statement;
    try {
      return new StreamedAnswer(database, await database.stream(sql), streaming);
    } catch (error) {
      streaming.signal.throwIfAborted();
      throw await failureIn(error, database, streaming, !(await database.binds(sql)));
    }
  }

  /** Calls `end` behind the last row, or when reading ends early. */
  endsWith(end: () => void): this {
    this.#end = end;
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerBatch> {
    try {
      for (;;) {
        const chunk = await this.#result.fetchChunk();
        this.#signal.throwIfAborted();
        if (chunk === null || chunk.rowCount === 0) return;
        yield this.#batchOf(chunk);
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      throw await failureIn(error, this.#database, this.#streaming, false);
    } finally {
      this.#end();
    }
  }

  #batchOf(chunk: DuckDB.DuckDBDataChunk): AnswerBatch {
    const length = chunk.rowCount;
    const columns = this.columns.map((column, k) => {
      const values = chunk.getColumnValues(k);
      const valid = new Uint8Array(length);
      for (let row = 0; row < length; row++) valid[row] = values[row] === null ? 0 : 1;
      const { kind, items } = column;
      if (kind === "list") {
        const data = values.map((value) => (value === null ? [] : this.#list(value as DuckDB.DuckDBListValue, items!)));
        return { ...column, data, valid };
      }
      if (kind === "string")
        return { ...column, data: values.map((value) => (value === null ? "" : this.#text(value))), valid };
      if (kind === "bigint")
        return { ...column, data: values.map((value) => (value === null ? 0n : BigInt(value as bigint))), valid };
      const data = numbersOf(kind, length);
      for (let row = 0; row < length; row++) data[row] = numberOf(values[row]!, data[row]!);
      return { ...column, data, valid };
    });
    return { length, columns };
  }

  #list({ items }: DuckDB.DuckDBListValue, kind: ItemKind): TableList {
    return items.map((item) => {
      if (item === null) return null;
      if (kind === "string") return this.#text(item);
      if (kind === "bool") return item as boolean;
      return kind === "bigint" ? BigInt(item as bigint) : numberOf(item, Number.NaN);
    });
  }

  #text(value: DuckDB.DuckDBValue): string {
    if (typeof value === "string") return value;
    const { DuckDBListValue, DuckDBStructValue, DuckDBMapValue, DuckDBArrayValue } = this.#api;
    const isNested = [DuckDBListValue, DuckDBStructValue, DuckDBMapValue, DuckDBArrayValue].some(
      (one) => value instanceof one,
    );
    return isNested ? JSON.stringify(this.#plain(value)) : String(value);
  }

  /** As JSON has it. */
  #plain(value: DuckDB.DuckDBValue): unknown {
    const { DuckDBListValue, DuckDBStructValue, DuckDBMapValue, DuckDBArrayValue } = this.#api;
    if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
      return value.items.map((item) => this.#plain(item));
    if (value instanceof DuckDBStructValue)
      return Object.fromEntries(Object.entries(value.entries).map(([key, item]) => [key, this.#plain(item)]));
    if (value instanceof DuckDBMapValue)
      return value.entries.map(({ key, value: item }) => ({ key: this.#plain(key), value: this.#plain(item) }));
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
    return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
}

/** `isWrong`: the statement is known to fail whatever the rows are. */
async function failureIn(
  error: unknown,
  database: Database,
  { statement, signal }: Streaming,
  isWrong: boolean,
): Promise<SqlError> {
  const failure = failureOf(error, { ...statement, isWrong });
  if (failure.code !== "failed") return failure;
  const isOfItself = await failsOfItself(database, statement.tree);
  signal.throwIfAborted();
  return isOfItself ? failureOf(error, { ...statement, isWrong: true }) : failure;
}

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

function numbersOf(kind: TableKind, length: number): Numbers {
  if (kind === "f64") return new Float64Array(length).fill(Number.NaN);
  if (kind === "f32") return new Float32Array(length).fill(Number.NaN);
  if (kind === "i32") return new Int32Array(length);
  return kind === "u32" ? new Uint32Array(length) : new Uint8Array(length);
}

function numberOf(value: DuckDB.DuckDBValue, otherwise: number): number {
  if (value === null) return otherwise;
  return typeof value === "object" ? (value as DuckDB.DuckDBDecimalValue).toDouble() : Number(value);
}

function kindOf({ DuckDBTypeId }: typeof DuckDB, type: DuckDB.DuckDBType): TableKind {
  switch (type.typeId) {
    case DuckDBTypeId.DOUBLE:
    case DuckDBTypeId.DECIMAL:
      return "f64";
    case DuckDBTypeId.FLOAT:
      return "f32";
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.TINYINT:
      return "i32";
    case DuckDBTypeId.UINTEGER:
    case DuckDBTypeId.USMALLINT:
      return "u32";
    case DuckDBTypeId.UTINYINT:
      return "u8";
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
      return "bigint";
    case DuckDBTypeId.BOOLEAN:
      return "bool";
    case DuckDBTypeId.LIST:
      return kindOf({ DuckDBTypeId } as typeof DuckDB, (type as DuckDB.DuckDBListType).valueType) === "list"
        ? "string"
        : "list";
    default:
      return "string";
  }
}
