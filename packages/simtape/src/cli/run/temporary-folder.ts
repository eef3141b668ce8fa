import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UNFINISHED } from "./unfinished.ts";

/**
 * A new folder for what is not kept, `simtape-KIND-…`: its maker removes it, or a signal that ends the process. Folders of this kind that processes left which were killed go now.
 */
export async function temporaryFolder(kind: "live" | "render"): Promise<string> {
  // links that lead to the folder for temporary files are no matter of what is written there
  const parent = await realpath(tmpdir());
  const prefix = `simtape-${kind}-`;
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(
        () => undefined,
      );
  }
  const folder = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  UNFINISHED.add(folder);
  return folder;
}

/** Removes a temporary folder, also where a program that was killed still holds some of it. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  UNFINISHED.delete(folder);
}

/** Whether there is such a process; one of another user counts. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
