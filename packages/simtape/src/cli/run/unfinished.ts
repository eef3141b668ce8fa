import { rmSync } from "node:fs";
import { ENDING } from "./ending.ts";

/** Paths of files and folders that this process is writing and has not finished. */
export const UNFINISHED: Set<string> = new Set();

/** Removes unfinished files when a signal ends the process early, unless another listener shuts it down in order. */
export function removeWhenInterrupted(): void {
  process.on("exit", remove);
  for (const signal of ENDING) {
    const end = (): void => {
      if (process.listenerCount(signal) > 1) return;
      remove();
      process.off(signal, end);
      process.kill(process.pid, signal);
    };
    process.on(signal, end);
  }
}

function remove(): void {
  for (const path of UNFINISHED) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // its folder was closed to us meanwhile
    }
  }
}
