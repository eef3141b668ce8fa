import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { EMBEDDED_PORT, openEmbedded, socketFolderOf } from "./embedded.ts";
import { LockedError } from "./lock.ts";
import { isMigrated, migrate } from "./migrate.ts";
import type { Tables } from "./tables.ts";

export type Query = Kysely<Tables>;

/** The tables, and the connections to them. */
export interface Database {
  readonly query: Query;
  /** Address for further clients, such as workers; it contains the password if there is one. */
  readonly address: string;
  readonly isEmbedded: boolean;
  /** Makes a client with a connection of its own, for long uses such as LISTEN. */
  readonly connect: () => Promise<pg.Client>;
  /** Settles when an embedded database has ended. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * Most connections. Connections to an embedded database share one session: a second one would only wait for the first.
 */
const MOST = 10;
/** Milliseconds that a query waits for a connection; after that the database counts as unreachable. */
const LONGEST_WAIT = 10_000;

/**
 * Opens a database and brings its tables to the present release, or the tables of a new database to the migration
 * `until`. `address`: `postgres://…`, or `embedded:FOLDER`. No code above this level knows which of the two it is.
 * Throws the error of the database.
 */
export async function openDatabase(address: string, until?: string): Promise<Database> {
  const isEmbedded = address.startsWith("embedded:");
  const embedded = isEmbedded ? await openEmbedded(address.slice("embedded:".length), until === undefined) : null;
  const reached = embedded === null ? address : addressOf(embedded.socketFolder);
  try {
    const database = await connectDatabase(reached);
    if (!(await isMigrated(database.query))) await migrate(database.query, until);
    return {
      ...database,
      isEmbedded,
      ended: embedded?.ended ?? new Promise(() => undefined),
      close: async () => {
        await database.close();
        await embedded?.close();
      },
    };
  } catch (error) {
    await embedded?.close();
    throw error;
  }
}

/**
 * Like `openDatabase`; when another process of this machine has the embedded database open, it connects through that
 * process.
 */
export async function joinDatabase(address: string): Promise<Database> {
  try {
    return await openDatabase(address);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    return reachEmbedded(address.slice("embedded:".length), error);
  }
}

/** Connects to an embedded database that another process of this machine has open; `held` is the error that says so. */
export async function reachEmbedded(folder: string, held: LockedError): Promise<Database> {
  const socketFolder = await socketFolderOf(folder);
  if (socketFolder === null) throw held;
  const database = await connectDatabase(addressOf(socketFolder));
  await sql`select 1`.execute(database.query).catch(async (cause: unknown) => {
    await database.close();
    throw new Error(`${held.message}, and cannot be reached at ${socketFolder} from here`, { cause });
  });
  return database;
}

/** Connects to a database that another process or thread has opened. */
export async function connectDatabase(address: string): Promise<Database> {
  const isEmbedded = isSocket(address);
  // all clients of an embedded database share one connection, and wait for each other without a limit
  const limits: pg.PoolConfig = isEmbedded
    ? { max: 1 }
    : { max: MOST, connectionTimeoutMillis: LONGEST_WAIT, keepAlive: true };
  const options: pg.PoolConfig = { ...optionsOf(address), ...limits, types: TYPES };
  const pool = new pg.Pool(options);
  // the next query reports the error
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    // when a connection in use fails, its query rejects; without this listener the error would end the process
    client.on("error", () => undefined);
    // queries are short: compiling them takes longer than running them
    if (!isEmbedded) client.query("set jit = off").catch(() => undefined);
  });
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    query,
    address,
    isEmbedded,
    connect: async () => {
      const client = new pg.Client({ ...optionsOf(address), types: TYPES });
      await client.connect();
      return client;
    },
    ended: new Promise(() => undefined),
    close: () => query.destroy(),
  };
}

function addressOf(socketFolder: string): string {
  return `postgres://postgres@/postgres?host=${encodeURIComponent(socketFolder)}&port=${EMBEDDED_PORT}`;
}

function isSocket(address: string): boolean {
  return address.startsWith("postgres://postgres@/postgres?host=");
}

function optionsOf(address: string): pg.ClientConfig {
  if (!isSocket(address)) return { connectionString: address, application_name: "simtape" };
  const host = new URLSearchParams(address.slice(address.indexOf("?"))).get("host")!;
  return { host, port: EMBEDDED_PORT, user: "postgres", database: "postgres" };
}

/** Counts and sizes are numbers: values above 2^53 do not occur. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as "text")) as pg.CustomTypesConfig["getTypeParser"],
};
