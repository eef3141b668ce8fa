import { randomUUID } from "node:crypto";
import { constants, fstatSync, statSync } from "node:fs";
import { copyFile, type FileHandle, link, mkdir, open, readdir, realpath, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { Readable } from "node:stream";
import { directoryStore, fromFile, toFile } from "simtape/node";
import { FolderWatch } from "./folder-watch.ts";
import type { Library, LibraryFile, OpenFile } from "./library.ts";
import { readAt } from "./read-at.ts";

/** Bytes of a piece of a stream: large pieces cost less. */
const PIECE = 256 << 10;
/** Files that are examined before other work gets its turn. */
const AT_ONCE = 200;

/**
 * The library in a folder. It does not follow links that lead out of the folder. Throws the error of the system when
 * the folder does not exist.
 */
export async function folderLibrary(folder: string): Promise<Library> {
  const root = await realpath(folder);
  const watch = new FolderWatch(root);
  return {
    name: root,
    list: (signal, folder) =>
      folder === undefined ? listed(root, watch, signal) : filesIn(root, folder, new Set(), signal),
    open: (key) => opened(root, key),
    bundle: (key) => fromFile(pathOf(root, key)),
    sink: (key) => {
      const path = pathOf(root, key);
      const bundle = toFile(path);
      return {
        name: bundle.name,
        open: async (name) => {
          await mkdir(dirname(path), { recursive: true });
          return bundle.open(name);
        },
      };
    },
    put: (path, key) => put(path, pathOf(root, key)),
    watch: (changed) => watch.begin(changed),
    replacement: (key) => toFile(pathOf(root, key)),
    store: (folder) => directoryStore(folder === "" ? root : pathOf(root, folder)),
    presigned: () => Promise.resolve(null),
    remove: (key) => rm(pathOf(root, key), { force: true }),
    folders: () => foldersIn(root, ""),
    removeFolder: (folder) => removeFolder(pathOf(root, folder)),
  };
}

/** Throws `RangeError` for a key that leads out of the library. */
function pathOf(root: string, key: string): string {
  const parts = key.split("/");
  if (parts.some((part) => part === "" || part.startsWith(".") || /[\0\\]/.test(part)))
    throw new RangeError(`not a key of a library: ${JSON.stringify(key)}`);
  return join(root, ...parts);
}

/** The folders that were listed are watched from then on, if the caller asked for that. */
async function* listed(root: string, watch: FolderWatch, signal: AbortSignal | undefined): AsyncGenerator<LibraryFile> {
  const folders = new Set<string>();
  yield* filesIn(root, "", folders, signal);
  watch.follow(folders);
}

async function removeFolder(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  // only hidden files are left, which a recorder made for itself
  if (entries.every((entry) => entry.isFile() && entry.name.startsWith(".")))
    await rm(path, { recursive: true, force: true });
}

async function foldersIn(root: string, under: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, under), { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  const found: string[] = [];
  for (const name of names) {
    const folder = under === "" ? name : `${under}/${name}`;
    found.push(folder, ...(await foldersIn(root, folder)));
  }
  return found;
}

async function* filesIn(
  root: string,
  under: string,
  folders: Set<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<LibraryFile> {
  const entries = await readdir(join(root, under), { withFileTypes: true }).catch((error: unknown) => {
    // a folder inside was deleted, or this user may not read it; but a failure of the library's own folder is an error
    if (under === "") throw error;
    return [];
  });
  folders.add(under);
  let looked = 0;
  for (const entry of entries) {
    if (entry.name.startsWith(".") || entry.name.includes("\\")) continue;
    const key = under === "" ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(root, key, folders, signal);
    else if (entry.isFile() || entry.isSymbolicLink()) {
      const path = join(root, key);
      if (entry.isSymbolicLink() && !(await isInside(root, path))) continue;
      // many times as fast as one promise for each file; other work gets its turn now and then
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (found?.isFile() === true) yield fileOf(key, found);
      if (++looked % AT_ONCE === 0) {
        signal?.throwIfAborted();
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
}

/** Tries a hard link first: it replaces no file, and the file is complete as soon as it appears. */
async function put(path: string, target: string): Promise<boolean> {
  await mkdir(dirname(target), { recursive: true });
  const beside = join(dirname(target), `.${randomUUID()}`);
  try {
    await link(path, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw error;
      // the file is on another disk, or the file system has no links
      await copyFile(path, beside);
      await link(beside, target).catch(async (again: NodeJS.ErrnoException) => {
        if (again.code === "EEXIST") throw again;
        await copyFile(path, target, constants.COPYFILE_EXCL);
      });
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(beside, { force: true });
  }
  await rm(path, { force: true });
  return true;
}

async function isInside(root: string, path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => null);
  return real?.startsWith(root + sep) === true;
}

async function opened(root: string, key: string): Promise<OpenFile | null> {
  let handle: FileHandle;
  try {
    const path = pathOf(root, key);
    if (!(await isInside(root, path))) return null;
    handle = await open(path, "r");
  } catch {
    return null;
  }
  const found = await handle.stat({ bigint: true });
  if (!found.isFile()) {
    await handle.close();
    return null;
  }
  let [last, file] = [found, exactly(key, found)];
  return {
    file,
    // takes a microsecond: a promise would take many times as long
    now: () => {
      const now = fstatSync(handle.fd, { bigint: true });
      if (now.size === last.size && now.mtimeNs === last.mtimeNs && now.ctimeNs === last.ctimeNs) return file;
      [last, file] = [now, exactly(key, now)];
      return file;
    },
    read: (start, end) => readAt(handle, start, end),
    // a stream of the handle itself would close it for all readers when one of them stops
    stream: (start, end) => Readable.from(pieces(handle, start, end), { objectMode: false }),
    close: () => handle.close(),
  };
}

async function* pieces(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; ) {
    const bytes = Buffer.allocUnsafe(Math.min(PIECE, end - at));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, at);
    if (bytesRead === 0) throw new Error("the file has become shorter");
    at += bytesRead;
    yield bytes.subarray(0, bytesRead);
  }
}

/**
 * Like `fileOf`, but the etag also has the time that no program can set: a file of the same size and time may be
 * another one.
 */
function exactly(key: string, found: { size: bigint; mtimeNs: bigint; ctimeNs: bigint }): LibraryFile {
  const file = fileOf(key, found);
  return { ...file, etag: `${file.etag}-${found.ctimeNs.toString(36)}` };
}

/** Made of the size and the time of the last change, to the nanosecond. */
function fileOf(key: string, { size, mtimeNs }: { size: bigint; mtimeNs: bigint }): LibraryFile {
  const etag = `${size.toString(36)}-${mtimeNs.toString(36)}`;
  return { key, bytes: Number(size), etag, changed: Number(mtimeNs / 1_000_000n) };
}
