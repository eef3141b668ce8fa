/** Steps at the ends of a buffer that are longer than this, seconds, and than so many usual ones, are no steps. */
const LONG_STEP = 60;
const MANY = 20;

/**
 * Which of these times belong together: those of the first `sure` ones that rise from the first on, and the longest run
 * behind them that rises, with no step longer than frames of a buffer are apart.
 */
export function risingOf(times: readonly number[], sure: number): ReadonlySet<number> {
  let count = 0;
  while (count < sure && (count === 0 || times[count]! > times[count - 1]!)) count++;
  // What does not rise, does not because of the one before it, too.
  if (count < sure) count = Math.max(0, count - 1);
  const last = count === 0 ? Number.NEGATIVE_INFINITY : times[count - 1]!;
  const behind = times.flatMap((time, i) => (i >= count && time > last ? [i] : []));
  const longest = longestOf(behind.map((i) => times[i]!));
  const order = [...Array(count).keys(), ...longest.map((i) => behind[i]!)];
  // A first or last one that lies far off is there by chance.
  const step = (i: number): number => times[order[i]!]! - times[order[i - 1]!]!;
  const steps = order.map((_, i) => (i === 0 ? 0 : step(i))).slice(1);
  const limit = Math.max(LONG_STEP, MANY * (steps.sort((x, y) => x - y)[steps.length >> 1] ?? 0));
  while (count === 0 && order.length > 2 && step(1) > limit) order.shift();
  while (order.length > Math.max(2, count) && step(order.length - 1) > limit) order.pop();
  return new Set(order);
}

/** Places of the longest run that rises, in order. */
function longestOf(times: readonly number[]): number[] {
  /** For each length the place of the smallest time that a run of it can end with, and for each place the one before. */
  const ends: number[] = [];
  const before: number[] = [];
  for (let i = 0; i < times.length; i++) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (times[ends[middle]!]! < times[i]!) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? -1 : ends[low - 1]!);
    ends[low] = i;
  }
  const order: number[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) order.push(at);
  return order.reverse();
}
