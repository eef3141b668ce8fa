import type { RecordingEvent } from "../model/query/event.ts";
import type { Time } from "../model/values/time.ts";
import type { Racer } from "./things.ts";

/** Laps of one racer in one recording at most. */
export const MOST_LAPS = 2000;

/** From when to when a lap goes, in the time of its recording. */
export interface LapSpan {
  readonly start: Time;
  readonly end: Time;
  /** It ends where a lap ends, and not because the recording, or the range, does. */
  readonly isWhole: boolean;
}

/**
 * Laps between starts and finishes, both ascending. `finishes` null: each start ends the lap before it. A start without a
 * finish before the next start is no lap; the last one is none, either, unless `end` is given: then it lasts until there.
 */
export function lapsBetween(starts: readonly Time[], finishes: readonly Time[] | null, end: Time | null): LapSpan[] {
  const laps: LapSpan[] = [];
  let finish = 0;
  for (const [i, start] of starts.entries()) {
    const next = starts[i + 1] ?? Number.POSITIVE_INFINITY;
    if (finishes === null) {
      if (next < Number.POSITIVE_INFINITY) laps.push({ start, end: next, isWhole: true });
      else if (end !== null && end > start && starts.length === 1) laps.push({ start, end, isWhole: false });
      continue;
    }
    while (finish < finishes.length && finishes[finish]! <= start) finish++;
    const at = finishes[finish] ?? Number.POSITIVE_INFINITY;
    if (at <= next && at < Number.POSITIVE_INFINITY) laps.push({ start, end: at, isWhole: true });
  }
  return laps;
}

/**
 * Whether an event is the mark of that name for a racer: its text is the name, or the label of a participant with the name
 * behind it (`Elif: finish`). One that names participants counts for these alone.
 */
export function isMarkFor({ text, who }: RecordingEvent, name: string, { set, id }: Racer): boolean {
  if (who.length === 0) return text === name;
  const one = who.find((participant) => participant.set === set && participant.id === id);
  return one !== undefined && (text === name || text === `${one.label}: ${name}`);
}
