import type * as DuckDB from "@duckdb/node-api";
import { SqlError } from "./error.ts";
import type { SqlBatch, SqlCells, SqlColumn, SqlKind } from "./kinds.ts";
import { isListKind, itemsOf, storedType } from "./kinds.ts";
import type { Limits } from "./limits.ts";
import { literal, quoted } from "./names.ts";

type Api = typeof DuckDB;

const MISSING =
  "SQL needs DuckDB, which is a package of its own: npm install @duckdb/node-api@1.5.5-r.5 (with -g where simtape was installed so)";

/** Loads DuckDB. Rejects with `SqlError` where it is not installed. */
export async function loadDuckDB(load: () => Promise<Api> = () => import("@duckdb/node-api")): Promise<Api> {
  try {
    return await load();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (/cannot find (package|module)|failed to resolve/i.test(text)) throw new SqlError("missing", MISSING, error);
    throw new SqlError("missing", `DuckDB does not load here: ${text.split("\n")[0]!}`, error);
  }
}

/** Rows of a chunk (DuckDB's STANDARD_VECTOR_SIZE). */
const ROWS = 2048;

/** A database in memory, into which recordings are loaded. Statements of users can reach nothing else. */
export class Database {
  readonly api: Api;
  readonly #instance: DuckDB.DuckDBInstance;
  readonly #connection: DuckDB.DuckDBConnection;

  private constructor(api: Api, instance: DuckDB.DuckDBInstance, connection: DuckDB.DuckDBConnection) {
    this.api = api;
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open({ memory, spill }: Limits): Promise<Database> {
    const api = await loadDuckDB();
    const instance = await api.DuckDBInstance.create(":memory:");
    const database = new Database(api, instance, await instance.connect());
    await database.run("SET autoload_known_extensions = false; SET autoinstall_known_extensions = false");
    await database.run(`SET temp_directory = ${literal(spill ?? "")}`);
    if (memory !== undefined) await database.run(`SET memory_limit = '${Math.max(1, Math.floor(memory / 1024))}KiB'`);
    await database.run("SET TimeZone = 'UTC'").catch(() => undefined);
    await database.run(`SET temp_directory = ${literal(spill ?? "")}`);
    await database.run("CREATE SCHEMA kept");
    await database.run("SET allow_community_extensions = false; SET enable_external_access = false");
    await database.run("SET lock_configuration = true");
    return database;
  }

  async run(sql: string): Promise<void> {
    await this.#connection.run(sql);
  }

  /** The one value of a statement with one row and one column. */
  async value(sql: string): Promise<DuckDB.DuckDBValue> {
    const [row] = (await this.#connection.runAndReadAll(sql)).getRows();
    return row![0]!;
  }

  async rows(sql: string): Promise<DuckDB.DuckDBValue[][]> {
    return (await this.#connection.runAndReadAll(sql)).getRows();
  }

  stream(sql: string): Promise<DuckDB.DuckDBResult> {
    return this.#connection.stream(sql);
  }

  /** Ends the statement that runs. */
  interrupt(): void {
    this.#connection.interrupt();
  }

  /** Rows go behind those of a table in the schema `kept`, whose columns have this order. */
  async appender(table: string): Promise<Appender> {
    return new Appender(this.api, await this.#connection.createAppender(table, "kept"));
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** The columns of a table in DuckDB, and from which cells each is filled; null: from none. */
export type Filled = readonly {
  readonly column: SqlColumn;
  readonly from: { readonly place: number; readonly kind: SqlKind } | null;
}[];

export class Appender {
  readonly #api: Api;
  readonly #appender: DuckDB.DuckDBAppender;

  constructor(api: Api, appender: DuckDB.DuckDBAppender) {
    this.#api = api;
    this.#appender = appender;
  }

  append({ length, cells }: SqlBatch, columns: Filled): void {
    const types = columns.map(({ column }) => typeOf(this.#api, column.kind));
    for (let at = 0; at < length; at += ROWS) {
      const rows = Math.min(ROWS, length - at);
      const chunk = this.#api.DuckDBDataChunk.create(types, rows);
      for (const [k, { column, from }] of columns.entries()) {
        const vector = chunk.getColumnVector(k) as unknown as Writable;
        if (from === null) for (let row = 0; row < rows; row++) vector.setItem(row, null);
        else fill(vector, cells[from.place]!, at, rows, turnedOf(this.#api, from.kind, column.kind));
        vector.flush();
      }
      this.#appender.appendDataChunk(chunk);
    }
  }

  /** Makes the rows a part of the table. */
  close(): void {
    this.#appender.closeSync();
  }
}

interface Writable {
  setItem(row: number, value: unknown): void;
  flush(): void;
}

function fill(
  vector: Writable,
  { data, valid }: SqlCells,
  at: number,
  rows: number,
  value: ((cell: unknown) => unknown) | null,
): void {
  for (let row = 0; row < rows; row++) {
    if (valid !== null && valid[at + row] === 0) vector.setItem(row, null);
    else vector.setItem(row, value === null ? data[at + row] : value(data[at + row]));
  }
}

/** What a cell of one kind is in a column of another; null: the same. */
function turnedOf(api: Api, from: SqlKind, to: SqlKind): ((cell: unknown) => unknown) | null {
  if (isListKind(from) && isListKind(to)) {
    const item = itemsOf(to);
    const turned = item === "string" ? textOf : item === "bigint" ? wholeOf : item === "bool" ? Boolean : Number;
    return (cell) =>
      api.listValue(Array.from(cell as ArrayLike<unknown>, (one) => (one === null ? null : turned(one))));
  }
  if (to === "string") return from === "string" ? null : textOf;
  if (to === "bool") return (cell) => cell === 1;
  if (to === "bigint") return wholeOf;
  return from === "bigint" ? Number : null;
}

function textOf(cell: unknown): string {
  if (typeof cell === "string") return cell;
  return typeof cell === "object"
    ? JSON.stringify(Array.from(cell as ArrayLike<unknown>))
    : String(cell as number | bigint);
}

/** As 128 bits, which no number of a recording goes beyond. */
function wholeOf(cell: unknown): bigint {
  return BigInt.asIntN(128, BigInt(cell as number | bigint));
}

function typeOf(api: Api, kind: SqlKind): DuckDB.DuckDBType {
  if (isListKind(kind)) return api.LIST(typeOf(api, itemsOf(kind)));
  return (api as unknown as Record<string, DuckDB.DuckDBType>)[storedType(kind)]!;
}

/** The statement that makes a table of these columns in the schema `kept`. */
export function createTable(table: string, columns: readonly SqlColumn[]): string {
  const list = columns.map(({ name, kind }) => `${quoted(name)} ${storedType(kind)}`).join(", ");
  return `CREATE TABLE kept.${quoted(table)} (${list})`;
}
