import { ByteBuilder } from "../../bytes/builder.ts";
import { crc32 } from "../../bytes/crc32.ts";
import {
  type ChannelRecord,
  type SchemaRecord,
  writeAttachmentHead,
  writeChannel,
  writeChunkHead,
  writeDataEnd,
  writeHeader,
  writeMetadata,
  writeSchema,
} from "../../codec/mcap/data.ts";
import { MAGIC, OP, PREFIX } from "../../codec/mcap/opcode.ts";
import { patchU64, writePrefix, writeRecord } from "../../codec/mcap/parts.ts";
import type { ByteSink } from "../../io/sink/sink.ts";
import type { Time } from "../../model/values/time.ts";
import type { Value } from "../../model/values/value.ts";
import { ChunkBuilder } from "./chunk.ts";
import type { Clock } from "./clock.ts";
import { combineCrcs } from "./crc-combine.ts";
import { Summary } from "./summary.ts";

/** Bytes of records from which on a chunk is full. */
const CHUNK_BYTES = 1 << 20;
/** A chunk of so many times the bytes that fill it is overfull. */
const OVERFULL = 4;
/** Schemas and channels that a file can have: numbers of 16 bits, and schema 0 is none. */
const MOST = 0xffff;

export interface McapWriterOptions {
  /** By whom the file is written, for people. */
  readonly library?: string | undefined;
  /** Makes one zstd frame of the records of a chunk; null and absent: they are stored as they are. */
  readonly zstd?: ((bytes: Uint8Array) => Uint8Array) | null | undefined;
  /** Bytes of records from which on a chunk is full; 1 MiB by default. A chunk keeps its last message whole. */
  readonly chunkBytes?: number | undefined;
}

/** A file to be carried inside. */
export interface AttachmentSpec {
  readonly name: string;
  readonly mediaType: string;
  readonly time: Time;
  /** Bytes of all pieces. */
  readonly byteLength: number;
}

/**
 * Writes one MCAP file, front to back, with chunks, indexes, statistics and CRCs (MCAP spec §1).
 * Messages are taken at once. Between two moments await `drain()` when `isFull`; inside a moment when `isOverfull`.
 * Memory grows with a chunk, never with a moment or the file, but for 64 bytes or so of index for each chunk.
 */
export class McapWriter {
  readonly #sink: ByteSink;
  readonly #clock: Clock;
  readonly #zstd: ((bytes: Uint8Array) => Uint8Array) | null;
  readonly #chunkBytes: number;
  readonly #chunk: ChunkBuilder;
  readonly #builder = new ByteBuilder(4096);
  readonly #summary: Summary;
  #crc = 0;

  private constructor(sink: ByteSink, clock: Clock, { zstd = null, chunkBytes = CHUNK_BYTES }: McapWriterOptions) {
    this.#sink = sink;
    this.#clock = clock;
    this.#zstd = zstd;
    this.#chunkBytes = chunkBytes;
    this.#chunk = new ChunkBuilder(clock, chunkBytes + (chunkBytes >> 3));
    this.#summary = new Summary(clock);
  }

  /** Writes the beginning of the file to `sink`, which is at its start and is left open at the end. */
  static async begin(sink: ByteSink, clock: Clock, options: McapWriterOptions = {}): Promise<McapWriter> {
    const writer = new McapWriter(sink, clock, options);
    const builder = writer.#builder.raw(MAGIC);
    const header = { profile: "", library: options.library ?? "simtape" };
    writeRecord(builder, OP.header, (into) => writeHeader(into, header));
    await writer.#out(builder.lend());
    return writer;
  }

  /** The number of a new schema. Throws `RangeError` when the file has 65,535. */
  schema(name: string, encoding: string, data: Uint8Array): number {
    const id = this.#summary.schemas.length + 1;
    if (id > MOST) throw new RangeError(`an MCAP file has at most ${MOST} schemas`);
    const schema: SchemaRecord = { id, name, encoding, data };
    this.#summary.schemas.push(schema);
    writeRecord(this.#builder, OP.schema, (into) => writeSchema(into, schema));
    this.#chunk.raw(this.#builder.lend());
    return id;
  }

  /** The number of a new channel; schema 0: it has none. Throws `RangeError` when the file has 65,535. */
  channel(topic: string, schema: number, encoding: string, metadata: Readonly<Record<string, string>> = {}): number {
    const id = this.#summary.channels.length;
    if (id >= MOST) throw new RangeError(`an MCAP file has at most ${MOST} channels`);
    const texts = new Map(Object.entries(metadata));
    const channel: ChannelRecord = { id, schema, topic, encoding, metadata: texts };
    this.#summary.addChannel(channel);
    writeRecord(this.#builder, OP.channel, (into) => writeChannel(into, channel));
    this.#chunk.raw(this.#builder.lend());
    return id;
  }

  /** A message. `time`: a whole number; of `sequence` the low 32 bits are kept. The payload is copied. */
  bytes(channel: number, time: Time, sequence: number, payload: Uint8Array): void {
    this.#chunk.bytes(channel, time, sequence, payload);
  }

  /** A message whose payload is the JSON of a value. */
  json(channel: number, time: Time, sequence: number, value: Value): void {
    this.#chunk.json(channel, time, sequence, value);
  }

  /** The chunk has as many bytes as it should. */
  get isFull(): boolean {
    return this.#chunk.length >= this.#chunkBytes;
  }

  /** The chunk has so many bytes that it should end here, also inside a moment. */
  get isOverfull(): boolean {
    return this.#chunk.length >= OVERFULL * this.#chunkBytes;
  }

  /** Writes the chunk, if it has anything, with its message indexes. */
  async drain(): Promise<void> {
    const chunk = this.#chunk;
    if (chunk.length === 0) return;
    const { records } = chunk;
    const stored = this.#zstd?.(records) ?? records;
    const compression = this.#zstd === null ? "" : "zstd";
    // of a chunk without messages both times are 0 (MCAP spec §4.6)
    const isEmpty = chunk.messages === 0;
    const first = isEmpty ? 0n : this.#clock.absolute(chunk.first);
    const last = isEmpty ? 0n : this.#clock.absolute(chunk.last);
    const sizes = { compression, stored: stored.length, size: records.length };
    const builder = this.#builder;
    const offset = this.#sink.position;
    writePrefix(builder, OP.chunk, 0);
    const crc = crc32(records);
    writeChunkHead(builder, { start: first, end: last, crc, ...sizes });
    patchU64(builder, 1, builder.length - PREFIX + stored.length);
    await this.#out(builder.lend());
    await this.#out(stored, stored === records ? crc : crc32(stored));
    const end = this.#sink.position;
    const indexes = chunk.indexes(this.#summary.counts);
    await this.#out(indexes.bytes);
    this.#summary.chunks.push({
      start: first,
      end: last,
      offset,
      length: end - offset,
      indexes: new Map(indexes.places.map(({ channel, at }) => [channel, end + at])),
      indexLength: indexes.bytes.length,
      ...sizes,
    });
    this.#summary.count(chunk.messages, chunk.first, chunk.last);
    chunk.clear();
  }

  /** A file inside, in pieces. Rejects with `RangeError` when there are more or fewer bytes than `byteLength`. */
  async attachment(spec: AttachmentSpec, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    await this.drain();
    const { name, mediaType, byteLength } = spec;
    const time = this.#clock.absolute(spec.time);
    const offset = this.#sink.position;
    const builder = this.#builder;
    writePrefix(builder, OP.attachment, 0);
    writeAttachmentHead(builder, { logTime: time, createTime: time, name, mediaType }, byteLength);
    patchU64(builder, 1, builder.length - PREFIX + byteLength + 4);
    const head = builder.take();
    await this.#out(head);
    // of everything in the record before the CRC (MCAP spec §4.9)
    let crc = crc32(head.subarray(PREFIX));
    let given = 0;
    for await (const piece of pieces) {
      given += piece.length;
      if (given > byteLength) break;
      crc = crc32(piece, crc);
      await this.#out(piece);
    }
    if (given !== byteLength) throw new RangeError(`${name} has other than the ${byteLength} bytes that it had before`);
    await this.#out(builder.u32le(crc).lend());
    const length = this.#sink.position - offset;
    this.#summary.attachments.push({
      offset,
      length,
      logTime: time,
      createTime: time,
      size: byteLength,
      name,
      mediaType,
    });
  }

  /** Texts about the file, under a name. */
  async metadata(name: string, texts: Readonly<Record<string, string>>): Promise<void> {
    await this.drain();
    const offset = this.#sink.position;
    const record = { name, texts: new Map(Object.entries(texts)) };
    writeRecord(this.#builder, OP.metadata, (into) => writeMetadata(into, record));
    await this.#out(this.#builder.lend());
    this.#summary.metadata.push({ offset, length: this.#sink.position - offset, name });
  }

  /** Messages so far. */
  get messages(): number {
    return this.#summary.messages + this.#chunk.messages;
  }

  /** Writes the end of the file: the summary and the footer. Nothing may be written after it. */
  async finish(): Promise<void> {
    await this.drain();
    writeRecord(this.#builder, OP.dataEnd, (into) => writeDataEnd(into, this.#crc));
    await this.#sink.write(this.#builder.take());
    await this.#sink.write(this.#summary.write(this.#sink.position));
  }

  /** `crc`: of these bytes, where it is known. */
  async #out(bytes: Uint8Array, crc: number | null = null): Promise<void> {
    if (bytes.length === 0) return;
    this.#crc = crc === null ? crc32(bytes, this.#crc) : combineCrcs(this.#crc, crc, bytes.length);
    await this.#sink.write(bytes);
  }
}
