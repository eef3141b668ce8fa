import { lutimes, rename, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { folderMode, readSmall } from "./access.ts";
import { LockedError, locked } from "./file-lock.ts";
import { makeFolders } from "./folders.ts";
import { ABANDONED, HOST, isEarlierStart, isGone, isOfThisMachine, newMark } from "./owner.ts";

/** Milliseconds after which a lock is made to look new, so that other machines see that it is held. */
const RENEWED = 60_000;

/** How a lock is taken. */
export interface LockOptions {
  /** The folder that is made is for others to read. */
  readonly isShared?: boolean | undefined;
  /** That of another machine is taken at once. */
  readonly takesOver?: boolean | undefined;
}

/** A lock that is held until it is released, or its process ends. */
export interface WriterLock {
  /** Idempotent. */
  release(): Promise<void>;
}

/**
 * Holds the file at `path` (HCRP spec §8.3: `writer.lock`, process id and recording id) for as long as a recording is
 * being written; its folder is made when it is not there. One of a process that has ended is taken over, also when the
 * machine has been started since; whether a process of another machine has ended is not known, and its lock is free five
 * minutes after it was renewed last. Throws `LockedError` at once when another holds it.
 */
export async function writerLock(
  path: string,
  recording: string,
  { isShared = false, takesOver = false }: LockOptions = {},
): Promise<WriterLock> {
  const mark = newMark();
  await makeFolders(dirname(path), folderMode(isShared));
  await guarded(path, async () => {
    const holder = await holderOf(path);
    if (holder !== null && !isFree(holder, takesOver)) throw new LockedError(heldBy(holder, path));
    const beside = join(dirname(path), `.${basename(path)}~${mark}`);
    await writeFile(beside, `${process.pid} ${recording} ${mark} ${HOST.name} ${HOST.start ?? ""}\n`, { flag: "wx" });
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
  /** Its machine, and when that was started; empty: it does not say. */
  readonly machine: string;
  readonly start: string;
  /** Milliseconds. */
  readonly age: number;
}

function isFree({ mark, start, age }: Holder, takesOver: boolean): boolean {
  if (isGone(mark, age)) return true;
  return !isOfThisMachine(mark) && (takesOver || isEarlierStart(start));
}

function heldBy({ pid, mark, machine, age }: Holder, path: string): string {
  if (isOfThisMachine(mark)) return `process ${pid} is recording it: ${path}`;
  // times of files are finer than those of the clock, and another machine's clock may be ahead
  const seconds = Math.ceil((ABANDONED - Math.max(0, age)) / 1000);
  const left = `if it has ended, the lock is free in ${seconds} s, or now with --take-over`;
  return machine === ""
    ? `process ${pid} is recording it: ${path} on another machine; ${left}`
    : `process ${pid} of the machine ${machine} holds its lock: ${path}; ${left}`;
}

/** Null: it is free. A file of another make counts as held until it is five minutes old. */
async function holderOf(path: string): Promise<Holder | null> {
  const found = await readSmall(path);
  if (found === null) return null;
  const [pid = "", , mark = "", machine = "", start = ""] = found.text.trim().split(/\s+/);
  return { pid: Number(pid), mark, machine, start, age: found.age };
}

/** Looking and changing are one. */
function guarded(path: string, work: () => Promise<void>): Promise<void> {
  return locked(join(dirname(path), `.${basename(path)}~lock`), undefined, work);
}
