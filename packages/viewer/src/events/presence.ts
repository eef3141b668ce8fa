import type { Time } from "simtape";
import type { EventRow } from "../protocol.ts";

/** Kinds that say of a thing that it is there (docs/events-and-tables.md). */
const COMES: ReadonlySet<string> = new Set(["spawn", "join"]);
/** So many lines at the first moment are themselves read at a glance. */
const FEW = 2;

/** What stands in one line for events that only say what was there when the recording begins. */
export interface Folded extends EventRow {
  readonly folds: number;
}

/** The events with those of things that were there at the start in one line, unless they are few. */
export function folded(events: readonly EventRow[], start: Time): readonly (EventRow | Folded)[] {
  const isThere = ({ time, kind }: EventRow): boolean => time === start && COMES.has(kind);
  const end = events.findIndex(({ time }) => time > start);
  const first = end < 0 ? events : events.slice(0, end);
  const count = first.filter(isThere).length;
  if (count <= FEW) return events;
  const text = `${count} things at the start`;
  const line: Folded = { time: start, kind: "start", text, who: "", thing: null, folds: count };
  return [line, ...first.filter((event) => !isThere(event)), ...events.slice(first.length)];
}
