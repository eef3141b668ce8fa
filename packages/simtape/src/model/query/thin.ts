import type { TimeRange } from "../values/time.ts";
import { Bucket } from "./bucket.ts";
import { Line, Room } from "./line.ts";
import type { Series } from "./sinks.ts";

/**
 * What mode `"minmax"` gives, of a series that is there: of each of `points` steps of `[start, end)` the first, the
 * lowest, the highest and the last row. Rows outside the range are left out.
 */
export function thinSeries(
  series: Series,
  {
    start,
    end,
    points,
  }: Required<TimeRange> & { readonly start: number; readonly end: number; readonly points: number },
): Series {
  const { time, value, valid, texts } = series;
  const line = new Line(new Room());
  const bucket = new Bucket();
  const every = (end - start) / points;
  let step = -1;
  let moments = 0;
  for (let i = 0; i < time.length; i++) {
    const at = time[i]!;
    if (at < start || at >= end) continue;
    const own = Math.min(points - 1, Math.floor((at - start) / every));
    if (own !== step) bucket.empty(line);
    step = own;
    moments++;
    const isThere = valid[i] === 1;
    if (texts === null) bucket.take(at, isThere, value, i, null);
    else bucket.take(at, isThere, NO_NUMBER, 0, isThere ? texts[value[i]!]! : null);
  }
  bucket.empty(line);
  const times = line.time.drain();
  const drained = line.drain();
  return { ...series, time: times, value: drained.value, valid: drained.valid, texts: texts && drained.texts, moments };
}

const NO_NUMBER = Float64Array.of(Number.NaN);
