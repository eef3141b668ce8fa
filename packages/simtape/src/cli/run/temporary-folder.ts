import { mkdir, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isGone, isOfThisMachine, newMark } from "../../io/node/owner.ts";
import { UNFINISHED } from "./unfinished.ts";

type Kind = "live" | "render";

/** Programs that a killed process started may write for a moment yet: removal is tried for 11 seconds. */
const PATIENT = { recursive: true, force: true, maxRetries: 10, retryDelay: 200 };

/** The removal of what killed processes left, by kind: once in a process. */
const sweeps = new Map<Kind, Promise<void>>();

/**
 * A new folder for what is not kept, `simtape-KIND-MARK`: `removeFolder` removes it, or a signal that ends the process.
 * Folders of this kind whose process was killed go beside what this one does.
 */
export async function temporaryFolder(kind: Kind): Promise<string> {
  // links that lead to the folder for temporary files are no matter of what is written there
  const parent = await realpath(tmpdir());
  const prefix = `simtape-${kind}-`;
  if (!sweeps.has(kind)) sweeps.set(kind, sweep(parent, prefix));
  const folder = join(parent, prefix + newMark());
  await mkdir(folder, { mode: 0o700 });
  UNFINISHED.add(folder);
  return folder;
}

/** Removes a temporary folder, also where a program that was killed still holds some of it, and waits for what killed processes left. */
export async function removeFolder(folder: string): Promise<void> {
  await Promise.all([rm(folder, PATIENT), ...sweeps.values()]);
  UNFINISHED.delete(folder);
}

/** Removes the folders whose process ran on this machine and has ended. What cannot be removed stays. */
async function sweep(parent: string, prefix: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const left = names.filter((name) => name.startsWith(prefix) && isLeft(name.slice(prefix.length)));
  await Promise.all(left.map((name) => rm(join(parent, name), PATIENT).catch(() => undefined)));
}

function isLeft(mark: string): boolean {
  return isOfThisMachine(mark) && isGone(mark, 0);
}
