import type { Time } from "../../model/values/time.ts";
import type { Value } from "../../model/values/value.ts";
import type { Clock } from "./clock.ts";
import { INDEX_ENTRY, INDEX_HEAD, MESSAGE_HEAD, putMessage, putMessageIndex } from "../../codec/mcap/data.ts";
import { PREFIX } from "../../codec/mcap/opcode.ts";
import { jsonPieces } from "./json.ts";

const UTF8 = new TextEncoder();
/** Rows there is room for at first. */
const ROWS = 1024;
/** A text of more characters is taken to have mostly such of one byte. */
const LONG = 1 << 20;
/** Memory of so many times the usual is not kept for the next chunk. */
const WIDE = 8;
/** Bytes of a message before its payload, and of a message index before its entries, with their prefixes. */
const BEFORE = PREFIX + MESSAGE_HEAD;
const BEFORE_ENTRIES = PREFIX + INDEX_HEAD;

/** Message indexes of a chunk. */
export interface ChunkIndexes {
  readonly bytes: Uint8Array;
  readonly places: readonly { readonly channel: number; readonly at: number }[];
}

/**
 * Records of the chunk that is being written, with where its messages are. Nothing is allocated for a message, but where
 * room runs out.
 */
export class ChunkBuilder {
  readonly #clock: Clock;
  /** Bytes that there is room for at first. */
  readonly #usual: number;
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;
  #rows = 0;
  /** Bytes of the payload of the message that is being written. */
  #payload = 0;
  #time = new Float64Array(ROWS);
  #offset = new Uint32Array(ROWS);
  #channel = new Uint16Array(ROWS);
  /** Earliest and latest message. */
  first: Time = Number.POSITIVE_INFINITY;
  last: Time = Number.NEGATIVE_INFINITY;

  /** Room for so many bytes at first. */
  constructor(clock: Clock, room: number) {
    this.#clock = clock;
    this.#usual = room;
    this.#bytes = new Uint8Array(room);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  get messages(): number {
    return this.#rows;
  }

  /** The records, until the next one is added. */
  get records(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Copies records of schemas and channels. */
  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A message whose payload is copied. */
  bytes(channel: number, time: Time, sequence: number, payload: Uint8Array): void {
    const { length } = payload;
    this.#room(BEFORE + length);
    const at = this.#length + BEFORE;
    // a call of `set` costs more than some bytes one by one
    if (length > 32) this.#bytes.set(payload, at);
    else for (let i = 0; i < length; i++) this.#bytes[at + i] = payload[i]!;
    this.#head(channel, time, sequence, length);
  }

  /** A message whose payload is the JSON of a value. */
  json(channel: number, time: Time, sequence: number, value: Value): void {
    this.#payload = 0;
    this.#addText(jsonPieces(value, this.#takePiece));
    this.#head(channel, time, sequence, this.#payload);
  }

  readonly #takePiece = (text: string): void => this.#addText(text);

  /** The text as UTF-8 behind what there is of the payload of a message whose head is not there yet. */
  #addText(text: string): void {
    for (let rest = text; rest.length > 0; ) {
      // at most three bytes for one of UTF-16, of which a long text has few
      const room = rest.length > LONG ? rest.length : 3 * rest.length;
      this.#room(BEFORE + this.#payload + room);
      const at = this.#length + BEFORE + this.#payload;
      const { read, written } = UTF8.encodeInto(rest, this.#bytes.subarray(at));
      this.#payload += written;
      if (read === rest.length) return;
      rest = rest.slice(read);
    }
  }

  #head(channel: number, time: Time, sequence: number, payload: number): void {
    const at = this.#length;
    const view = this.#view;
    putMessage(view, at, channel, sequence, payload);
    this.#clock.put(view, at + BEFORE - 16, time);
    this.#clock.put(view, at + BEFORE - 8, time);
    const row = this.#rows++;
    if (row === this.#time.length) this.#growRows();
    this.#time[row] = time;
    this.#offset[row] = at;
    this.#channel[row] = channel;
    if (time < this.first) this.first = time;
    if (time > this.last) this.last = time;
    this.#length = at + BEFORE + payload;
  }

  /**
   * The message index of each channel that has messages here (MCAP spec §4.7), with the channels and
   * where in `bytes` the index of each begins. Adds the messages of each channel to `counts`.
   */
  indexes(counts: Float64Array): ChunkIndexes {
    const rows = this.#rows;
    const here = new Map<number, { count: number; place: number }>();
    for (let row = 0; row < rows; row++) {
      const of = here.get(this.#channel[row]!);
      if (of === undefined) here.set(this.#channel[row]!, { count: 1, place: 0 });
      else of.count++;
    }
    const bytes = new Uint8Array(here.size * BEFORE_ENTRIES + INDEX_ENTRY * rows);
    const view = new DataView(bytes.buffer);
    const places: { readonly channel: number; readonly at: number }[] = [];
    let at = 0;
    for (const [channel, of] of here) {
      counts[channel] = counts[channel]! + of.count;
      places.push({ channel, at });
      putMessageIndex(view, at, channel, of.count);
      of.place = at + BEFORE_ENTRIES;
      at = of.place + INDEX_ENTRY * of.count;
    }
    for (let row = 0; row < rows; row++) {
      const of = here.get(this.#channel[row]!)!;
      this.#clock.put(view, of.place, this.#time[row]!);
      view.setUint32(of.place + 8, this.#offset[row]!, true);
      of.place += INDEX_ENTRY;
    }
    return { bytes, places };
  }

  /** Begins the next chunk, in the same memory unless that is much more than it should need. */
  clear(): void {
    if (this.#bytes.length > WIDE * this.#usual) this.#use(new Uint8Array(this.#usual));
    this.#length = 0;
    this.#rows = 0;
    this.first = Number.POSITIVE_INFINITY;
    this.last = Number.NEGATIVE_INFINITY;
  }

  #room(more: number): void {
    const need = this.#length + more;
    if (need <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(need, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#length + BEFORE + this.#payload));
    this.#use(grown);
  }

  #use(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  #growRows(): void {
    const length = 2 * this.#time.length;
    const time = new Float64Array(length);
    time.set(this.#time);
    const offset = new Uint32Array(length);
    offset.set(this.#offset);
    const channel = new Uint16Array(length);
    channel.set(this.#channel);
    this.#time = time;
    this.#offset = offset;
    this.#channel = channel;
  }
}
