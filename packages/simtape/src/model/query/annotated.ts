import type { Annotation } from "../annotation.ts";
import { filterOf } from "./events.ts";
import type { EventQuery, RecordingEvent } from "./event.ts";

/**
 * `events` with the annotations that the query asks for between them: each behind the events of its time. An event that the
 * file lists, and that says the same at about that moment, is the same note: the annotation stands for both, as a format may
 * keep a note in units of its own.
 */
export async function* withAnnotations(
  events: AsyncIterable<readonly RecordingEvent[]> | Iterable<readonly RecordingEvent[]>,
  annotations: readonly Annotation[],
  query: EventQuery,
): AsyncGenerator<readonly RecordingEvent[]> {
  const isWanted = filterOf(query);
  const notes = annotations.map(eventOf).filter(isWanted);
  let next = 0;
  for await (const found of events) {
    if (annotations.length === 0) {
      yield found;
      continue;
    }
    const all: RecordingEvent[] = [];
    for (const event of found) {
      while (next < notes.length && notes[next]!.time < event.time) all.push(notes[next++]!);
      if (!annotations.some((note) => isSame(note, event))) all.push(event);
    }
    yield all;
  }
  if (next < notes.length) yield notes.slice(next);
}

/** Between an annotation and the event that a file lists of it: a tick of the game at most. Nanoseconds. */
const NEAR = 50e6;

function isSame({ at, text }: Annotation, { channel, time, text: own }: RecordingEvent): boolean {
  return channel === null && own === text && Math.abs(time - at) <= NEAR;
}

function eventOf({ at, kind, text }: Annotation): RecordingEvent {
  return { time: at, kind, text, who: [], channel: null, sequence: null, value: null };
}
