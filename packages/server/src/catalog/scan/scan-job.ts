import type { Context } from "../../context.ts";
import type { Handler } from "../../jobs/worker.ts";
import { Scanner } from "./scan.ts";

/** Milliseconds between two scans of the library: at least, while a file is being written, and after a hint. */
const EVERY = 3000;
const SOON = 400;
const HINT = 100;
/** Largest part of the time that scans may take. */
const SHARE = 0.1;

/** Scans the library again and again; sooner when the storage reports a change. */
export function scanHandler({ query, library, jobs }: Pick<Context, "query" | "library" | "jobs">): Handler {
  const scanner = new Scanner(query, library, jobs);
  let isWatched = false;
  let hint: NodeJS.Timeout | null = null;
  let isRunning = false;
  let isHinted = false;
  const hear = (): void => {
    isHinted = true;
    if (hint !== null || isRunning) return;
    hint = setTimeout(() => {
      hint = null;
      jobs.runNow("scan", "library").catch(() => undefined);
    }, HINT).unref();
  };
  return async (_, { signal }) => {
    if (!isWatched) {
      isWatched = true;
      library.watch(hear);
    }
    const began = performance.now();
    isRunning = true;
    isHinted = false;
    try {
      return await scanner.scan(signal);
    } finally {
      isRunning = false;
      const took = performance.now() - began;
      const soon = Math.max(isHinted ? HINT : SOON, took);
      const after = isHinted || scanner.isSoon ? soon : Math.max(EVERY, took / SHARE);
      await jobs.add("scan", "library", { after: Math.round(after) });
    }
  };
}
