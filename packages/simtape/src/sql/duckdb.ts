import type * as DuckDB from "@duckdb/node-api";
import { SqlError } from "./error.ts";
import { Appender, Names } from "./appender.ts";
import { NAMES, type SqlColumn, storedType } from "./kinds.ts";
import type { Limits } from "./limits.ts";
import type { SqlOptions } from "./source.ts";
import { literal, quoted } from "./names.ts";

type Api = typeof DuckDB;

const MISSING =
  "SQL needs DuckDB, which is a package of its own: npm install @duckdb/node-api@1.5.5-r.5 (with -g where simtape was installed so)";

/** Loads DuckDB, by `import()` unless `load` gives it. Rejects with `SqlError` where it is not installed. */
export async function loadDuckDB(load: () => unknown = () => import("@duckdb/node-api")): Promise<Api> {
  try {
    return (await load()) as Api;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (/cannot find (package|module)|failed to resolve/i.test(text)) throw new SqlError("missing", MISSING, error);
    throw new SqlError("missing", `DuckDB does not load here: ${text.split("\n")[0]!}`, error);
  }
}

/** A database in memory, into which recordings are loaded. Statements of users can reach nothing else. */
export class Database {
  readonly api: Api;
  /** The type of columns of the kind `recording`. */
  readonly names: Names;
  readonly #instance: DuckDB.DuckDBInstance;
  readonly #connection: DuckDB.DuckDBConnection;

  private constructor(api: Api, names: Names, instance: DuckDB.DuckDBInstance, connection: DuckDB.DuckDBConnection) {
    this.api = api;
    this.names = names;
    this.#instance = instance;
    this.#connection = connection;
  }

  /** `names`: those of all recordings, each once. */
  static async open(
    { memory, spill, loadDuckDB: load }: Limits & Pick<SqlOptions, "loadDuckDB">,
    names: readonly string[],
  ): Promise<Database> {
    const api = await loadDuckDB(load);
    const instance = await api.DuckDBInstance.create(":memory:");
    const database = new Database(api, new Names(api, names), instance, await instance.connect());
    await database.run("SET autoload_known_extensions = false; SET autoinstall_known_extensions = false");
    await database.run(`SET temp_directory = ${literal(spill ?? "")}`);
    if (memory !== undefined) await database.run(`SET memory_limit = '${Math.max(1, Math.floor(memory / 1024))}KiB'`);
    await database.run("SET TimeZone = 'UTC'").catch(() => undefined);
    await database.run(`SET temp_directory = ${literal(spill ?? "")}`);
    await database.run("CREATE SCHEMA kept");
    await database.run(`CREATE TYPE ${NAMES} AS ${database.names.sql}`);
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

  /** Whether DuckDB knows what all names in a statement mean, without running it. */
  async binds(sql: string): Promise<boolean> {
    try {
      (await this.#connection.prepare(sql)).destroySync();
      return true;
    } catch {
      return false;
    }
  }

  /** Ends the statement that runs. */
  interrupt(): void {
    this.#connection.interrupt();
  }

  /** Rows go behind those of a table in the schema `kept`, whose columns have this order. */
  async appender(table: string): Promise<Appender> {
    return new Appender(this.api, this.names, await this.#connection.createAppender(table, "kept"));
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

/** The statement that makes a table of these columns in the schema `kept`. */
export function createTable(table: string, columns: readonly SqlColumn[]): string {
  const list = columns.map(({ name, kind }) => `${quoted(name)} ${storedType(kind)}`).join(", ");
  return `CREATE TABLE kept.${quoted(table)} (${list})`;
}
