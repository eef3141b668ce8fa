import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenOver } from "../run/ending.ts";

const PREFIX = "simtape-live-";

/**
 * A new folder for a live recording that is not kept: it goes with the process. Those of processes that were killed go
 * now.
 */
export async function temporaryFolder(): Promise<string> {
  // links that lead to the folder for temporary files are no matter of the page
  const parent = await realpath(tmpdir());
  for (const name of await readdir(parent)) {
    const pid = /^simtape-live-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
  const folder = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  whenOver(() => rm(folder, { recursive: true, force: true }));
  return folder;
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
