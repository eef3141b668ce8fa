import { LayoutError } from "../../bytes/error.ts";
import type { MessageBatch } from "../messages/batch.ts";
import { piecesOf } from "../messages/pieces.ts";
import type { Recorded } from "../traits.ts";
import type { Time } from "../values/time.ts";
import type { ChannelInfo } from "../values/value.ts";
import type { Participant, RecordingEvent, EventQuery, EventReader } from "./event.ts";

/** Events of a part at most, but for those of a row that is not long. */
const MOST = 512;

/** The events of a recording in arrays, ascending by (time, sequence); one array for a few messages each, some empty. */
export async function* readEvents(
  recording: Recorded,
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
      for (const { found, until } of partsOf(reader, batch)) {
        yield listed.among(found.filter(isWanted), until);
        onProgress?.(until);
      }
    }
  }
  const rest = listed.rest();
  if (rest.length > 0) yield rest;
}

/** The kinds of event that a recording can have, each once. */
export async function eventKinds(recording: Recorded): Promise<readonly string[]> {
  const reader = await (await recording.traits()).events?.(recording);
  const listed = recording.reader.base === undefined ? (reader?.listed ?? []) : [];
  const notes = await recording.annotations();
  return [
    ...new Set([...(reader?.channels.values() ?? [])].flat().concat([...listed, ...notes].map(({ kind }) => kind))),
  ];
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
  recording: Recorded,
  signal?: AbortSignal,
): Promise<{
  readonly take: (batch: MessageBatch) => Iterable<readonly RecordingEvent[]>;
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
    long: (batch, i) => (isWanted[batch.channel[i]!] === true ? (reader.long?.(batch, i) ?? null) : null),
  };
  return {
    *take(batch) {
      for (const { found, until } of partsOf(only, batch)) yield listed.among(found, until);
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

/** Events, and the time that rows were read to: at that time there may be more. */
interface Part {
  readonly found: readonly RecordingEvent[];
  readonly until: Time;
}

/** Reads all rows of a batch, in parts of not too many events. */
function* partsOf(reader: EventReader, batch: MessageBatch): Generator<Part> {
  for (const piece of piecesOf(batch)) {
    const { length, time } = piece;
    let found: RecordingEvent[] = [];
    let from = 0;
    for (let i = 0; i < length && reader.long !== undefined; i++) {
      const long = reader.long(piece, i);
      if (long === null) continue;
      readRows(reader, piece, found, from, i);
      from = i + 1;
      for (const event of fitting(long)) {
        if (found.length >= MOST) {
          yield { found, until: time[i]! };
          found = [];
        }
        found.push(event);
      }
    }
    readRows(reader, piece, found, from, length);
    yield { found, until: time[length - 1]! };
  }
}

/** Those of a row up to where it does not fit its schema, if it does not. */
function* fitting(events: Iterable<RecordingEvent>): Generator<RecordingEvent> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
}

/** Reads rows `[from, to)`. Those that do not fit their schema have no events, or those before what does not fit. */
export function readRows(
  reader: EventReader,
  batch: MessageBatch,
  into: RecordingEvent[],
  from: number = 0,
  to: number = batch.length,
): void {
  for (let i = from; i < to; ) {
    try {
      for (; i < to; i++) reader.read(batch, i, into);
    } catch (error) {
      // It does not fit its schema, which is a finding and no event.
      if (!(error instanceof LayoutError)) throw error;
      i++;
    }
  }
}

export function filterOf({ start, end, kinds, who }: EventQuery): (event: RecordingEvent) => boolean {
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
