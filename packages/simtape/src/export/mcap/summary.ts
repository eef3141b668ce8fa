import { ByteBuilder } from "../../bytes/builder.ts";
import { crc32 } from "../../bytes/crc32.ts";
import type { Time } from "../../model/time.ts";
import type { Clock } from "./clock.ts";
import {
  beginRecord,
  type ChannelRecord,
  endRecord,
  MAGIC,
  OPCODE,
  type SchemaRecord,
  writeChannel,
  writeSchema,
  writeText,
} from "./records.ts";

/** Where a chunk is, and its message indexes. Offsets and lengths are bytes of the file. */
export interface ChunkPlace {
  readonly first: Time;
  readonly last: Time;
  readonly isEmpty: boolean;
  readonly start: number;
  readonly length: number;
  readonly indexes: readonly { readonly channel: number; readonly at: number }[];
  readonly indexLength: number;
  readonly compression: string;
  /** Bytes of the records as they are stored, and as they are. */
  readonly stored: number;
  readonly content: number;
}

interface AttachmentPlace {
  readonly offset: number;
  readonly length: number;
  readonly name: string;
  readonly mediaType: string;
  readonly time: Time;
  readonly byteLength: number;
}

interface MetadataPlace {
  readonly offset: number;
  readonly length: number;
  readonly name: string;
}

/** What the end of a file says of the file (MCAP specification, "Summary Section"). */
export class Summary {
  readonly schemas: SchemaRecord[] = [];
  readonly channels: ChannelRecord[] = [];
  readonly chunks: ChunkPlace[] = [];
  readonly attachments: AttachmentPlace[] = [];
  readonly metadata: MetadataPlace[] = [];
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
    const builder = new ByteBuilder(1 << 12);
    const groups: [opcode: number, at: number, length: number][] = [];
    const group = (opcode: number, write: () => void): void => {
      const at = builder.length;
      write();
      if (builder.length > at) groups.push([opcode, start + at, builder.length - at]);
    };
    group(OPCODE.schema, () => {
      for (const schema of this.schemas) writeSchema(builder, schema);
    });
    group(OPCODE.channel, () => {
      for (const channel of this.channels) writeChannel(builder, channel);
    });
    group(OPCODE.statistics, () => this.#writeStatistics(builder));
    group(OPCODE.chunkIndex, () => {
      for (const chunk of this.chunks) this.#writeChunkIndex(builder, chunk);
    });
    group(OPCODE.attachmentIndex, () => {
      for (const attachment of this.attachments) this.#writeAttachmentIndex(builder, attachment);
    });
    group(OPCODE.metadataIndex, () => {
      for (const { offset, length, name } of this.metadata) {
        const began = beginRecord(builder, OPCODE.metadataIndex);
        builder.i64le(offset).i64le(length);
        writeText(builder, name);
        endRecord(builder, began);
      }
    });
    const offsets = start + builder.length;
    for (const [opcode, at, length] of groups) {
      const began = beginRecord(builder, OPCODE.summaryOffset);
      builder.u8(opcode).i64le(at).i64le(length);
      endRecord(builder, began);
    }
    const began = beginRecord(builder, OPCODE.footer);
    builder.i64le(start).i64le(offsets);
    const crc = builder.reserve(4);
    endRecord(builder, began);
    // of all from the summary's start on, with the footer up to this field (MCAP specification, "Footer")
    builder.patchU32le(crc, crc32(builder.copy(0, crc)));
    return builder.raw(MAGIC).take();
  }

  #writeStatistics(builder: ByteBuilder): void {
    const began = beginRecord(builder, OPCODE.statistics);
    builder.i64le(this.messages).u16le(this.schemas.length).u32le(this.channels.length);
    builder.u32le(this.attachments.length).u32le(this.metadata.length).u32le(this.chunks.length);
    if (this.messages === 0) builder.zeros(16);
    else {
      this.#clock.write(builder, this.#first);
      this.#clock.write(builder, this.#last);
    }
    const used = this.channels.filter(({ id }) => this.counts[id]! > 0);
    builder.u32le(10 * used.length);
    for (const { id } of used) builder.u16le(id).i64le(this.counts[id]!);
    endRecord(builder, began);
  }

  #writeChunkIndex(builder: ByteBuilder, chunk: ChunkPlace): void {
    const began = beginRecord(builder, OPCODE.chunkIndex);
    if (chunk.isEmpty) builder.zeros(16);
    else {
      this.#clock.write(builder, chunk.first);
      this.#clock.write(builder, chunk.last);
    }
    builder
      .i64le(chunk.start)
      .i64le(chunk.length)
      .u32le(10 * chunk.indexes.length);
    for (const { channel, at } of chunk.indexes) builder.u16le(channel).i64le(at);
    builder.i64le(chunk.indexLength);
    writeText(builder, chunk.compression);
    builder.i64le(chunk.stored).i64le(chunk.content);
    endRecord(builder, began);
  }

  #writeAttachmentIndex(builder: ByteBuilder, of: AttachmentPlace): void {
    const began = beginRecord(builder, OPCODE.attachmentIndex);
    builder.i64le(of.offset).i64le(of.length);
    this.#clock.write(builder, of.time);
    this.#clock.write(builder, of.time);
    builder.i64le(of.byteLength);
    writeText(builder, of.name);
    writeText(builder, of.mediaType);
    endRecord(builder, began);
  }
}
