import { lutimes, rename, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { folderMode, readSmall } from "./access.ts";
import { LockedError, locked } from "./file-lock.ts";
import { makeFolders } from "./folders.ts";
import { isGone, newMark } from "./owner.ts";

/** Milliseconds after which a lock is made to look new, so that other machines see that it is held. */
const RENEWED = 60_000;

/** A lock that is held until it is released, or its process ends. */
export interface WriterLock {
  /** Idempotent. */
  release(): Promise<void>;
}

/**
 * Holds the file at `path` (HCRP spec §8.3: `writer.lock`, process id and recording id) for as long as a recording is
 * being written; its folder is made when it is not there, for others to read when `isShared`. One of a process that has
 * ended is taken over. Throws `LockedError` at once when another holds it.
 */
export async function writerLock(path: string, recording: string, isShared = false): Promise<WriterLock> {
  const mark = newMark();
  await makeFolders(dirname(path), folderMode(isShared));
  await guarded(path, async () => {
    const holder = await holderOf(path);
    if (holder !== null && !isGone(holder.mark, holder.age))
      throw new LockedError(`process ${holder.pid} is recording it: ${path}`);
    const beside = join(dirname(path), `.${basename(path)}~${mark}`);
    await writeFile(beside, `${process.pid} ${recording} ${mark}\n`, { flag: "wx" });
    await rename(beside, path);
  });
  const timer = setInterval(() => {
    const now = new Date();
    // the process that took it away learns so from the store
    void lutimes(path, now, now).catch(() => undefined);
  }, RENEWED).unref();
  let releasing: Promise<void> | null = null;
  const release = async (): Promise<void> => {
    clearInterval(timer);
    await guarded(path, async () => {
      if ((await holderOf(path))?.mark === mark) await unlink(path);
    });
  };
  return { release: () => (releasing ??= release()) };
}

interface Holder {
  readonly pid: number;
  readonly mark: string;
  /** Milliseconds. */
  readonly age: number;
}

/** Null: it is free. A file of another make counts as held until it is five minutes old. */
async function holderOf(path: string): Promise<Holder | null> {
  const found = await readSmall(path);
  if (found === null) return null;
  const [pid = "", , mark = ""] = found.text.trim().split(/\s+/);
  return { pid: Number(pid), mark, age: found.age };
}

/** Looking and changing are one. */
function guarded(path: string, work: () => Promise<void>): Promise<void> {
  return locked(join(dirname(path), `.${basename(path)}~lock`), undefined, work);
}
