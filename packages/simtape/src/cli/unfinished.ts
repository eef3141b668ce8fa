import { unlinkSync } from "node:fs";

/** Paths of files that this process is writing and has not finished. */
export const UNFINISHED: Set<string> = new Set();

/** Takes unfinished files away when the process is told to end, unless somebody else ends it in order. */
export function removeWhenInterrupted(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const end = (): void => {
      if (process.listenerCount(signal) > 1) return;
      for (const path of UNFINISHED) {
        try {
          unlinkSync(path);
        } catch {
          // It took its name meanwhile.
        }
      }
      process.off(signal, end);
      process.kill(process.pid, signal);
    };
    process.on(signal, end);
  }
}
