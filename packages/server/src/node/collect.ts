import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes beside what is in use that a collection is not worth. */
const SPARE = 16 << 20;

/**
 * Returns a function that gives back what jobs have left in the heap of this thread, for when it is at rest: V8 collects
 * when it needs room, and would keep for minutes what many jobs have taken.
 */
export function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  let most = 0;
  return () => {
    if (getHeapStatistics().total_physical_size <= most) return;
    // jobs leave pages that are nearly empty: V8 gives them back when it moves what is left on them
    setFlagsFromString("--compact-on-every-full-gc");
    collect();
    setFlagsFromString("--no-compact-on-every-full-gc");
    const { used_heap_size: used, total_physical_size: held } = getHeapStatistics();
    // what this one could not give back, the next one cannot either
    most = Math.max(used + SPARE, held);
  };
}
