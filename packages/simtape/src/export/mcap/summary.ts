import type { ChannelRecord, SchemaRecord } from "../../codec/mcap/data.ts";
import type { AttachmentIndex, ChunkIndex, MetadataIndex } from "../../codec/mcap/summary.ts";
import { tailOf } from "../../codec/mcap/tail.ts";
import type { Time } from "../../model/values/time.ts";
import type { Clock } from "./clock.ts";

/** What the end of a file says of the file (MCAP spec §1). */
export class Summary {
  readonly schemas: SchemaRecord[] = [];
  readonly channels: ChannelRecord[] = [];
  readonly chunks: ChunkIndex[] = [];
  readonly attachments: AttachmentIndex[] = [];
  readonly metadata: MetadataIndex[] = [];
  /** Messages by channel. */
  counts: Float64Array = new Float64Array(64);
  messages = 0;
  readonly #clock: Clock;
  #first: Time = Number.POSITIVE_INFINITY;
  #last: Time = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  addChannel(channel: ChannelRecord): void {
    this.channels.push(channel);
    if (this.channels.length <= this.counts.length) return;
    const grown = new Float64Array(2 * this.counts.length);
    grown.set(this.counts);
    this.counts = grown;
  }

  /** Messages of a chunk, from its earliest to its latest. */
  count(messages: number, first: Time, last: Time): void {
    this.messages += messages;
    this.#first = Math.min(this.#first, first);
    this.#last = Math.max(this.#last, last);
  }

  /** The rest of a file from the summary on, which begins at `start`: with summary offsets, footer and magic. */
  write(start: number): Uint8Array {
    const { schemas, channels, chunks, attachments, metadata, messages } = this;
    const used = channels.filter(({ id }) => this.counts[id]! > 0);
    const statistics = {
      messages,
      schemas: schemas.length,
      channels: channels.length,
      attachments: attachments.length,
      metadata: metadata.length,
      chunks: chunks.length,
      start: messages === 0 ? 0n : this.#clock.absolute(this.#first),
      end: messages === 0 ? 0n : this.#clock.absolute(this.#last),
      byChannel: new Map(used.map(({ id }) => [id, this.counts[id]!])),
    };
    return tailOf({ schemas, channels, statistics, chunks, attachments, metadata }, start);
  }
}
