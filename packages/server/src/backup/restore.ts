import { access } from "node:fs/promises";
import type pg from "pg";
import { UsageError } from "simtape/command";
import { type Database, openDatabase } from "../database/database.ts";
import { migrate, migrationIs } from "../database/migrate.ts";
import { openData } from "../library/data.ts";
import type { Library } from "../library/library.ts";
import { openLibrary } from "../library/open.ts";
import { Audit } from "../people/audit.ts";
import type { Settings } from "../settings.ts";
import { contentOfFile, unzipped } from "../unzipped.ts";
import { BackupError, type Beginning, checkArchive, readArchive } from "./archive.ts";
import { continueNumbers, insertRows } from "./rows.ts";

/** The result of a restore. */
export interface RestoreReport {
  /** When the backup was made, ISO 8601. */
  readonly made: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  /** Recordings that have rows but no files in the library: they appear again when their files do. */
  readonly missing: readonly string[];
}

/** Advice for a database that is not new. */
export const ANOTHER = "a new one is needed: --data ANOTHER-FOLDER or another --database";
/** Tables that have rows only after a server was used; migrations add none. Lines of the audit cannot be deleted. */
const MADE: Readonly<Record<string, string>> = {
  accounts: "select 1 from users where id <> 'operator' limit 1",
  recordings: "select 1 from recordings limit 1",
  "an audit": "select 1 from audit limit 1",
};

/**
 * Restores a backup into a server that is not running, with a database of either kind that has no rows yet. It reads the
 * backup twice: first all of it is checked, so that a damaged one leaves nothing behind. It restores all rows or none.
 * Existing files stay. Throws `BackupError` when the file is no backup, is damaged or is incomplete, `UsageError` when
 * it does not fit the database.
 */
export async function restore(settings: Settings, path: string): Promise<RestoreReport> {
  await access(path);
  await checkArchive(contentOf(path));
  const [data, library] = [await openData(settings), await openLibrary(settings)];
  let opened: { database: Database; client: pg.Client; beginning: Beginning } | null = null;
  try {
    const ending = await readArchive(contentOf(path), {
      begin: async (beginning) => {
        const database = await openEmpty(settings.database, beginning);
        opened = { database, client: await database.connect(), beginning };
        await opened.client.query("begin");
        await empty(opened.client, beginning);
      },
      rows: (name, lines) => insertRows(opened!.client, tableIn(opened!.beginning, name), lines),
      file: (name, content) => putFile(name, content, { data, library }),
    });
    const { client, database, beginning } = opened!;
    await continueNumbers(client);
    await client.query("commit");
    await migrate(database.query);
    const details = { made: beginning.made, by: "simtape restore" };
    await new Audit(database.query).add({ who: null, role: "command", action: "restored", details });
    const missing = await missingOf(client, library);
    return { made: beginning.made, rows: ending.rows, files: ending.files, missing };
  } finally {
    await closed(opened);
  }
}

async function closed(opened: { database: Database; client: pg.Client } | null): Promise<void> {
  await opened?.client.end();
  await opened?.database.close();
}

/** The tar of a backup. Throws `BackupError` when it does not unpack. */
export async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  if (!path.endsWith("gz")) {
    yield* contentOfFile(path);
    return;
  }
  try {
    yield* unzipped(path);
  } catch (error) {
    if (!(error instanceof Error && String((error as { code?: unknown }).code).startsWith("Z_"))) throw error;
    throw new BackupError(`no whole backup of simtape: it does not unpack: ${error.message}`);
  }
}

/** Opens the database with the tables of the release that made the backup. */
async function openEmpty(address: string, { migration }: Beginning): Promise<Database> {
  const age = migrationIs(migration);
  if (age === "unknown") throw new BackupError("the backup is of a later release of simtape; use that one");
  const database = await openDatabase(address, age === "last" ? undefined : migration);
  try {
    const client = await database.connect();
    // end here before the database does: a broken connection would be another error
    try {
      await mustBeEmpty(client, migration);
    } finally {
      await client.end();
    }
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Throws `UsageError`. */
async function mustBeEmpty(client: pg.Client, migration: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>("select name from kysely_migration order by name desc limit 1");
  if (rows[0]!.name !== migration)
    throw new UsageError(`the backup is of an earlier release, and the database has tables: ${ANOTHER}`);
  for (const [what, found] of Object.entries(MADE))
    if ((await client.query(found)).rows.length > 0) throw new UsageError(`the database has ${what}: ${ANOTHER}`);
}

/**
 * Deletes the rows that migrations and a first start have added: the backup contains them, too. The audit keeps its
 * lines, if any.
 */
async function empty(client: pg.Client, { tables }: Beginning): Promise<void> {
  for (const { name } of tables.toReversed()) if (name !== "audit") await client.query(`delete from "${name}"`);
}

function tableIn({ tables }: Beginning, name: string): Beginning["tables"][number] {
  const found = tables.find((table) => table.name === name);
  if (found === undefined) throw new BackupError(`the backup is damaged: it does not name the columns of ${name}`);
  return found;
}

async function putFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  to: { readonly data: Library; readonly library: Library },
): Promise<void> {
  const [, under, key] = /^(data|recordings)\/(.+)$/.exec(path) ?? [];
  if (key === undefined) throw new BackupError(`the backup is damaged: it contains ${path}`);
  const library = under === "data" ? to.data : to.library;
  const there = await library.open(key);
  await there?.close();
  if (there !== null) return;
  const sink = await library.sink(key).open();
  try {
    for await (const piece of content) await sink.write(piece);
    await sink.close();
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

async function missingOf(client: pg.Client, library: Library): Promise<readonly string[]> {
  const there = new Set<string>();
  for await (const { key } of library.list()) there.add(key);
  const { rows } = await client.query<{ key: string; files: { name: string }[] }>(
    "select key, files from recordings where state <> 'gone' order by key",
  );
  const isThere = ({ key, files }: (typeof rows)[number]): boolean =>
    files.every(({ name }) => there.has(key.slice(0, key.lastIndexOf("/") + 1) + name));
  return rows.filter((row) => !isThere(row)).map(({ key }) => key);
}
