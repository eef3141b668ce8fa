import type { BigIntStats } from "node:fs";
import { type FileHandle, open, readdir, rename, rmdir, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SourceError } from "../source/source.ts";
import type { StoreEntry } from "../store/store.ts";
import { modeLike, OWN_FILE, openToAppend, openToRead } from "./access.ts";
import { makeFolders } from "./folders.ts";
import { isGone, MARK, newMark } from "./owner.ts";

/**
 * Files of the store's own have a `~` in their name, which no key has: `.NAME~MARK`, `.NAME~lock`, `.NAME~lock~MARK`,
 * `.NAME~lock~HASH`, `.~puts`. Of a mark it is known whether its process has ended. `.NAME~MARK.part` is a file that a
 * command was writing (`file-sink.ts`).
 */
const MARKED = new RegExp(`^\\..*~(${MARK.source})(?:\\.part)?$`, "s");
const GRAVE = /^\..*~lock~[0-9a-f~]+$/s;

/** Milliseconds after which the lock of a lock counts as free. */
const OLD_GRAVE = 3_600_000;

/** A file being written, not yet under its name. */
export interface Temporary {
  readonly path: string;
  readonly handle: FileHandle;
}

/** Makes a file beside `path`, as readable as their folder, and the folders above it with `mode`. */
export async function createBeside(path: string, mode: number): Promise<Temporary> {
  const folder = dirname(path);
  const beside = join(folder, `.${basename(path)}~${newMark()}`);
  for (let tries = 1; ; tries++) {
    try {
      return { path: beside, handle: await open(beside, "wx", (await modeLike(folder)) ?? OWN_FILE) };
    } catch (error) {
      // A delete takes empty folders away, perhaps the one just made.
      if (!isCode(error, "ENOENT") || tries > 3) throw error;
      await makeFolder(folder, mode);
    }
  }
}

/**
 * Ends the writing: what is in the file survives a crash. Resolves with its etag, which it keeps under any name. The
 * time of change is set by us, in microseconds: the system's own is too coarse to tell two changes apart.
 */
export async function seal({ handle }: Temporary): Promise<string> {
  const now = Date.now() / 1000 + Number(process.hrtime.bigint() % 1_000_000n) / 1e9;
  await handle.utimes(now, now);
  await handle.sync();
  const etag = etagOf(await handle.stat({ bigint: true }));
  await handle.close();
  return etag;
}

/** Takes a file away that is not wanted any more. */
export async function dropped({ handle, path }: Temporary): Promise<void> {
  await handle.close().catch(() => undefined);
  await unlink(path).catch(() => undefined);
}

/** Removes what processes left in a folder that ended before they were done; `of`: files beside this one only. */
export async function tidy(folder: string, of = ""): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (of !== "" && !name.startsWith(`.${of}~`)) continue;
    const mark = MARKED.exec(name)?.[1];
    if (mark === undefined && !GRAVE.test(name)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    const age = Date.now() - (found?.mtimeMs ?? 0);
    if (mark === undefined ? age > OLD_GRAVE : isGone(mark, age)) await unlink(path).catch(() => undefined);
  }
}

/** Null: no file is there. */
export async function statOf(path: string): Promise<BigIntStats | null> {
  try {
    const found = await stat(path, { bigint: true });
    return found.isFile() ? found : null;
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return null;
    throw error;
  }
}

/** Inode, time of change and size: a file is never changed in place, so that each content has its own. */
export function etagOf({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino.toString(36)}-${mtimeNs.toString(36)}-${size.toString(36)}`;
}

export function entryOf(key: string, found: BigIntStats): StoreEntry {
  return { key, size: Number(found.size), etag: etagOf(found), modified: Number(found.mtimeMs) };
}

/** So that a name given or taken survives a crash; not every system can. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** Removes `folder` and those above it, up to `root`, while there is nothing in them. */
export async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let at = folder; at !== root && at.startsWith(root); at = dirname(at)) {
    const names = await readdir(at).catch(() => [""]);
    if (!names.every(isPutsName)) return;
    for (const name of names) await unlink(join(at, name)).catch(() => undefined);
    const isRemoved = await rmdir(at).then(
      () => true,
      () => false,
    );
    if (!isRemoved) return;
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

async function makeFolder(path: string, mode: number): Promise<void> {
  const first = await makeFolders(path, mode);
  if (first === null) return;
  for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
}

const PUTS = ".~puts";
const PUTS_BEFORE = ".~puts.before";
/** Bytes of keys remembered in a folder, at most twice as many. */
const REMEMBERED = 64 * 1024;

function isPutsName(name: string): boolean {
  return name === PUTS || name === PUTS_BEFORE;
}

/** Remembers under which idempotency key the content with this etag is about to get its name. */
export async function rememberPut(path: string, etag: string, idempotencyKey: string): Promise<void> {
  const log = join(dirname(path), PUTS);
  const mode = (await modeLike(dirname(path))) ?? OWN_FILE;
  const handle = await openToAppend(log, mode).catch(async (error: unknown) => {
    if (!(error instanceof SourceError)) throw error;
    // The name is ours: a link there leads to a file that is not.
    await unlink(log);
    return openToAppend(log, mode);
  });
  try {
    // A line cut by a crash spoils itself only.
    await handle.write(`\n${putLine(path, etag, idempotencyKey)}\n`);
    await handle.datasync();
    if ((await handle.stat()).size > REMEMBERED) await rename(log, join(dirname(path), PUTS_BEFORE));
  } catch (error) {
    // Another has turned the page at the same moment.
    if (!isCode(error, "ENOENT")) throw error;
  } finally {
    await handle.close();
  }
}

/** True when the content with this etag got its name by a put with this idempotency key, not too long ago. */
export async function isRemembered(path: string, etag: string, idempotencyKey: string): Promise<boolean> {
  const line = putLine(path, etag, idempotencyKey);
  for (const name of [PUTS, PUTS_BEFORE]) {
    const handle = await openToRead(join(dirname(path), name)).catch(() => null);
    if (handle === null) continue;
    try {
      if ((await handle.readFile("utf8")).split("\n").includes(line)) return true;
    } finally {
      await handle.close();
    }
  }
  return false;
}

function putLine(path: string, etag: string, idempotencyKey: string): string {
  return `${basename(path)} ${etag} ${idempotencyKey}`;
}
