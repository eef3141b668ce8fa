import type { MessageBatch } from "../messages/batch.ts";
import type { Time, TimeRange } from "../values/time.ts";
import type { Value } from "../values/value.ts";

/** A thing or a person that an event is about. */
export interface Participant {
  /** Name of the set of the state that it is in; null: it is in none, as a user of NanoVer. */
  readonly set: string | null;
  /** Its id in that set. */
  readonly id: number | string;
  /** Its name for people; "" when the recording has none. */
  readonly label: string;
}

/** A moment with a name: something happened. */
export interface RecordingEvent {
  /** Nanoseconds since the start. */
  readonly time: Time;
  /** What happened: `"collision"`, `"spawn"`, `"chat"` …; docs/events-and-tables.md lists the kinds of each format. */
  readonly kind: string;
  /** One line for people. It may hold text of the recording, control characters included. */
  readonly text: string;
  /** The participants, in the order of the text. */
  readonly who: readonly Participant[];
  /** Name of the channel; null: the file lists the event beside its messages. */
  readonly channel: string | null;
  /** Sequence of the message; null likewise. */
  readonly sequence: number | null;
  /** What the message says of it; null: no more than the text. */
  readonly value: Value;
}

/** Which events are read. Everything is optional; an empty query is all of them. */
export interface EventQuery extends TimeRange {
  /** Only these kinds; only channels that can have them are read. Absent: all. */
  readonly kinds?: readonly string[] | undefined;
  /** Only events of a participant whose label contains this text (case does not matter), or whose id it is. */
  readonly who?: string | undefined;
  /** Only events that the file lists beside its messages, such as HCRP's marks: no message is read. */
  readonly listed?: boolean | undefined;
  /** Called as reading goes on, with the time it has come to. */
  readonly onProgress?: ((time: Time) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A format's knowledge of events, for one pass over a recording: see `Traits.events`. */
export interface EventReader {
  /** Channels to read, by id, with the kinds of event that each is read for. */
  readonly channels: ReadonlyMap<number, readonly string[]>;
  /**
   * Those of `channels` whose messages are lists of events and nothing else: one without an event is as good as none, and
   * is not shown as something that happened. Absent: none.
   */
  readonly lists?: ReadonlySet<number> | undefined;
  /** Events that the file lists beside its messages, ascending by time. One that a message has, too, comes once, as the message. */
  readonly listed?: readonly RecordingEvent[] | undefined;
  /** Learns what was before `start`, so that a part of a recording has the same events as the whole. */
  begin(start: Time, signal: AbortSignal | undefined): Promise<void>;
  /**
   * Puts the events of row `i` behind `into`. Rows come in order, of all `channels` or of some of them.
   * May throw `LayoutError` for a payload that does not fit: it has no event.
   */
  read(batch: MessageBatch, i: number, into: RecordingEvent[]): void;
  /**
   * The events of row `i` one after the other, as `read` gives them all, where it has very many; null: `read` is to be
   * called. Absent: no row has so many.
   */
  long?(batch: MessageBatch, i: number): Iterable<RecordingEvent> | null;
}
