import type { Time } from "../model/values/time.ts";

/** How many of ascending `times` are at or before `time`. */
export function countUntil(times: ArrayLike<Time>, time: Time): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of ascending `times` are before `time`. */
export function countBefore(times: ArrayLike<Time>, time: Time): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
