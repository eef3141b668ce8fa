import type { Series } from "simtape";
import type { Range } from "./shared.ts";

/** What the axis of a unit goes from and to. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  /** Single numbers far from all others, which are left out: the farthest of them; null: none are. */
  readonly beyond: number | null;
}

/** Numbers of which single ones can be distinguished from the others. */
const ENOUGH = 50;
/** The part of them on either side that may be single ones, and how many times the spread of the others they are away. */
const PART = 0.01;
const FAR = 10;
/** Of what is shown, that stays free above and below. */
const AIR = 0.05;

/** By unit, what numbers of a range need. `isWhole`: whatever is far from the others, too. */
export function scalesOf(lines: readonly Series[], range: Range, isWhole: boolean): ReadonlyMap<string, Scale> {
  const byUnit = new Map<string, number[]>();
  for (const { unit, time, value } of lines) {
    const numbers = byUnit.get(unit ?? "") ?? [];
    byUnit.set(unit ?? "", numbers);
    const first = firstIn(time, range.start);
    for (let i = first; i < time.length && (time[i]! <= range.end || i === first); i++)
      if (Number.isFinite(value[i])) numbers.push(value[i]!);
  }
  return new Map([...byUnit].map(([unit, numbers]) => [unit, scaleOf(numbers, isWhole)]));
}

/** What some numbers need, in any order. */
export function scaleOf(numbers: readonly number[], isWhole = false): Scale {
  if (numbers.length === 0) return { min: 0, max: 1, beyond: null };
  const sorted = Float64Array.from(numbers).sort();
  const last = sorted.length - 1;
  const [least, most] = [sorted[0]!, sorted[last]!];
  const [low, high] = [sorted[Math.ceil(last * PART)]!, sorted[Math.floor(last * (1 - PART))]!];
  const reach = FAR * (high - low);
  const isNear = (number: number): boolean => number >= low - reach && number <= high + reach;
  if (isWhole || sorted.length < ENOUGH || reach === 0 || (isNear(least) && isNear(most)))
    return { ...airy(least, most), beyond: null };
  const near = sorted.filter(isNear);
  const beyond = isNear(most) || (!isNear(least) && low - least > most - high) ? least : most;
  return { ...airy(near[0]!, near.at(-1)!), beyond };
}

/** With some air; about a constant as much as shows its size. */
function airy(min: number, max: number): { readonly min: number; readonly max: number } {
  const isConstant = max - min <= 1e-9 * Math.max(Math.abs(min), Math.abs(max));
  const air = isConstant ? Math.abs(min) / 10 || 1 : (max - min) * AIR;
  return { min: min - air, max: max + air };
}

/** The last point that is not behind a time holds there: the first that counts. */
function firstIn(times: Float64Array, start: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (times[middle]! <= start) low = middle;
    else high = middle - 1;
  }
  return low;
}
