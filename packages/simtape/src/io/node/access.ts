import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { SourceError } from "../source/source.ts";

/** What only this user may read: recordings hold what people say and do. */
export const OWN_FILE = 0o600;
export const OWN_FOLDER = 0o700;

/** What the `umask` leaves of it may be read by others. */
const ANY_FOLDER = 0o777;

/** The mode of folders that are made. `isShared`: others may read what is in them as far as the `umask` lets them. */
export function folderMode(isShared: boolean): number {
  return isShared ? ANY_FOLDER : OWN_FOLDER;
}

/** The mode of a file that is as readable as what is there; null: nothing is. */
export async function modeLike(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found === null ? null : found.mode & 0o666;
}

/** A file to read; a pipe or device, which may have no end or never begin, is refused. */
export async function openToRead(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await handle.stat().catch(() => null);
  if (found?.isFile() === true) return handle;
  await handle.close();
  const what = found?.isDirectory() === true ? "a folder" : "a pipe or device";
  throw new SourceError("failed", `${what}, not a file: ${path}`);
}

/** All of a small file, and how many milliseconds ago it was changed; null: it is not there. */
export async function readSmall(path: string): Promise<{ readonly text: string; readonly age: number } | null> {
  let handle: FileHandle;
  try {
    handle = await openToRead(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(SMALL), position: 0 });
    return { text: buffer.toString("utf8", 0, bytesRead), age: Date.now() - (await handle.stat()).mtimeMs };
  } finally {
    await handle.close();
  }
}

const SMALL = 4096;

/** A file that grows, made when it is not there; never one that a link leads to. */
export async function openToAppend(path: string, mode: number): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  try {
    return await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, mode);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ELOOP") throw cause;
    throw new SourceError("failed", `a symbolic link, which is not followed: ${path}`, { cause });
  }
}
