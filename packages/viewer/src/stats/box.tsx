import type { PathStatistics } from "simtape/stats";
import { shareOf } from "./numbers.ts";

/** Places of the quantiles 5, 25, 50, 75 and 95 % among those that are kept. */
const KEPT = [1, 2, 3, 4, 5] as const;

/** How the numbers lie from the least to the most: a line from 5 to 95 %, a box from 25 to 75 %, and the median. */
export function Box({ of }: { readonly of: PathStatistics }) {
  const [low, first, middle, third, high] = KEPT.map((place) => 2 + 96 * shareOf(of.quantiles[place]!, of));
  return (
    <svg className="number-box" aria-hidden viewBox="0 0 100 14" preserveAspectRatio="none">
      <path className="number-all" d="M2 7H98" />
      <path className="number-most" d={`M${low} 7H${high}`} />
      <rect x={first} y={3} width={Math.max(1, third! - first!)} height={8} />
      <path className="number-middle" d={`M${middle} 1V13`} />
    </svg>
  );
}
