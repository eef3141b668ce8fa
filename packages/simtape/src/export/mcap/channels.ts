import { LayoutError } from "../../bytes/error.ts";
import type { MessageBatch } from "../../model/messages/batch.ts";
import type { Channel, Value } from "../../model/values/value.ts";
import type { LaserScans } from "./scans.ts";
import { channelMetadata, type Topics } from "./topics.ts";
import { schemaOf } from "./value-schema.ts";

/** Messages of a channel from which its schema is drawn, and bytes of payloads from which on there are enough of them. */
const SAMPLES = 64;
const SAMPLE_BYTES = 4 << 20;

/** A channel that has messages in the file. */
interface Written {
  readonly number: number;
  /** Values are objects; any other is the member `value` of one. */
  readonly isWrapped: boolean;
}

/**
 * Messages of the recording's channels, as their decoded values. A channel is in the file from its first message on, with
 * a schema drawn from the messages at hand by then.
 */
export class ChannelMessages {
  readonly #topics: Topics;
  readonly #format: string;
  readonly #channels: readonly Channel[];
  readonly #written = new Map<number, Written>();
  readonly #scans: LaserScans;
  /** Messages by channel whose payload fits no schema, and are there as bytes. */
  readonly undecoded: Map<string, number> = new Map();
  count = 0;

  constructor(topics: Topics, format: string, channels: readonly Channel[], scans: LaserScans) {
    this.#topics = topics;
    this.#format = format;
    this.#channels = channels;
    this.#scans = scans;
  }

  /** Names of the channels that are in the file. */
  get names(): readonly string[] {
    return [...this.#written.keys()].map((id) => this.#channels[id]!.name);
  }

  /** The number of the channel of a row, which is made with a schema drawn from there on if it is new. */
  begin(batch: MessageBatch, i: number): number {
    const id = batch.channel[i]!;
    return (this.#written.get(id) ?? this.#begin(this.#channels[id]!, batch, i)).number;
  }

  /** The number of a channel of the recording; null: none of its messages was met. */
  numberOf(id: number): number | null {
    return this.#written.get(id)?.number ?? null;
  }

  /** Writes one row. */
  write(batch: MessageBatch, i: number): void {
    const id = batch.channel[i]!;
    const channel = this.#channels[id]!;
    const written = this.#written.get(id) ?? this.#begin(channel, batch, i);
    const time = batch.time[i]!;
    const value = decoded(channel, batch, i);
    this.#topics.sink.json(written.number, time, batch.sequence[i]!, this.#shown(channel, written, value, batch, i));
    this.count++;
    if (value !== undefined) this.#scans.write(channel, time, value);
  }

  /** What stands in the file of a row: an object. */
  #shown(channel: Channel, { isWrapped }: Written, value: Value | undefined, batch: MessageBatch, i: number): Value {
    if (value !== undefined) return isWrapped || !isObject(value) ? { value } : value;
    this.undecoded.set(channel.name, (this.undecoded.get(channel.name) ?? 0) + 1);
    return { undecoded: batch.payload(i) };
  }

  #begin(channel: Channel, batch: MessageBatch, from: number): Written {
    const values: Value[] = [];
    let bytes = 0;
    for (let i = from; i < batch.length && values.length < SAMPLES && bytes < SAMPLE_BYTES; i++) {
      if (batch.channel[i] !== channel.id) continue;
      const value = decoded(channel, batch, i);
      if (value === undefined) continue;
      values.push(value);
      bytes += batch.end[i]! - batch.start[i]!;
    }
    const isWrapped = values.some((value) => !isObject(value));
    const { name, schema } = channel;
    const title = schema.name.startsWith(this.#format) ? schema.name : `${this.#format}/${schema.name}`;
    const json = schemaOf(title, isWrapped ? values.map((value) => ({ value })) : values);
    const metadata = channelMetadata(name, schema.name, channel.metadata);
    const number = this.#topics.own(name.startsWith("/") ? name : `/${name}`, title, json, metadata);
    const written = { number, isWrapped };
    this.#written.set(channel.id, written);
    return written;
  }
}

function isObject(value: Value): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** Undefined: the payload does not fit. */
function decoded({ schema }: Channel, batch: MessageBatch, i: number): Value | undefined {
  try {
    return schema.decode(batch.payload(i), batch.context);
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}
