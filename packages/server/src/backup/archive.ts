import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { type TarEntry, tarEnd, tarEntries, tarHeader, tarPadding } from "../tar.ts";

/** The first entry of a backup: its description. */
export interface Beginning {
  readonly simtape: "backup";
  readonly version: 1;
  /** The last migration of its tables. */
  readonly migration: string;
  /** ISO 8601. */
  readonly made: string;
  /** Tables in an order in which each comes after those that it refers to. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

/** The last entry of a backup: without it the backup is incomplete. */
interface Ending {
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  /** SHA-256 of the paths and contents of all entries before. */
  readonly sha256: string;
}

/** Thrown when a file is no backup, or an incomplete one. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}

const [BEGINNING, ENDING] = ["backup.json", "end.json"];

/**
 * Writes a backup as a tar: `backup.json`, the rows of each table in pieces (`tables/NAME/0.ndjson`), the files of the
 * server (`data/…`), recordings (`recordings/…`), `end.json`.
 */
export class ArchiveWriter {
  readonly #out: Writable;
  readonly #hash: Hash = createHash("sha256");
  readonly #rows: Record<string, number> = {};
  #files = 0;
  #bytes = 0;

  constructor(out: Writable) {
    this.#out = out;
  }

  /** Bytes written so far, before compression. */
  get bytes(): number {
    return this.#bytes;
  }

  get rows(): Readonly<Record<string, number>> {
    return this.#rows;
  }

  begin(beginning: Beginning): Promise<void> {
    return this.#add(BEGINNING, Buffer.from(`${JSON.stringify(beginning)}\n`));
  }

  /** Writes rows of a table, each as a line of JSON. */
  async addRows(table: string, piece: number, lines: readonly string[]): Promise<void> {
    this.#rows[table] = (this.#rows[table] ?? 0) + lines.length;
    if (lines.length > 0) await this.#add(`tables/${table}/${piece}.ndjson`, Buffer.from(`${lines.join("\n")}\n`));
  }

  /** Writes a file; throws `BackupError` when the file has become shorter meanwhile. */
  async addFile(path: string, bytes: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    this.#files++;
    await this.#head(path, bytes);
    let written = 0;
    for await (const piece of content) {
      const part = piece.subarray(0, bytes - written);
      written += part.length;
      await this.#content(part);
    }
    if (written < bytes) throw new BackupError(`${path} has become shorter; make the backup again`);
    await this.#write(tarPadding(bytes));
  }

  /** The caller ends the stream. */
  async finish(): Promise<void> {
    const ending: Ending = { rows: this.#rows, files: this.#files, sha256: this.#hash.digest("hex") };
    const content = Buffer.from(`${JSON.stringify(ending)}\n`);
    await this.#write(Buffer.concat([tarHeader(ENDING, content.length), content, tarPadding(content.length)]));
    await this.#write(tarEnd());
  }

  async #add(path: string, content: Buffer): Promise<void> {
    await this.#head(path, content.length);
    await this.#content(content);
    await this.#write(tarPadding(content.length));
  }

  #head(path: string, bytes: number): Promise<void> {
    this.#hash.update(`${path}\n`);
    return this.#write(tarHeader(path, bytes));
  }

  #content(piece: Uint8Array): Promise<void> {
    this.#hash.update(piece);
    return this.#write(piece);
  }

  async #write(piece: Uint8Array): Promise<void> {
    this.#bytes += piece.length;
    if (!this.#out.write(piece)) await this.#drained();
  }

  /** Rejects when the stream has failed: it drains no more, and says so only once. */
  async #drained(): Promise<void> {
    if (!this.#out.destroyed) await once(this.#out, "drain");
    if (this.#out.destroyed) throw this.#out.errored ?? new BackupError("what the backup is written to was closed");
  }
}

/** Functions that get each part of a backup, in order. */
export interface BackupParts {
  begin(beginning: Beginning): Promise<void>;
  rows(table: string, lines: readonly string[]): Promise<void>;
  file(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
}

/** Settles when the whole backup was read and its digest is right; throws `BackupError` when it is not. */
export async function readArchive(input: AsyncGenerator<Uint8Array>, parts: BackupParts): Promise<Ending> {
  const hash = createHash("sha256");
  let rows = 0;
  let files = 0;
  let isBegun = false;
  try {
    for await (const entry of tarEntries(input)) {
      const { path } = entry;
      if (path === ENDING) {
        const ending = endingIn(await whole(entry.content));
        const counted = Object.values(ending.rows).reduce((sum, count) => sum + count, 0);
        if (ending.sha256 !== hash.digest("hex") || ending.files !== files || counted !== rows)
          throw new BackupError("the backup is damaged: its content is not what was written");
        // what packed it compares its own checksum behind the end
        for await (const rest of input) void rest;
        return ending;
      }
      hash.update(`${path}\n`);
      const content = hashed(entry, hash);
      if (!isBegun) {
        await parts.begin(beginningIn(path, await whole(content)));
        isBegun = true;
        continue;
      }
      const [, table] = /^tables\/(\w+)\/\d+\.ndjson$/.exec(path) ?? [];
      if (table === undefined) {
        files++;
        await parts.file(path, content);
      } else {
        const lines = (await whole(content)).toString().split("\n").slice(0, -1);
        rows += lines.length;
        await parts.rows(table, lines);
      }
      // skip the rest of this part
      for await (const piece of content) void piece;
    }
  } catch (error) {
    if (error instanceof RangeError) throw new BackupError(`no whole backup of simtape: ${error.message}`);
    throw error;
  }
  throw new BackupError("no whole backup of simtape: the end of it is missing");
}

/** Reads all of a backup, and keeps nothing of it. Throws as `readArchive` does. */
export async function checkArchive(input: AsyncGenerator<Uint8Array>): Promise<void> {
  await readArchive(input, { begin: nothing, rows: nothing, file: nothing });
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

function beginningIn(path: string, content: Buffer): Beginning {
  if (path !== BEGINNING) throw new BackupError("this is no backup of simtape");
  const found = parsed(content) as Partial<Beginning> | null;
  if (found?.simtape !== "backup") throw new BackupError("this is no backup of simtape");
  if (found.version !== 1) throw new BackupError("the backup is of a later release of simtape; use that one");
  return found as Beginning;
}

function endingIn(content: Buffer): Ending {
  const found = parsed(content) as Partial<Ending> | null;
  if (typeof found?.rows !== "object" || found.rows === null)
    throw new BackupError(`the backup is damaged: its ${ENDING} does not say what was written`);
  return found as Ending;
}

function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    throw new BackupError("the backup is damaged: its description is not JSON");
  }
}

async function* hashed({ content }: TarEntry, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
}

async function whole(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}
