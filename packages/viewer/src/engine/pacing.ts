import { Breather, type Precedence } from "./breather.ts";
import type { Progress } from "../protocol.ts";

/** Between two reports of progress, milliseconds. */
const REPORT_EVERY = 100;

/** What a query calls as it gets on: it reports how far it is, at times, and lets others have the thread. */
export function paced(
  signal: AbortSignal,
  first: Precedence,
  report: (progress: Progress) => void,
): (done: number, total: number) => Promise<void> {
  const breather = new Breather(signal, first);
  let reported = 0;
  return (done, total) => {
    const now = performance.now();
    if (now - reported >= REPORT_EVERY) {
      reported = now;
      report({ done: Math.max(0, done), total: Math.max(1, total) });
    }
    return breather.breathe();
  };
}
