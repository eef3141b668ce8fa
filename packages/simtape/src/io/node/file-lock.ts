import { createHash } from "node:crypto";
import { link, unlink, writeFile } from "node:fs/promises";
import { readSmall } from "./access.ts";
import { isGone, newMark } from "./owner.ts";

/** Milliseconds until a lock held by a living process is given up on. */
const TIMEOUT = 30_000;

/** The lock was held for longer than it is worth waiting. */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

/**
 * Runs `work` while no other process runs its own under the same lock. The lock is a file at `path`; that of a process
 * that has ended is taken over. Throws `LockedError` after half a minute.
 */
export async function locked<T>(path: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const release = await acquire(path, signal);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function acquire(path: string, signal: AbortSignal | undefined): Promise<() => Promise<void>> {
  const mark = newMark();
  // Linked, not written in place: a process that sees the lock sees whose it is.
  const beside = `${path}~${mark}`;
  await writeFile(beside, mark, { flag: "wx" });
  try {
    for (const deadline = performance.now() + TIMEOUT; ; ) {
      if (await isMade(beside, path)) return () => removeIf(path, mark);
      const holder = await holderOf(path);
      if (holder !== null && isGone(holder.mark, holder.age)) await bury(path, holder.mark, signal);
      else if (performance.now() > deadline)
        throw new LockedError(`locked by process ${holder?.mark.split(".")[1]}: ${path}`);
      else await pause(signal);
    }
  } finally {
    await unlink(beside).catch(() => undefined);
  }
}

/**
 * Removes the lock of a process that has ended. Several may find it at once, and one of them must not remove the lock
 * that the next has made since: so this has a lock of its own, for this one mark, which is taken over likewise.
 */
async function bury(path: string, mark: string, signal: AbortSignal | undefined): Promise<void> {
  const grave = `${path}~${createHash("sha256").update(mark).digest("hex").slice(0, 16)}`;
  await locked(grave, signal, () => removeIf(path, mark));
}

async function removeIf(path: string, mark: string): Promise<void> {
  if ((await holderOf(path))?.mark === mark) await unlink(path);
}

async function isMade(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function holderOf(path: string): Promise<{ readonly mark: string; readonly age: number } | null> {
  const found = await readSmall(path);
  return found === null ? null : { mark: found.text, age: found.age };
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2 + Math.random() * 20));
  signal?.throwIfAborted();
}
