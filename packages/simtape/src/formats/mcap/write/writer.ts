import { ByteBuilder } from "../../../bytes/builder.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { WriteBehind } from "../../../io/sink/behind.ts";
import type { ByteSink } from "../../../io/sink/sink.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { ChannelSpec, Lost, Writer } from "../../../model/writer.ts";
import {
  INDEX_HEAD,
  MESSAGE_HEAD,
  type MetadataRecord,
  writeChunkHead,
  writeDataEnd,
  writeHeader,
  writeMetadata,
} from "../../../codec/mcap/data.ts";
import { MAGIC, OP, PREFIX } from "../../../codec/mcap/opcode.ts";
import { patchU64, writePrefix, writeRecord } from "../../../codec/mcap/parts.ts";
import type { AttachmentIndex, ChunkIndex, MetadataIndex } from "../../../codec/mcap/summary.ts";
import { epochRecord } from "../layout/own.ts";
import { baseOf } from "../read/plan.ts";
import { McapContext } from "../read/context.ts";
import { type WrittenChannel, WrittenChannels } from "./channels.ts";
import type { Settings } from "./settings.ts";
import { tailOf } from "../../../codec/mcap/tail.ts";

/** Uncompressed bytes of a chunk, about. */
const CHUNK = 1 << 20;
/** The longest payload that readers here take. */
const MOST = (64 << 20) - 1024;
const HALF = 0x1_0000_0000;
/** Names the program in the header. */
const LIBRARY = "simtape";

/** Writes a file: chunks with message indexes, then the summary (spec §1). */
export class McapWriter implements Writer {
  readonly lost: Lost[] = [];
  readonly #settings: Settings;
  readonly #behind: WriteBehind;
  readonly #channels: WrittenChannels;
  readonly #high: number;
  readonly #low: number;
  /** Records of the chunk under way; without chunks what waits to be handed to the sink. */
  #out = new ByteBuilder(CHUNK + (64 << 10));
  /** Channels with messages in it. */
  #inChunk: WrittenChannel[] = [];
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  /** Of all messages. */
  #start = Number.POSITIVE_INFINITY;
  #end = Number.NEGATIVE_INFINITY;
  #messages = 0;
  readonly #chunks: ChunkIndex[] = [];
  readonly #attachments: AttachmentIndex[] = [];
  readonly #metadata: MetadataIndex[] = [];
  /** CRC-32 of everything written. */
  #crc = 0;
  #closing: Promise<void> | null = null;

  constructor(sink: ByteSink, settings: Settings) {
    this.#behind = new WriteBehind(sink);
    this.#settings = settings;
    this.#channels = new WrittenChannels(settings.without);
    this.#high = Number(settings.base >> 32n);
    this.#low = Number(settings.base & 0xffff_ffffn);
    const begin = new ByteBuilder().raw(MAGIC);
    writeRecord(begin, OP.header, (into) => writeHeader(into, { profile: settings.profile, library: LIBRARY }));
    this.#put(begin.take());
    for (const one of settings.metadata) this.#describe(one);
  }

  #describe(record: MetadataRecord): void {
    const out = new ByteBuilder();
    const offset = this.#behind.position;
    writeRecord(out, OP.metadata, (into) => writeMetadata(into, record));
    this.#metadata.push({ offset, length: out.length, name: record.name });
    this.#put(out.take());
  }

  /** States time 0 where a reader would take another time for it. */
  #writeEpoch(): void {
    const { base } = this.#settings;
    const usual = this.#messages === 0 ? 0n : baseOf(this.#absolute(this.#start));
    if (usual !== base) this.#describe(epochRecord(base));
  }

  /** Carries an attachment: `pieces` are its record with the prefix, `index` says what it holds. */
  async attach(index: Omit<AttachmentIndex, "offset">, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const offset = this.#behind.position;
    for await (const piece of pieces) {
      this.#put(piece);
      if (this.#behind.ready !== null) await this.#behind.ready;
    }
    this.#attachments.push({ ...index, offset });
  }

  /**
   * A channel of a reader keeps its schema, topic and metadata. Else `schema` is the name of the schema, and `metadata`
   * may have `encoding` and `schemaEncoding`; the encoding is JSON where it is not said.
   */
  channel(spec: ChannelSpec): WrittenChannel {
    return this.#channels.channel(spec);
  }

  write(channel: ChannelInfo, time: Time, payload: Uint8Array): void {
    const own = this.#own(channel);
    this.#message(own, time, own.messages >>> 0, 0, payload);
  }

  append(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time = 0): void {
    const context = batch.context instanceof McapContext ? batch.context : null;
    for (let i = 0; i < batch.length; i++) {
      const to = channels[batch.channel[i]!];
      if (to === null || to === undefined) continue;
      const own = this.#own(to);
      const time = batch.time[i]! + shift;
      if (context === null) this.#message(own, time, own.messages >>> 0, 0, batch.payload(i));
      else {
        const place = batch.sequence[i]! - batch.shifted;
        this.#message(own, time, context.counterOf(place), context.delayOf(place), batch.payload(i));
      }
    }
  }

  /** `delay`: by how much the publish time is before the log time. */
  #message(own: WrittenChannel, time: Time, counter: number, delay: number, payload: Uint8Array): void {
    if (this.#closing !== null) throw new TypeError("the file is closed");
    if (payload.length > MOST) throw new RangeError(`a message of ${payload.length} bytes`);
    this.#check(time);
    const out = this.#out;
    const isChunked = this.#settings.dialect !== "unchunked";
    if (!own.isDefined) this.#channels.define(out, own);
    const at = out.length;
    writePrefix(out, OP.message, MESSAGE_HEAD + payload.length);
    out.u16le(own.record.id).u32le(counter);
    this.#time(out, time);
    this.#time(out, this.#isPossible(time - delay) ? time - delay : time);
    out.raw(payload);
    own.messages++;
    this.#messages++;
    if (time < this.#first) this.#first = time;
    if (time > this.#last) this.#last = time;
    if (isChunked) {
      if (own.index.length === 0) this.#inChunk.push(own);
      this.#time(own.index, time);
      own.index.u32le(at).u32le(0);
    }
    if (out.length >= CHUNK) this.#finish();
  }

  /** Throws `RangeError` for a time before that from which the file counts. */
  #check(time: Time): void {
    if (this.#isPossible(time)) return;
    throw new RangeError(`an MCAP file has no time ${time} ns after ${this.#settings.base}`);
  }

  #isPossible(time: Time): boolean {
    const from = this.#high * HALF + this.#low;
    return Number.isFinite(time) && time + from >= 0 && time + from < 2 ** 64;
  }

  /** A time as the file has it, in two halves: no number is exact for all of it. */
  #time(out: ByteBuilder, time: Time): void {
    const whole = Math.round(time);
    const over = Math.floor(whole / HALF);
    const low = this.#low + (whole - over * HALF);
    out.u32le(low % HALF).u32le(this.#high + over + (low >= HALF ? 1 : 0));
  }

  #own(channel: ChannelInfo): WrittenChannel {
    const own = this.#channels.list[channel.id];
    if (own !== channel) throw new TypeError(`the channel ${channel.name} is not of this file`);
    return own;
  }

  #put(bytes: Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc);
    this.#behind.write(bytes);
  }

  #absolute(time: Time): bigint {
    return this.#settings.base + BigInt(Math.round(time));
  }

  /** Ends the chunk under way, if it has anything. */
  #finish(): void {
    if (this.#out.length === 0) return;
    const hasMessages = this.#first <= this.#last;
    if (hasMessages) {
      this.#start = Math.min(this.#start, this.#first);
      this.#end = Math.max(this.#end, this.#last);
    }
    if (this.#settings.dialect === "unchunked") this.#put(this.#out.take());
    else this.#chunk(hasMessages ? this.#absolute(this.#first) : 0n, hasMessages ? this.#absolute(this.#last) : 0n);
    this.#out = new ByteBuilder(CHUNK + (64 << 10));
    this.#first = Number.POSITIVE_INFINITY;
    this.#last = Number.NEGATIVE_INFINITY;
  }

  #chunk(start: bigint, end: bigint): void {
    const records = this.#out.take();
    const [compression, stored] = this.#settings.pack(records);
    const size = records.length;
    const out = new ByteBuilder(stored.length + 256);
    writePrefix(out, OP.chunk, 0);
    writeChunkHead(out, { start, end, size, crc: crc32(records), compression, stored: stored.length });
    out.raw(stored);
    patchU64(out, 1, out.length - PREFIX);
    const offset = this.#behind.position;
    const length = out.length;
    const indexes = new Map<number, number>();
    for (const { record, index } of this.#inChunk.sort((a, b) => a.record.id - b.record.id)) {
      indexes.set(record.id, offset + out.length);
      writePrefix(out, OP.messageIndex, INDEX_HEAD + index.length);
      out.u16le(record.id).u32le(index.length).raw(index.lend());
    }
    this.#inChunk = [];
    const indexLength = out.length - length;
    const lengths = { offset, length, indexes, indexLength, compression, stored: stored.length, size };
    this.#chunks.push({ start, end, ...lengths });
    this.#put(out.take());
  }

  get ready(): Promise<void> | null {
    return this.#behind.ready;
  }

  async flush(): Promise<void> {
    this.#finish();
    await this.#behind.flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#finish();
    const out = new ByteBuilder();
    for (const channel of this.#channels.list) if (!channel.isDefined) this.#channels.define(out, channel);
    this.#put(out.take());
    this.#writeEpoch();
    const crc = this.#crc;
    writeRecord(out, OP.dataEnd, (into) => writeDataEnd(into, crc));
    this.#put(out.take());
    const written = this.#channels.list;
    const statistics = {
      messages: this.#messages,
      schemas: this.#channels.schemas.length,
      channels: written.length,
      attachments: this.#attachments.length,
      metadata: this.#metadata.length,
      chunks: this.#chunks.length,
      start: this.#messages === 0 ? 0n : this.#absolute(this.#start),
      end: this.#messages === 0 ? 0n : this.#absolute(this.#end),
      byChannel: new Map(
        written
          .filter(({ messages }) => messages > 0)
          .map(({ record, messages }): [number, number] => [record.id, messages])
          .sort((a, b) => a[0] - b[0]),
      ),
    };
    const facts = {
      schemas: this.#channels.schemas,
      channels: written.map(({ record }) => record).sort((a, b) => a.id - b.id),
      statistics,
      chunks: this.#chunks,
      attachments: this.#attachments,
      metadata: this.#metadata,
    };
    this.#put(tailOf(facts, this.#behind.position));
    await this.#behind.close();
  }

  abort(): Promise<void> {
    return this.#behind.abort();
  }
}
