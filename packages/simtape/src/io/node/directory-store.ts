import type { Dirent } from "node:fs";
import { link, lstat, open, readdir, rename, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { QuotaOptions } from "../store/memory-store.ts";
import type { ByteSink } from "../sink/sink.ts";
import type { ByteSource } from "../source/source.ts";
import {
  type Condition,
  type PutOptions,
  type Store,
  type StoreEntry,
  StoreError,
  type StoreErrorCode,
} from "../store/store.ts";
import { checkKey, checkPrefix, checkPut, conflict, holds, isPart, overQuota } from "../store/store-key.ts";
import { storeSink } from "../store/store-sink.ts";
import {
  createBeside,
  dropped,
  entryOf,
  etagOf,
  isCode,
  isRemembered,
  rememberPut,
  removeEmpty,
  seal,
  statOf,
  syncFolder,
  type Temporary,
  tidy,
} from "./directory-files.ts";
import { folderMode } from "./access.ts";
import { fileSource } from "./file-source.ts";
import { LockedError, locked } from "./file-lock.ts";

/** Who may read what a directory store writes, and how large it may become. */
export interface DirectoryOptions extends QuotaOptions {
  /**
   * Folders that are made are open to others as far as the `umask` lets them. Default: to this user only. A file is as
   * readable as the folder that it is in.
   */
  readonly shared?: boolean | undefined;
}

/**
 * Objects as files below a folder, which is made when the first one is put. Several processes may use it at once. A
 * file is written beside its place, made to survive a crash, and then named; a put under `absent` links it, so that one
 * of many wins, every other change holds a lock beside the file. What ended processes left is removed or taken over.
 * Needs a file system with hard links. A key cannot also be the beginning of another key: `a` and `a/b`.
 */
export function directoryStore(path: string, options: DirectoryOptions = {}): Store {
  const { quota = Number.POSITIVE_INFINITY, shared = false } = options;
  return new DirectoryStore(resolve(path), quota, folderMode(shared));
}

class DirectoryStore implements Store {
  readonly name: string;
  readonly #quota: number;
  readonly #folderMode: number;
  /** Bytes of all objects as far as this process knows; null before they were counted. */
  #used: number | null = null;
  readonly #tidied = new Set<string>();

  constructor(path: string, quota: number, mode: number) {
    this.name = path;
    this.#quota = quota;
    this.#folderMode = mode;
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<StoreEntry> {
    checkPrefix(prefix, this.name);
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    yield* this.#walk(folder, prefix, signal);
  }

  async head(key: string, signal?: AbortSignal): Promise<StoreEntry | null> {
    return this.#doing(key, signal, async (path) => {
      const found = await statOf(path);
      return found === null ? null : entryOf(key, found);
    });
  }

  async get(key: string, signal?: AbortSignal): Promise<{ bytes: Uint8Array; etag: string } | null> {
    return this.#doing(key, signal, async (path) => {
      if ((await statOf(path)) === null) return null;
      const handle = await open(path, "r").catch((error: unknown) => {
        if (isCode(error, "ENOENT")) return null;
        throw error;
      });
      if (handle === null) return null;
      try {
        const etag = etagOf(await handle.stat({ bigint: true }));
        return { bytes: new Uint8Array(await handle.readFile()), etag };
      } finally {
        await handle.close();
      }
    });
  }

  async source(key: string, signal?: AbortSignal): Promise<ByteSource | null> {
    return this.#doing(key, signal, async (path) => {
      if ((await statOf(path)) === null) return null;
      const source = fileSource(path);
      // Opens it: another content that comes under this name from now on is noticed.
      await source.size();
      return source;
    });
  }

  async put(key: string, bytes: Uint8Array, options: PutOptions = {}): Promise<string> {
    checkPut(key, options, this.name);
    return this.#doing(key, options.signal, async (path) => {
      const before = this.#quota === Number.POSITIVE_INFINITY ? 0 : Number((await statOf(path))?.size ?? 0n);
      await this.#reserve(key, bytes.length - before);
      try {
        const temporary = await this.#create(path);
        try {
          await writeAll(temporary, 0, bytes);
          return await this.#name(temporary, key, path, options);
        } finally {
          await dropped(temporary);
        }
      } catch (error) {
        this.#release(bytes.length - before);
        throw error;
      }
    });
  }

  async sink(key: string, options: PutOptions = {}): Promise<ByteSink> {
    checkPut(key, options, this.name);
    const doing = <T>(work: (path: string) => Promise<T>): Promise<T> => this.#doing(key, options.signal, work);
    const temporary = await doing((path) => this.#create(path));
    let length = 0;
    const work = {
      write: (offset: number, bytes: Uint8Array): Promise<void> =>
        doing(async () => {
          const grown = Math.max(0, offset + bytes.length - length);
          await this.#reserve(key, grown);
          length += grown;
          await writeAll(temporary, offset, bytes);
        }),
      flush: (): Promise<void> => doing(() => temporary.handle.datasync()),
      finish: (): Promise<void> =>
        doing(async (path) => {
          const before = Number((await statOf(path))?.size ?? 0n);
          await this.#name(temporary, key, path, options);
          await dropped(temporary);
          this.#release(before);
        }),
      discard: async (): Promise<void> => {
        this.#release(length);
        await dropped(temporary);
      },
    };
    return storeSink(this.#path(key), work, options.signal);
  }

  async delete(
    key: string,
    { condition, signal }: { readonly condition?: Condition; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    await this.#doing(key, signal, async (path) => {
      const there = await statOf(path);
      if (there === null || condition !== undefined) this.#check(key, condition, there && entryOf(key, there));
      if (there === null) return;
      await locked(lockOf(path), signal, async () => {
        const found = await statOf(path);
        this.#check(key, condition, found && entryOf(key, found));
        if (found === null) return;
        await unlink(path);
        this.#release(Number(found.size));
        await syncFolder(dirname(path));
      }).catch((error: unknown) => {
        // Another has removed the folder with the last that was in it.
        if (!isCode(error, "ENOENT")) throw error;
        this.#check(key, condition, null);
      });
      await removeEmpty(dirname(path), this.name);
    });
  }

  /** Gives the sealed file its name, if the condition holds, for good. The temporary name may be left. */
  async #name(temporary: Temporary, key: string, path: string, options: PutOptions): Promise<string> {
    const { condition, idempotencyKey, signal } = options;
    const etag = await seal(temporary);
    if (condition !== undefined && "absent" in condition) {
      if (idempotencyKey !== undefined && (await statOf(path)) === null) await rememberPut(path, etag, idempotencyKey);
      for (;;) {
        signal?.throwIfAborted();
        if (await isLinked(temporary.path, path)) break;
        const found = await statOf(path);
        if (found !== null) return this.#resolve(key, path, etagOf(found), options);
        if (await isThere(path)) throw new StoreError("malformed", `not a file: ${key} in ${this.name}`, key);
      }
    } else {
      const earlier = await locked(lockOf(path), signal, async () => {
        const found = await statOf(path);
        if (!holds(condition, found && { etag: etagOf(found) }))
          return this.#resolve(key, path, found && etagOf(found), options);
        if (idempotencyKey !== undefined) await rememberPut(path, etag, idempotencyKey);
        signal?.throwIfAborted();
        await rename(temporary.path, path);
        return null;
      });
      if (earlier !== null) return earlier;
    }
    await syncFolder(dirname(path));
    return etag;
  }

  /** The condition failed: the etag of what is there when this same change made it, else a conflict. */
  async #resolve(key: string, path: string, found: string | null, options: PutOptions): Promise<string> {
    const { condition, idempotencyKey } = options;
    const isOurs = found !== null && idempotencyKey !== undefined && (await isRemembered(path, found, idempotencyKey));
    if (!isOurs) throw conflict(key, condition!, found === null ? null : { etag: found }, this.name);
    await syncFolder(dirname(path));
    return found;
  }

  #check(key: string, condition: Condition | undefined, found: StoreEntry | null): void {
    if (condition !== undefined && !holds(condition, found)) throw conflict(key, condition, found, this.name);
  }

  async #create(path: string): Promise<Temporary> {
    const folder = dirname(path);
    if (!this.#tidied.has(folder)) {
      this.#tidied.add(folder);
      await tidy(folder);
    }
    return createBeside(path, this.#folderMode);
  }

  async *#walk(folder: string, prefix: string, signal: AbortSignal | undefined): AsyncGenerator<StoreEntry> {
    signal?.throwIfAborted();
    const found = await this.#reading(join(this.name, folder));
    // With its slash a folder is in order among the files: "a.b" is before "a/b".
    const names = found
      .filter((entry) => isPart(entry.name) && (entry.isFile() || entry.isDirectory()))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort();
    for (const name of names) {
      const key = folder + name;
      if (!key.startsWith(prefix) && !prefix.startsWith(key)) continue;
      if (name.endsWith("/")) yield* this.#walk(key, prefix, signal);
      else if (key.startsWith(prefix)) {
        signal?.throwIfAborted();
        const entry = await this.head(key, signal);
        if (entry !== null) yield entry;
      }
    }
  }

  async #reading(path: string): Promise<Dirent[]> {
    try {
      return await readdir(path, { withFileTypes: true });
    } catch (error) {
      if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return [];
      throw failure(error, null, this.name);
    }
  }

  /** Throws `full` when the store would hold more than it may. */
  async #reserve(key: string, bytes: number): Promise<void> {
    if (this.#quota === Number.POSITIVE_INFINITY) return;
    this.#used ??= await this.#measured();
    // Others may have removed something since.
    if (this.#used + bytes > this.#quota) this.#used = await this.#measured();
    if (this.#used + bytes > this.#quota) throw overQuota(key, this.#quota, this.name);
    this.#used += bytes;
  }

  #release(bytes: number): void {
    if (this.#used !== null) this.#used -= bytes;
  }

  async #measured(): Promise<number> {
    let sum = 0;
    for await (const { size } of this.list("")) sum += size;
    return sum;
  }

  #path(key: string): string {
    return join(this.name, key);
  }

  /** Checks the key, and turns what the system throws into a `StoreError`. */
  async #doing<T>(key: string, signal: AbortSignal | undefined, work: (path: string) => Promise<T>): Promise<T> {
    checkKey(key, this.name);
    signal?.throwIfAborted();
    try {
      return await work(this.#path(key));
    } catch (error) {
      signal?.throwIfAborted();
      throw failure(error, key, this.name);
    }
  }
}

function lockOf(path: string): string {
  return join(dirname(path), `.${path.slice(dirname(path).length + 1)}~lock`);
}

async function writeAll({ handle }: Temporary, offset: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}

async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

const CODES: Readonly<Record<string, readonly [StoreErrorCode, string]>> = {
  ENOSPC: ["full", "the disk is full"],
  EDQUOT: ["full", "the disk quota is used up"],
  EFBIG: ["full", "larger than the file system takes"],
  EACCES: ["denied", "no permission"],
  EPERM: ["denied", "not permitted"],
  EROFS: ["denied", "the file system is read-only"],
  ENOTDIR: ["malformed", "a part of it is a file"],
  EISDIR: ["malformed", "a folder, not a file"],
  ENAMETOOLONG: ["malformed", "the name is too long"],
};

/** What the system throws, as a `StoreError`; everything else as it is. */
function failure(cause: unknown, key: string | null, store: string): unknown {
  const where = key === null ? store : `${key} in ${store}`;
  if (cause instanceof LockedError) return new StoreError("unavailable", cause.message, key, { cause });
  if (cause instanceof StoreError || !(cause instanceof Error) || !("code" in cause)) return cause;
  const [code, what] = CODES[String(cause.code)] ?? ["unavailable", "the disk fails"];
  return new StoreError(code, `${what} (${String(cause.code)}): ${where}`, key, { cause });
}
