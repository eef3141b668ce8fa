import { open, rename, rm } from "node:fs/promises";
import { PassThrough, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { SinkError } from "simtape/command";
import { openData } from "../library/data.ts";
import type { Library } from "../library/library.ts";
import { openLibrary } from "../library/open.ts";
import type { Settings } from "../settings.ts";
import { ArchiveWriter } from "./archive.ts";
import { rowsIn, tablesOf } from "./rows.ts";
import { snapshotOf } from "./snapshot.ts";

/** The contents of a backup. */
export interface BackupReport {
  readonly rows: Readonly<Record<string, number>>;
  /** Number of seek indexes, of copies that were cut for links, and of companions. */
  readonly files: number;
  /** Number of recordings that are copied, not only named; null: the caller did not ask for copies. */
  readonly recordings: number | null;
  /** Keys of recordings whose files are being written or are missing. */
  readonly leftOut: readonly string[];
  /** Bytes before compression. */
  readonly bytes: number;
}

/** Folders of the server's own files that are worth a backup; all others hold unfinished work. */
const KEPT = ["indexes", "shares", "companions"];

/**
 * Writes all data of a server as it is at one moment, while the server runs: rows, seek indexes, copies for links,
 * companions, and the recordings if the caller asks for them. `output`: a path, which is compressed when it ends with `.gz` and appears
 * when it is complete; or a stream.
 */
export async function backUp(
  settings: Settings,
  output: string | Writable,
  hasRecordings: boolean,
): Promise<BackupReport> {
  if (typeof output !== "string") return writeAll(settings, output, hasRecordings);
  const unfinished = `${output}.unfinished`;
  const file = await open(unfinished, "w", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new SinkError(`cannot be created (${error.code ?? error.message}): ${output}`, { cause: error });
  });
  try {
    const content = output.endsWith("gz") ? createGzip() : new PassThrough();
    const written = pipeline(content, file.createWriteStream({ flush: true })).catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new SinkError(`cannot be written, is the disk full? (${code ?? message}): ${output}`, { cause: error });
    });
    const made = writeAll(settings, content, hasRecordings).finally(() => content.end());
    // both end before the file is removed; where the disk has failed, that is why the other has, too
    const [disk, all] = await Promise.allSettled([written, made]);
    if (disk.status === "rejected") throw disk.reason;
    if (all.status === "rejected") throw all.reason;
    await rename(unfinished, output);
    return all.value;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeAll(settings: Settings, out: Writable, hasRecordings: boolean): Promise<BackupReport> {
  const archive = new ArchiveWriter(out);
  const snapshot = await snapshotOf(settings.database);
  const leftOut: string[] = [];
  let recordings = 0;
  let files = 0;
  try {
    const { client } = snapshot;
    const { rows } = await client.query<{ name: string }>(
      "select name from kysely_migration order by name desc limit 1",
    );
    const tables = await tablesOf(client);
    const migration = rows[0]!.name;
    await archive.begin({ simtape: "backup", version: 1, migration, made: new Date().toISOString(), tables });
    for (const table of tables) {
      let piece = 0;
      for await (const lines of rowsIn(client, table)) await archive.addRows(table.name, piece++, lines);
      if (piece === 0) await archive.addRows(table.name, 0, []);
    }
    const data = await openData(settings);
    for (const folder of KEPT) files += await addFolder(data, folder, archive);
    if (hasRecordings) {
      const library = await openLibrary(settings);
      const all = await client.query<{ key: string; state: string; files: { name: string }[] }>(
        "select key, state, files from recordings where state <> 'gone' order by key",
      );
      for (const { key, state, files: named } of all.rows) {
        const folder = key.slice(0, key.lastIndexOf("/") + 1);
        const keys = named.map(({ name }) => folder + name);
        const isWhole = state !== "live" && (await addFiles(library, keys, "recordings", archive));
        if (isWhole) recordings++;
        else leftOut.push(key);
      }
    }
    await archive.finish();
  } finally {
    await snapshot.close();
  }
  const { rows, bytes } = archive;
  return { rows, files, recordings: hasRecordings ? recordings : null, leftOut, bytes };
}

async function addFolder(data: Library, folder: string, archive: ArchiveWriter): Promise<number> {
  let files = 0;
  for await (const { key } of data.store(folder).list(""))
    if (await addFiles(data, [`${folder}/${key}`], "data", archive)) files++;
  return files;
}

/** False: some of the files are missing. */
async function addFiles(
  library: Library,
  keys: readonly string[],
  under: string,
  archive: ArchiveWriter,
): Promise<boolean> {
  for (const key of keys) {
    const opened = await library.open(key);
    if (opened === null) return false;
    try {
      const { bytes } = opened.file;
      await archive.addFile(`${under}/${key}`, bytes, bytes === 0 ? nothing() : opened.stream(0, bytes));
    } finally {
      await opened.close();
    }
  }
  return true;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
