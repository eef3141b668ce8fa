import { ByteBuilder } from "../../../bytes/builder.ts";
import type { DeflateLevel } from "../../../codec/deflate.ts";
import { WriteBehind } from "../../../io/sink/behind.ts";
import type { ByteSink } from "../../../io/sink/sink.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { ChannelSpec, Writer } from "../../../model/writer.ts";
import { type ChannelDefaults, TapeChannel } from "./channel-writer.ts";
import { compareBytes, MAX_CHANNELS } from "../read/channel-table.ts";
import { believedBytes } from "../layout/compression.ts";
import {
  BLOCK,
  BLOCK_BYTES,
  CHANNEL_INFO,
  CHUNK_HEADER_BYTES,
  channelInfoBytes,
  INDEX,
  INDEX_ENTRY_BYTES,
  IndexEntryWriter,
  MESSAGE_BYTES,
  startMessage,
  type TapeChannelInfo,
  writeBlock,
  writeChannelInfo,
  writeChunkHeader,
  writeFileHeader,
} from "../layout/layout.ts";
import { TapeContext } from "../layout/message-header.ts";
import { type Codec, compress, type Settings } from "./settings.ts";
import { ChunkShape } from "../layout/shape.ts";
import { encodeText } from "../layout/text.ts";
import { Span } from "./span.ts";
import { LAST_TIME, TIMES } from "../layout/times.ts";
import { readTime } from "../read/walk.ts";

/** Bytes handed to the sink at once. */
const PIECE = 1 << 20;
const ROOM = 64 << 10;
const BLOCK_CHUNK_BYTES = CHUNK_HEADER_BYTES + BLOCK_BYTES;
/** Longest message that readers here take for one. */
const MAX_MESSAGE = 64 << 20;
/** Entries of an index table, spec §6. */
const MAX_ENTRIES = 178_956_970;
const NO_TEXT = new Uint8Array(0);

/**
 * Writes a tape as MIRA does: a block's bookkeeping, channel infos and the file header are patched when they are known,
 * spec §5.
 */
export class MiraWriter implements Writer {
  readonly #settings: Settings;
  readonly #defaults: ChannelDefaults;
  readonly #behind: WriteBehind;
  readonly #channels: TapeChannel[] = [];
  readonly #byName = new Map<string, TapeChannel>();
  /** Channels whose info is written, in that order. */
  readonly #declared: TapeChannel[] = [];
  #out = new ByteBuilder(PIECE + ROOM);
  /** File offset of the first byte of `#out`. */
  #base = 0;
  #blocks = 0;
  /** The block under way; -1: none. */
  #block = -1;
  #blockMessages = 0;
  #blockChunks = 0;
  #blockSize = 0;
  #blockSpan = new Span();
  /** The next message begins a block, as it did in its source. */
  #isBlockDue = false;
  #isOver = false;
  #closing: Promise<void> | null = null;
  readonly #shape = new ChunkShape();

  /** `defaults` is what a tape taken after says of its channels. */
  constructor(sink: ByteSink, settings: Settings, defaults: ChannelDefaults) {
    this.#behind = new WriteBehind(sink);
    this.#settings = settings;
    this.#defaults = defaults;
    writeFileHeader(this.#out, settings.header, settings.profile);
  }

  /**
   * `metadata`: `meta`, the channel's meta data as hex; `frame`, the frame id of messages that are written and not
   * appended; `compression`, `none` or a codec, for these messages.
   */
  channel(spec: ChannelSpec): TapeChannel {
    const found = this.#byName.get(spec.name);
    if (found !== undefined) return found;
    if (this.#channels.length >= MAX_CHANNELS) throw new RangeError(`a tape holds at most ${MAX_CHANNELS} channels`);
    const channel = new TapeChannel(this.#channels.length, spec, this.#defaults, this.#settings.profile);
    this.#channels.push(channel);
    this.#byName.set(spec.name, channel);
    return channel;
  }

  write(channel: ChannelInfo, time: Time, payload: Uint8Array, _keyframe?: boolean): void {
    const own = this.#own(channel);
    this.#pack(own, whole(time), exactOf(time), own.frame, own.nextSequenceId, payload, own.codec, own.isForced);
  }

  /** As `write`, with a frame id and a sequence id (32 bits) of the caller's. */
  writeWith(channel: ChannelInfo, time: Time, payload: Uint8Array, frameId: string, sequenceId: number): void {
    const own = this.#own(channel);
    const frame = encodeText(frameId);
    if (frame.length > 0xffff) throw new RangeError(`a frame id of ${frame.length} bytes`);
    this.#pack(own, whole(time), exactOf(time), frame, sequenceId >>> 0, payload, own.codec, own.isForced);
  }

  append(batch: MessageBatch, channels: readonly (ChannelInfo | null)[], shift: Time = 0): void {
    const context = batch.context instanceof TapeContext ? batch.context : null;
    for (let i = 0; i < batch.length; i++) {
      const sequence = batch.sequence[i]!;
      if (this.#settings.followsBlocks && context?.isFirstInBlock(sequence) === true) this.#isBlockDue = true;
      const to = channels[batch.channel[i]!];
      if (to === null || to === undefined) continue;
      if (context === null) this.write(to, batch.time[i]! + shift, batch.payload(i));
      else this.#take(this.#own(to), batch, i, context, shift);
    }
  }

  get ready(): Promise<void> | null {
    return this.#behind.ready;
  }

  async flush(): Promise<void> {
    this.#refuse();
    this.#patchBlock();
    this.#handOver();
    await this.#behind.flush();
  }

  close(): Promise<void> {
    if (this.#isOver && this.#closing === null) return Promise.resolve();
    this.#isOver = true;
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async abort(): Promise<void> {
    this.#isOver = true;
    await this.#behind.abort();
  }

  /** Writes the info of a channel that may have no message. */
  declare(channel: TapeChannel): void {
    if (channel.offset >= 0) return;
    const bytes = CHUNK_HEADER_BYTES + channelInfoBytes(infoOf(channel, 0n, 0n));
    this.#openBlock(bytes);
    this.#declare(channel);
  }

  /** Position of the next byte in the file. */
  get #position(): number {
    return this.#base + this.#out.length;
  }

  #refuse(): void {
    if (this.#isOver) throw new RangeError("the recording is closed");
  }

  #own(channel: ChannelInfo): TapeChannel {
    const own = this.#channels[channel.id];
    if (own === undefined || own !== channel) {
      const same = this.#byName.get(channel.name);
      if (same === undefined) throw new RangeError(`not a channel of this recording: ${channel.name}`);
      return same;
    }
    return own;
  }

  /** Row `i` of a batch of a tape, with everything that is stored beside its payload. */
  #take(to: TapeChannel, batch: MessageBatch, i: number, context: TapeContext, shift: Time): void {
    const shape = this.#shape;
    const sequence = batch.sequence[i]!;
    const position = context.locate(sequence, shape);
    if (position < 0) {
      this.write(to, batch.time[i]! + shift, batch.payload(i));
      return;
    }
    const { bytes, view, dialect } = context;
    const { isLittle } = dialect;
    const stored = readTime(view, position + CHUNK_HEADER_BYTES, isLittle);
    let exact: bigint | null = null;
    if (!Number.isSafeInteger(stored) && stored === batch.time[i]) {
      exact = view.getBigInt64(position + CHUNK_HEADER_BYTES, isLittle) + BigInt(Math.round(shift));
    }
    if (exact !== null && exact > LAST_TIME) exact = LAST_TIME;
    const time = exact === null ? whole(batch.time[i]! + shift) : whole(Number(exact));
    exact ??= exactOf(time);
    const { profile, compression } = this.#settings;
    const isSame = context.holds(batch, i, shape);
    const { isCompressed, secondStart, secondLength, dataStart, dataEnd } = shape;
    const sequenceId = view.getUint32(secondStart + secondLength, isLittle);
    const isOpaque = context.compression(sequence) === "unknown";
    const isKept = compression === undefined || isOpaque || (compression === "store" && !isCompressed);
    if (isSame && isKept) {
      const uncompressed = isCompressed ? shape.uncompressedSize : -1;
      const length = dataEnd - dataStart;
      this.#begin(to, time, exact, secondLength, length, uncompressed);
      to.nextSequenceId = (sequenceId + 1) >>> 0;
      const isAlike = isLittle === profile.isLittle && dialect.sizeIncludesHeader === profile.sizeIncludesHeader;
      if (
        isAlike &&
        shift === 0 &&
        stored === time &&
        isEqual(to.nameBytes, bytes, shape.nameStart, shape.nameLength)
      ) {
        this.#out.raw(bytes.subarray(position, dataEnd));
      } else {
        const frame = secondLength === 0 ? NO_TEXT : bytes.subarray(secondStart, secondStart + secondLength);
        const at = this.#out.length;
        startMessage(this.#out, time, to.nameBytes, frame, sequenceId, length, uncompressed, profile);
        if (exact !== null) this.#patchTime(at, exact);
        this.#out.raw(bytes.subarray(dataStart, dataEnd));
      }
      if (this.#out.length >= PIECE) this.#handOver();
      return;
    }
    const frame = bytes.slice(secondStart, secondStart + secondLength);
    const codec = compression === undefined && isCompressed ? profile.codec : this.#packing(to);
    this.#pack(to, time, exact, frame, sequenceId, batch.payload(i), codec, false);
  }

  /** How appended data is compressed again. */
  #packing(to: TapeChannel): Codec | null {
    const { compression, profile } = this.#settings;
    if (compression === "store") return null;
    return to.codec ?? (to.isPlain ? null : profile.codec);
  }

  /** `isForced`: compressed also when that is longer, spec §9, A16. */
  #pack(
    to: TapeChannel,
    time: number,
    exact: bigint | null,
    frame: Uint8Array,
    sequenceId: number,
    payload: Uint8Array,
    codec: Codec | null,
    isForced: boolean,
  ): void {
    const { profile, compression } = this.#settings;
    let data = payload;
    let uncompressed = -1;
    const asked = codec ?? (compression === "fast" || compression === "small" ? this.#packing(to) : null);
    if (asked !== null && compression !== "store") {
      const packed = compress(asked, payload, LEVELS[compression ?? "usual"]);
      if (isForced || packed.length + 4 < payload.length) {
        data = packed;
        uncompressed = payload.length;
      }
    }
    this.#begin(to, time, exact, frame.length, data.length, uncompressed);
    to.nextSequenceId = (sequenceId + 1) >>> 0;
    const at = this.#out.length;
    if (uncompressed < 0 && frame === to.frame) to.head.write(this.#out, time, sequenceId, data.length);
    else startMessage(this.#out, time, to.nameBytes, frame, sequenceId, data.length, uncompressed, profile);
    if (exact !== null) this.#patchTime(at, exact);
    this.#out.raw(data);
    if (this.#out.length >= PIECE) this.#handOver();
  }

  /** Counts a message that is written next, behind the block and the channel info that it needs. */
  #begin(
    to: TapeChannel,
    time: number,
    exact: bigint | null,
    frameLength: number,
    length: number,
    uncompressed: number,
  ): void {
    this.#refuse();
    const flagged = uncompressed >= 0 ? 4 : 0;
    const bytes = CHUNK_HEADER_BYTES + MESSAGE_BYTES + to.nameBytes.length + frameLength + flagged + length;
    if (bytes > MAX_MESSAGE) throw new RangeError(`a message of ${bytes} bytes; ${MAX_MESSAGE} are the most`);
    if (to.log.count >= MAX_ENTRIES) throw new RangeError(`an index table holds at most ${MAX_ENTRIES} messages`);
    if (to.offset < 0) {
      to.span.add(time, exact);
      this.#openBlock(bytes + CHUNK_HEADER_BYTES + channelInfoBytes(infoOf(to, 0n, 0n)));
      this.#declare(to);
    } else {
      this.#openBlock(bytes);
      to.span.add(time, exact);
    }
    to.log.add(this.#block, this.#position - this.#block, time, exact);
    to.dataSize +=
      uncompressed >= 0 && this.#settings.profile.dataSize === "uncompressed"
        ? believedBytes(length, uncompressed)
        : length;
    this.#blockSpan.add(time, exact);
    this.#blockMessages++;
    this.#blockChunks++;
    this.#blockSize += bytes;
  }

  /** Makes sure that a block is under way which has room for `bytes`. */
  #openBlock(bytes: number): void {
    const isFull = this.#blockChunks > 0 && this.#blockSize + bytes > this.#settings.maxBlock;
    if (this.#block >= 0 && !isFull && !(this.#isBlockDue && this.#blockChunks > 0)) return;
    this.#patchBlock();
    this.#block = this.#position;
    this.#blocks++;
    this.#blockMessages = 0;
    this.#blockChunks = 0;
    this.#blockSize = 0;
    this.#blockSpan = new Span();
    this.#isBlockDue = false;
    const { profile } = this.#settings;
    writeChunkHeader(this.#out, { type: BLOCK, size: BLOCK_BYTES }, profile);
    writeBlock(this.#out, { messages: 0, size: 0, first: 0n, last: 0n }, profile);
  }

  /** Writes what is known of the block under way into its chunk, which comes before its contents. */
  #patchBlock(): void {
    if (this.#block < 0) return;
    const { profile } = this.#settings;
    const contents = this.#blockSize;
    const size = {
      contents,
      "with-block-header": contents + BLOCK_CHUNK_BYTES,
      payloads: contents - this.#blockChunks * CHUNK_HEADER_BYTES,
    };
    const out = new ByteBuilder(BLOCK_CHUNK_BYTES);
    writeChunkHeader(out, { type: BLOCK, size: profile.blockSpans ? BLOCK_BYTES + contents : BLOCK_BYTES }, profile);
    const { first, last } = this.#blockSpan;
    writeBlock(
      out,
      { messages: this.#blockMessages, size: contents === 0 ? 0 : size[profile.blockSize], first, last },
      profile,
    );
    if (this.#block >= this.#base) this.#out.patch(this.#block - this.#base, out.take());
    else this.#behind.writeAt(this.#block, out.take());
  }

  #declare(channel: TapeChannel): void {
    channel.offset = this.#position;
    this.#declared.push(channel);
    const bytes = this.#infoChunk(channel, 0n, 0n);
    this.#out.raw(bytes);
    this.#blockChunks++;
    this.#blockSize += bytes.length;
  }

  #infoChunk(channel: TapeChannel, next: bigint, index: bigint): Uint8Array {
    const { profile } = this.#settings;
    const info = infoOf(channel, next, index);
    const size = channelInfoBytes(info);
    const out = new ByteBuilder(CHUNK_HEADER_BYTES + size);
    writeChunkHeader(out, { type: CHANNEL_INFO, size }, profile);
    writeChannelInfo(out, info, profile);
    return out.take();
  }

  #patchTime(at: number, exact: bigint): void {
    const out = new ByteBuilder(16);
    if (this.#settings.profile.isLittle) out.bigI64le(exact);
    else out.bigI64be(exact);
    this.#out.patch(at + CHUNK_HEADER_BYTES, out.take());
  }

  #handOver(): void {
    const piece = this.#out.take();
    this.#base += piece.length;
    this.#behind.writeOwn(piece);
    this.#out = new ByteBuilder(this.#behind.memory(PIECE + ROOM));
  }

  async #finish(): Promise<void> {
    if (this.#settings.hasEmptyBlock && this.#blocks === 0) this.#openBlock(0);
    this.#patchBlock();
    const { profile, header } = this.#settings;
    const shift = profile.pointers === "payload" ? CHUNK_HEADER_BYTES : 0;
    const ordered = inOrder(this.#declared, profile.indexOrder);
    const tables = new Map<TapeChannel, number>();
    for (const channel of ordered) {
      tables.set(channel, this.#position + shift);
      await this.#writeTable(channel);
    }
    this.#handOver();
    const chain = inOrder(this.#declared, profile.nextOrder);
    for (const [i, channel] of chain.entries()) {
      const next = chain[i + 1];
      const bytes = this.#infoChunk(
        channel,
        next === undefined ? 0n : BigInt(next.offset + shift),
        BigInt(tables.get(channel)!),
      );
      this.#behind.writeAt(channel.offset, bytes);
      if (this.#behind.ready !== null) await this.#behind.ready;
    }
    const out = new ByteBuilder(64);
    const firstChannel = chain[0] === undefined ? 0n : BigInt(chain[0].offset + shift);
    writeFileHeader(out, { ...header, blocks: this.#blocks, firstChannel }, profile);
    this.#behind.writeAt(0, out.take());
    await this.#behind.close();
  }

  /** Spec §2.6, A15: ascending by time. */
  async #writeTable(channel: TapeChannel): Promise<void> {
    const { profile } = this.#settings;
    const { isLittle } = profile;
    const shift = profile.pointers === "payload" ? CHUNK_HEADER_BYTES : 0;
    const inside = INSIDE[profile.insideBase] + (profile.insideTarget === "payload" ? CHUNK_HEADER_BYTES : 0);
    const { count } = channel.log;
    writeChunkHeader(this.#out, { type: INDEX, size: 4 + count * INDEX_ENTRY_BYTES }, profile);
    if (isLittle) this.#out.u32le(count);
    else this.#out.u32be(count);
    const entry = new IndexEntryWriter(profile);
    const cursor = channel.log.isAscending ? channel.log.read() : channel.log.readSorted();
    while (cursor.next()) {
      entry.add(cursor.block + shift, cursor.inside + inside, cursor.time, cursor.exact);
      if (!entry.isFull) continue;
      entry.flush(this.#out);
      if (this.#out.length < PIECE) continue;
      this.#handOver();
      if (this.#behind.ready !== null) await this.#behind.ready;
    }
    entry.flush(this.#out);
  }
}

/** What is taken from a place that counts from the block chunk. */
const INSIDE = { content: -BLOCK_CHUNK_BYTES, "block-header": 0, "block-payload": -CHUNK_HEADER_BYTES };

const LEVELS: Readonly<Record<"fast" | "small" | "store" | "usual", DeflateLevel>> = {
  fast: 1,
  small: 9,
  store: 0,
  usual: 6,
};

/** Throws `RangeError` for what no time of a tape can be. */
function whole(time: Time): number {
  const rounded = Number.isInteger(time) ? time : Math.round(time);
  if (rounded >= TIMES.first && rounded <= TIMES.last) return rounded;
  throw new RangeError(`a tape cannot hold the time ${time}`);
}

/** What is stored for a time that rounds up to one that no tape has; null: the time itself. */
function exactOf(time: Time): bigint | null {
  return time === TIMES.last ? LAST_TIME : null;
}

function infoOf(channel: TapeChannel, next: bigint, index: bigint): TapeChannelInfo {
  const { first, last } = channel.span;
  const { name, type, meta } = channel;
  return { next, first, last, name, type, meta, dataSize: BigInt(channel.dataSize), index };
}

function inOrder(declared: readonly TapeChannel[], order: "name" | "creation"): readonly TapeChannel[] {
  if (order === "creation") return declared;
  return [...declared].sort((a, b) => compareBytes(a.nameBytes, b.nameBytes));
}

function isEqual(name: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (name.length !== length) return false;
  for (let i = 0; i < length; i++) if (name[i] !== bytes[start + i]) return false;
  return true;
}
