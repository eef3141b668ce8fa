import type { RecordingEvent } from "../../model/query/event.ts";
import type { Time, TimeRange } from "../../model/values/time.ts";
import type { Bounds } from "../../play/passage.ts";
import { clock } from "../input/time.ts";
import type { Piece } from "./line.ts";

/** From few events in a cell to many. */
const HEIGHTS = "▁▂▃▄▅▆▇█";
/** An event of this kind is shown as a mark of its own. */
const MARK = "mark";

/** The column of a time on a line of `width` cells; the first cell is the start, the last one the end. */
export function columnOf(time: Time, { start, end }: Bounds, width: number): number {
  const share = end > start ? (time - start) / (end - start) : 0;
  return Math.round(Math.min(1, Math.max(0, share)) * (width - 1));
}

/** Where events are, as a row of bars, and marks as `▼`. */
export function eventRow(events: readonly RecordingEvent[], bounds: Bounds, width: number): string {
  const counts = new Uint32Array(width);
  const marks = new Uint8Array(width);
  for (const { time, kind } of events) {
    const column = columnOf(time, bounds, width);
    counts[column]!++;
    if (kind === MARK) marks[column] = 1;
  }
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  return Array.from(counts, (count, column) => {
    if (marks[column] === 1) return "▼";
    return count === 0 ? " " : HEIGHTS[Math.ceil((count / most) * HEIGHTS.length) - 1]!;
  }).join("");
}

/** `0:12.345 ━━━━●──────── 1:00.000`; a range that repeats is between `[` and `]`. */
export function barLine(time: Time, bounds: Bounds, loop: TimeRange | null, width: number): readonly Piece[] {
  const texts = timesOf(time, bounds);
  const cells = barCells(bounds, width);
  const at = columnOf(time, bounds, cells);
  const bar = Array.from({ length: cells }, (_, column): string => (column < at ? "━" : "─"));
  if (loop !== null) {
    bar[columnOf(loop.start ?? bounds.start, bounds, cells)] = "[";
    bar[columnOf(loop.end ?? bounds.end, bounds, cells)] = "]";
  }
  bar[at] = "●";
  return [
    { text: `${texts.now} ` },
    { text: bar.slice(0, at + 1).join(""), look: "green" },
    { text: bar.slice(at + 1).join(""), look: "dim" },
    { text: ` ${texts.length}` },
  ];
}

/** Cells of the bar between the two times of `barLine`, and the cells before it. */
export function barCells(bounds: Bounds, width: number): number {
  return Math.max(1, width - 2 * timesOf(bounds.end, bounds).length.length - 2);
}

/** Times since the start; the first is as long as the second. */
function timesOf(time: Time, { start, end }: Bounds): { readonly now: string; readonly length: string } {
  const length = clock(end - start);
  return { now: clock(time - start).padStart(length.length), length };
}

/** The last event at or before a time; null: none. */
export function lastBefore(events: readonly RecordingEvent[], time: Time): RecordingEvent | null {
  return events[countUntil(events, time) - 1] ?? null;
}

/** The first event behind a time, or the last one before it; null: none. */
export function neighbour(events: readonly RecordingEvent[], time: Time, isNext: boolean): RecordingEvent | null {
  const count = countUntil(events, time);
  if (isNext) return events[count] ?? null;
  let at = count - 1;
  while (at >= 0 && events[at]!.time === time) at--;
  return events[at] ?? null;
}

/** Events at or before a time; they ascend. */
function countUntil(events: readonly RecordingEvent[], time: Time): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
