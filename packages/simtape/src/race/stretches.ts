import type { Stretch } from "./report.ts";

/** A change of the gap that is less than this part of all of it, or so many seconds, is no stretch of its own. */
const PART = 0.05;
const LEAST = 0.01;
/** A stretch begins and ends where the gap has changed by this part of all that it changes. */
const LEVEL = 0.02;

/**
 * Where a gap grew and where it shrank: the curve cut where it turns, turns that are too small to count left out, and
 * what is level at both ends of a stretch. Places where the gap is NaN do not count.
 */
export function stretchesOf(along: Float64Array, gap: Float64Array): readonly Stretch[] {
  let [most, fewest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const value of gap) {
    if (value > most) most = value;
    if (value < fewest) fewest = value;
  }
  const least = Math.max(LEAST, PART * (most - fewest));
  const stretches: Stretch[] = [];
  const add = (from: number, to: number): void => {
    const seconds = gap[to]! - gap[from]!;
    if (Math.abs(seconds) < LEAST) return;
    let [begin, end] = [from, to];
    const level = LEVEL * Math.abs(seconds);
    for (let i = from; i <= to; i++) if (Math.abs(gap[i]! - gap[from]!) <= level) begin = i;
    for (let i = to; i >= begin; i--) if (Math.abs(gap[to]! - gap[i]!) <= level) end = i;
    stretches.push({ from: along[begin]!, to: along[end]!, seconds });
  };
  // where the stretch began; the farthest that it came, and the last place that is as far
  let [from, peak, edge, direction] = [-1, -1, -1, 0];
  for (let i = 0; i < gap.length; i++) {
    const value = gap[i]!;
    if (Number.isNaN(value)) continue;
    if (from < 0) [from, peak, edge] = [i, i, i];
    const change = value - gap[peak]!;
    if (direction === 0 ? Math.abs(change) < least : change * direction < 0) {
      if (direction === 0) {
        if (change === 0) from = i;
      } else if (Math.abs(change) >= least) {
        add(from, peak);
        [from, direction, peak, edge] = [edge, -direction, i, i];
      }
    } else if (change === 0) edge = i;
    else [direction, peak, edge] = [direction === 0 ? Math.sign(change) : direction, i, i];
  }
  if (direction !== 0) add(from, peak);
  return stretches;
}

/** The stretches in which most was lost, and won: so many of each. */
export function lostAndWon(
  along: Float64Array,
  gap: Float64Array,
  most: number,
): { readonly lost: readonly Stretch[]; readonly won: readonly Stretch[] } {
  const all = stretchesOf(along, gap);
  const lost = all.filter(({ seconds }) => seconds > 0).sort((a, b) => b.seconds - a.seconds);
  const won = all.filter(({ seconds }) => seconds < 0).sort((a, b) => a.seconds - b.seconds);
  return { lost: lost.slice(0, most), won: won.slice(0, most) };
}
