import { createHash, type Hash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import { isWorldFile, WORLD_ENDINGS } from "simtape/serving";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import { newId } from "../ids.ts";
import { openData } from "../library/data.ts";
import type { Library } from "../library/library.ts";
import { Problem } from "../problem.ts";

/** Folder of the data that has their bytes, and folder of this machine in which they arrive. */
const FOLDER = "companions";
const ARRIVING = "companions-arriving";
/** Most bytes of a companion, of all companions of a recording, and most of them: as many as the page reads. */
const MOST_BYTES = 256 << 20;
const MOST_TOGETHER = 512 << 20;
const MOST_FILES = 100;
const LONGEST_NAME = 200;
/** Milliseconds after which a file without a row was left by a node that was killed. */
const ABANDONED = 3600_000;
/** For so long the companions of a recording whose file is gone are kept: it may come back, under any name. */
const KEPT = "7 days";

/** A companion as users see it. */
export interface Companion {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of its bytes, in hex; null: an earlier release added the recording. */
  readonly digest: string | null;
}

/**
 * Files that show the worlds of recordings. They belong to a recording by its id, so that they stay with it when its file
 * gets another name, and end with it.
 */
export class Companions {
  readonly #context: Pick<Context, "query" | "settings">;
  #data: Promise<Library> | null = null;

  constructor(context: Pick<Context, "query" | "settings">) {
    this.#context = context;
  }

  /** Those of a recording, by name. */
  async of(recording: string): Promise<readonly Companion[]> {
    const { query } = this.#context;
    return query
      .selectFrom("companions")
      .select(["name", "bytes", "digest"])
      .where("recording", "=", recording)
      .orderBy("name")
      .execute();
  }

  /** Where its bytes are; null: the recording has no companion of that name. */
  async find(recording: string, name: string): Promise<{ readonly data: Library; readonly key: string } | null> {
    const row = await this.#context.query
      .selectFrom("companions")
      .select("file")
      .where("recording", "=", recording)
      .where("name", "=", name)
      .executeTakeFirst();
    return row === undefined ? null : { data: await this.#library(), key: keyOf(row.file) };
  }

  /**
   * Takes the bytes of a companion; it replaces one of the same name when all bytes have arrived. `declared`: how many
   * there are, as the client says; 0: it does not say. Throws `Problem` for a name that shows no world, and for too many
   * bytes or files.
   */
  async put(recording: string, name: string, body: Readable | undefined, declared: number): Promise<Companion> {
    checkName(name);
    if (body === undefined) throw new Problem(400, "an empty file shows nothing");
    if (declared > MOST_BYTES) throw tooLarge();
    await this.#mustFit(this.#context.query, recording, name, declared);
    const folder = join(this.#context.settings.data, ARRIVING);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, randomUUID());
    try {
      const hash = createHash("sha256");
      await pipeline(hashed(upToMost(body), hash), createWriteStream(path, { mode: 0o600, flush: true }));
      const digest = hash.digest("hex");
      const { size: bytes } = await stat(path);
      if (bytes === 0) throw new Problem(400, "an empty file shows nothing");
      const file = newId();
      const data = await this.#library();
      await data.put(path, keyOf(file));
      await failpoint("companions/stored");
      const before = await this.#name(recording, { name, bytes, digest }, file);
      await failpoint("companions/named");
      if (before !== null) await data.remove(keyOf(before));
      return { name, bytes, digest };
    } finally {
      await rm(path, { force: true });
    }
  }

  /** False: the recording has no companion of that name. */
  async remove(recording: string, name: string): Promise<boolean> {
    const row = await this.#context.query
      .deleteFrom("companions")
      .where("recording", "=", recording)
      .where("name", "=", name)
      .returning("file")
      .executeTakeFirst();
    if (row === undefined) return false;
    await (await this.#library()).remove(keyOf(row.file));
    return true;
  }

  /** Removes all of a recording. */
  async removeAll(recording: string): Promise<void> {
    for (const { name } of await this.of(recording)) await this.remove(recording, name);
  }

  /** Removes companions of recordings that have been gone for long, and bytes that belong to none. */
  async sweep(): Promise<void> {
    const { query, settings } = this.#context;
    const over = await query
      .selectFrom("companions")
      .innerJoin("recordings", "recordings.id", "companions.recording")
      .select(["recordings.id", "companions.name"])
      .where("state", "=", "gone")
      .where("changed", "<", sql<Date>`now() - ${KEPT}::interval`)
      .execute();
    for (const { id, name } of over) await this.remove(id, name);
    const old = Date.now() - ABANDONED;
    const data = (await this.#library()).store(FOLDER);
    const left: string[] = [];
    for await (const { key, modified } of data.list("")) if (modified < old) left.push(key);
    const rows = left.length === 0 ? [] : await query.selectFrom("companions").select("file").execute();
    const known = new Set(rows.map(({ file }) => file));
    for (const key of left) if (!known.has(key)) await data.delete(key);
    const arriving = join(settings.data, ARRIVING);
    for (const name of await readdir(arriving).catch((): string[] => [])) {
      const found = await stat(join(arriving, name)).catch(() => null);
      if (found !== null && found.mtimeMs < old) await rm(join(arriving, name), { force: true });
    }
  }

  /** Returns the file that had the name before; null: none. */
  async #name(recording: string, companion: Companion, file: string): Promise<string | null> {
    const { name, bytes } = companion;
    return this.#context.query.transaction().execute(async (within) => {
      // of two requests, the second one counts what the first has added
      await within.selectFrom("recordings").select("id").where("id", "=", recording).forUpdate().executeTakeFirst();
      await this.#mustFit(within, recording, name, bytes);
      const before = await within
        .deleteFrom("companions")
        .where("recording", "=", recording)
        .where("name", "=", name)
        .returning("file")
        .executeTakeFirst();
      await within
        .insertInto("companions")
        .values({ recording, file, ...companion })
        .execute();
      return before?.file ?? null;
    });
  }

  async #mustFit(query: Context["query"], recording: string, name: string, bytes: number): Promise<void> {
    const { count, sum } = await query
      .selectFrom("companions")
      .select((of) => [of.fn.countAll<number>().as("count"), of.fn.sum<number | null>("bytes").as("sum")])
      .where("recording", "=", recording)
      .where("name", "<>", name)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MOST_FILES)
      throw new Problem(409, `a recording has ${MOST_FILES} companions at most: remove some`);
    if (Number(sum ?? 0) + bytes > MOST_TOGETHER)
      throw new Problem(413, `the companions of a recording have ${MOST_TOGETHER >> 20} MiB together at most`);
  }

  #library(): Promise<Library> {
    this.#data ??= openData(this.#context.settings);
    return this.#data;
  }
}

/** Throws `Problem` for a name that no companion has. */
function checkName(name: string): void {
  if (!isWorldFile(name))
    throw new Problem(400, `${name.slice(0, LONGEST_NAME)} shows no world: names end with ${WORLD_ENDINGS.join(", ")}`);
  if (name.length > LONGEST_NAME || name.startsWith(".") || /[\p{Cc}\p{Surrogate}/\\]/u.test(name))
    throw new Problem(400, `a companion cannot have this name: ${JSON.stringify(name.slice(0, LONGEST_NAME))}`);
}

function keyOf(file: string): string {
  return `${FOLDER}/${file}`;
}

function tooLarge(): Problem {
  return new Problem(413, `a companion has ${MOST_BYTES >> 20} MiB at most`);
}

async function* upToMost(body: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of body as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw tooLarge();
    yield part;
  }
}

async function* hashed(parts: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
}
