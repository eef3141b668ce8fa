import { LayoutError } from "../../bytes/error.ts";
import type { MessageBatch } from "../batch.ts";
import type { Recording } from "../recording.ts";
import type { Time, TimeRange } from "../time.ts";
import type { ChannelInfo, Value } from "../value.ts";

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
}

/** The events of a recording in arrays, ascending by (time, sequence); one array for each batch of messages, some empty. */
export async function* readEvents(
  recording: Recording,
  query: EventQuery = {},
): AsyncGenerator<readonly RecordingEvent[]> {
  const { start, end, kinds, signal, onProgress } = query;
  signal?.throwIfAborted();
  const reader = await (await recording.traits()).events?.(recording, signal);
  if (reader === undefined) return;
  const isWanted = filterOf(query);
  // what an edited recording is made of lists events at times of its own
  const isOwn = recording.reader.base === undefined;
  const listed = new Listed(isOwn ? (reader.listed ?? []).filter(isWanted) : []);
  const channels = recording.channels.filter(({ id }) => {
    const own = reader.channels.get(id);
    return own !== undefined && (kinds === undefined || own.some((kind) => kinds.includes(kind)));
  });
  if (query.listed !== true && channels.length > 0) {
    const first = (await recording.timeline()).start;
    if (start !== undefined && start > first) await reader.begin(start, signal);
    for await (const batch of recording.batches({ start, end, channels, signal })) {
      const found: RecordingEvent[] = [];
      readRows(reader, batch, found);
      yield listed.among(found.filter(isWanted), batch.time[batch.length - 1]!);
      onProgress?.(batch.time[batch.length - 1]!);
    }
  }
  const rest = listed.rest();
  if (rest.length > 0) yield rest;
}

/** The kinds of event that a recording can have, each once. */
export async function eventKinds(recording: Recording): Promise<readonly string[]> {
  const reader = await (await recording.traits()).events?.(recording);
  const listed = recording.reader.base === undefined ? (reader?.listed ?? []) : [];
  return [...new Set([...[...(reader?.channels.values() ?? [])].flat(), ...listed.map(({ kind }) => kind)])];
}

/** Of all events of a recording those that a query asks for. */
export function keptEvents(all: readonly RecordingEvent[], query: EventQuery): readonly RecordingEvent[] {
  query.signal?.throwIfAborted();
  const found = all.filter(filterOf(query));
  const last = all.at(-1);
  if (last !== undefined) query.onProgress?.(Math.min(last.time, query.end ?? last.time));
  return found;
}

/**
 * Collects all events while another goes through a recording: it is shown every batch, in order, and asked for what is
 * left at the end. Null: the format finds none.
 */
export async function eventTap(
  recording: Recording,
  signal?: AbortSignal,
): Promise<{
  readonly take: (batch: MessageBatch) => readonly RecordingEvent[];
  readonly rest: () => readonly RecordingEvent[];
} | null> {
  const reader = await (await recording.traits()).events?.(recording, signal);
  if (reader === undefined) return null;
  const listed = new Listed(recording.reader.base === undefined ? (reader.listed ?? []) : []);
  const isWanted = recording.channels.map(({ id }) => reader.channels.has(id));
  const only: EventReader = {
    ...{ channels: reader.channels, begin: (start, aborted) => reader.begin(start, aborted) },
    read: (batch, i, into) => {
      if (isWanted[batch.channel[i]!] === true) reader.read(batch, i, into);
    },
  };
  return {
    take: (batch) => {
      const found: RecordingEvent[] = [];
      readRows(only, batch, found);
      return batch.length === 0 ? found : listed.among(found, batch.time[batch.length - 1]!);
    },
    rest: () => listed.rest(),
  };
}

/** An event of row `i` of a batch. */
export function eventOf(
  channel: ChannelInfo,
  batch: MessageBatch,
  i: number,
  { kind, text, who = [], value = null }: Pick<RecordingEvent, "kind" | "text"> & Partial<RecordingEvent>,
): RecordingEvent {
  return { time: batch.time[i]!, kind, text, who, channel: channel.name, sequence: batch.sequence[i]!, value };
}

/** Name of a participant for people: its label, or set and id. */
export function calledBy({ set, id, label }: Participant): string {
  if (label !== "") return label;
  return set === null ? String(id) : `${set} ${id}`;
}

/** Reads all rows of a batch. Rows that do not fit their schema have no events. */
export function readRows(reader: EventReader, batch: MessageBatch, into: RecordingEvent[]): void {
  for (let i = 0; i < batch.length; ) {
    try {
      for (; i < batch.length; i++) reader.read(batch, i, into);
    } catch (error) {
      // It does not fit its schema, which is a finding and no event.
      if (!(error instanceof LayoutError)) throw error;
      i++;
    }
  }
}

function filterOf({ start, end, kinds, who }: EventQuery): (event: RecordingEvent) => boolean {
  const wanted = who?.toLowerCase();
  return (event) =>
    (start === undefined || event.time >= start) &&
    (end === undefined || event.time < end) &&
    (kinds === undefined || kinds.includes(event.kind)) &&
    (wanted === undefined ||
      event.who.some(({ id, label }) => String(id) === who || label.toLowerCase().includes(wanted)));
}

/**
 * Events that a file lists, put between those of messages: behind those of the same time. One that a message has, too, is
 * left out.
 */
class Listed {
  readonly #listed: readonly RecordingEvent[];
  /** The first that was not given yet. */
  #at = 0;
  /** Events of messages at the time of the first. */
  #time: Time = Number.NaN;
  readonly #met = new Map<string, number>();

  constructor(listed: readonly RecordingEvent[]) {
    this.#listed = listed;
  }

  /** `found` with the listed ones between them; messages up to `until` were read, and at that time there may be more. */
  among(found: readonly RecordingEvent[], until: Time): readonly RecordingEvent[] {
    if (this.#at === this.#listed.length) return found;
    const all: RecordingEvent[] = [];
    for (const event of found) {
      this.#giveBefore(event.time, all);
      this.#meet(event);
      all.push(event);
    }
    this.#giveBefore(until, all);
    return all;
  }

  rest(): readonly RecordingEvent[] {
    const all: RecordingEvent[] = [];
    this.#giveBefore(Number.POSITIVE_INFINITY, all);
    return all;
  }

  #giveBefore(time: Time, into: RecordingEvent[]): void {
    for (; this.#at < this.#listed.length; this.#at++) {
      const event = this.#listed[this.#at]!;
      if (event.time >= time) return;
      const count = event.time === this.#time ? (this.#met.get(keyOf(event)) ?? 0) : 0;
      if (count === 0) into.push(event);
      else this.#met.set(keyOf(event), count - 1);
    }
  }

  #meet(event: RecordingEvent): void {
    if (this.#listed[this.#at]?.time !== event.time) return;
    if (this.#time !== event.time) this.#met.clear();
    this.#time = event.time;
    this.#met.set(keyOf(event), (this.#met.get(keyOf(event)) ?? 0) + 1);
  }
}

function keyOf({ kind, text, who }: RecordingEvent): string {
  return JSON.stringify([kind, text, who[0]?.id]);
}
