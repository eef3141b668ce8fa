import type { Participant, RecordingEvent } from "../../../model/query/event.ts";
import type { RecordingInfo } from "../../../model/recording-info.ts";
import type { Value } from "../../../model/values/value.ts";
import { TICK } from "../layout/framing.ts";
import { MARK_KINDS } from "../layout/world-events.ts";

/** Kinds of the events that marks are; the last is that of an unknown number. */
export const MARK_EVENTS: readonly string[] = [...MARK_KINDS, "mark"];

/** Whom a mark is of. */
export type WhoIs = (entity: number) => Participant;

/** Marks that the metadata lists (spec §4 `marks`), ascending by time: known without reading a chunk. */
export function listedMarks({ metadata }: RecordingInfo, whoIs: WhoIs): readonly RecordingEvent[] {
  const list = at(at(at(metadata, "metadata"), "hcrp"), "marks");
  if (!Array.isArray(list)) return [];
  const events: RecordingEvent[] = [];
  for (const mark of list) {
    const [tick, kind, label, entity] = [at(mark, "tick"), at(mark, "kind"), at(mark, "label"), at(mark, "entity")];
    if (typeof tick !== "number" || typeof kind !== "string") continue;
    const event = markEvent(kind, label, typeof entity === "number" && entity >= 0 ? entity : null, whoIs);
    events.push({ ...event, time: tick * TICK, channel: null, sequence: null, value: mark as Value });
  }
  return events.sort((a, b) => a.time - b.time);
}

/** The event that a mark is, wherever it stands. */
export function markEvent(
  kind: string,
  label: unknown,
  entity: number | null,
  whoIs: WhoIs,
): Pick<RecordingEvent, "kind" | "text" | "who"> {
  const text = typeof label === "string" && label !== "" ? label : kind;
  return { kind, text, who: entity === null ? [] : [whoIs(entity)] };
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}
