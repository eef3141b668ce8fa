import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import type pg from "pg";
import { UsageError } from "simtape/serving";
import { type Database, openDatabase } from "../database/database.ts";
import { migrate, migrationIs } from "../database/migrate.ts";
import { openData } from "../library/data.ts";
import type { Library } from "../library/library.ts";
import { openLibrary } from "../library/open.ts";
import { Audit } from "../people/audit.ts";
import type { Settings } from "../settings.ts";
import { BackupError, type Beginning, readArchive } from "./archive.ts";
import { continueNumbers, insertRows } from "./rows.ts";

/** What was restored. */
export interface RestoreReport {
  /** When the backup was made, ISO 8601. */
  readonly made: string;
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  /** Recordings that the rows name and whose files are not in the library: they come back with their files. */
  readonly missing: readonly string[];
}

/** Rows that migrations make. */
const MADE = "select id from users where id <> 'operator' union all select id from recordings limit 1";

/**
 * Puts a backup into a server that does not run, with a database that has no rows yet, of either kind. All rows, or none.
 * Files that are there stay. Throws `BackupError` for what is no backup or not a whole
 * one, `UsageError` where it does not fit the database.
 */
export async function restore(settings: Settings, path: string): Promise<RestoreReport> {
  await access(path);
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

function contentOf(path: string): AsyncIterable<Uint8Array> {
  const file = createReadStream(path);
  return path.endsWith("gz") ? file.pipe(createGunzip()) : file;
}

/** With the tables that the backup was made of. */
async function openEmpty(address: string, { migration }: Beginning): Promise<Database> {
  const age = migrationIs(migration);
  if (age === "unknown") throw new BackupError("the backup is of a later release of simtape; use that one");
  const database = await openDatabase(address, age === "last" ? undefined : migration);
  const client = await database.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select name from kysely_migration order by name desc limit 1",
    );
    if (rows[0]!.name !== migration)
      throw new UsageError("the backup is of an earlier release: it needs a database without tables");
    const found = await client.query(MADE);
    if (found.rows.length > 0)
      throw new UsageError("there are accounts or recordings in the database: a new one is needed");
    return database;
  } catch (error) {
    await database.close();
    throw error;
  } finally {
    await client.end();
  }
}

/** What migrations and a first start have put there is in the backup, too. The audit keeps its lines, if any. */
async function empty(client: pg.Client, { tables }: Beginning): Promise<void> {
  for (const { name } of tables.toReversed()) if (name !== "audit") await client.query(`delete from "${name}"`);
}

function tableIn({ tables }: Beginning, name: string): Beginning["tables"][number] {
  const found = tables.find((table) => table.name === name);
  if (found === undefined) throw new BackupError(`the backup is damaged: it does not say what is in ${name}`);
  return found;
}

async function putFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  to: { readonly data: Library; readonly library: Library },
): Promise<void> {
  const [, under, key] = /^(data|recordings)\/(.+)$/.exec(path) ?? [];
  if (key === undefined) throw new BackupError(`the backup is damaged: it has ${path}`);
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
