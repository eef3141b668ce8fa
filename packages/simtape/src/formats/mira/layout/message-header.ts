import { crc32 } from "../../../bytes/crc32.ts";
import { isSameBytes } from "../../../bytes/same-bytes.ts";
import type { Compression } from "../../../codec/any.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Dialect } from "./layout.ts";
import { ChunkShape, measure } from "./shape.ts";
import { decodeText } from "./text.ts";

/** What a message stores beside its time and data. */
export interface MessageHeader {
  /** May be empty. */
  readonly frameId: string;
  readonly sequenceId: number;
  /** Null: the data was stored as it is; "unknown": it is compressed, and the payload is as stored. */
  readonly compression: Compression | "unknown" | null;
}

/**
 * Frame id, sequence id and compression of row `row` of a batch of a MIRA recording.
 * Works for every batch that its `batches` gives, also for filtered and merged ones. Throws `TypeError` for others.
 */
export function readMessageHeader(batch: MessageBatch, row: number): MessageHeader {
  if (!(batch.context instanceof TapeContext)) throw new TypeError("not a batch of a MIRA recording");
  return batch.context.header(batch.sequence[row]! - batch.shifted);
}

/** Data that nothing known decompresses, as it is handed out. */
export interface OpaquePayload {
  readonly bytes: Uint8Array;
  readonly uncompressedSize: number;
}

/** Payloads after decompression, where a chunk has compressed ones; rows by sequence. */
export interface Expansion {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Null: stored as it is. */
  readonly compressions: readonly (Compression | "unknown" | null)[];
  readonly opaque: readonly OpaquePayload[];
  /** Sequences of messages whose data is damaged: it is in a compression that is known, or that others of the tape are in. */
  readonly damaged: ReadonlySet<number>;
}

/** What the rows of one chunk refer to: the chunk's own bytes, and where each message is in them. */
export class TapeContext {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly dialect: Dialect;
  /** File offset of the bytes. */
  readonly offset: number;
  /** Sequence of the first message. */
  readonly #sequence: number;
  /** Where each message begins, by sequence; found out when it is asked for, as reading alone does not need it. */
  #positions: Uint32Array | null = null;
  readonly #findPositions: () => Uint32Array;
  /** Sequences of messages that are the first of their block. */
  readonly #firsts: ReadonlySet<number>;
  readonly #expansion: Expansion | null;
  #opaque: ReadonlyMap<number, readonly OpaquePayload[]> | null = null;
  readonly #shape = new ChunkShape();

  constructor(
    bytes: Uint8Array,
    offset: number,
    dialect: Dialect,
    sequence: number,
    findPositions: () => Uint32Array,
    firsts: ReadonlySet<number>,
    expansion: Expansion | null,
  ) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.dialect = dialect;
    this.offset = offset;
    this.#sequence = sequence;
    this.#findPositions = findPositions;
    this.#firsts = firsts;
    this.#expansion = expansion;
  }

  /** Throws `RangeError` for a message of another chunk. */
  header(sequence: number): MessageHeader {
    const shape = this.#shape;
    if (this.locate(sequence, shape) < 0) throw new RangeError(`message ${sequence} is not in this chunk`);
    const { secondStart, secondLength } = shape;
    return {
      frameId: decodeText(this.bytes.subarray(secondStart, secondStart + secondLength)),
      sequenceId: this.view.getUint32(secondStart + secondLength, this.dialect.isLittle),
      compression: this.compression(sequence),
    };
  }

  /** Fills `shape` with the places of a message and gives the position of its chunk; -1 when it is of another chunk. */
  locate(sequence: number, shape: ChunkShape): number {
    this.#positions ??= this.#findPositions();
    const position = this.#positions[sequence - this.#sequence];
    if (position === undefined) return -1;
    measure(this.view, position, this.bytes.length, this.bytes.length, this.dialect, shape);
    return position;
  }

  compression(sequence: number): Compression | "unknown" | null {
    return this.#expansion?.compressions[sequence - this.#sequence] ?? null;
  }

  isFirstInBlock(sequence: number): boolean {
    return this.#firsts.has(sequence);
  }

  get hasDamaged(): boolean {
    return this.#expansion !== null && this.#expansion.damaged.size > 0;
  }

  isDamaged(sequence: number): boolean {
    return this.#expansion?.damaged.has(sequence) === true;
  }

  /** Whether row `row` of a batch has the payload that its message has here; `shape` is that of the message. */
  holds(batch: MessageBatch, row: number, shape: ChunkShape): boolean {
    let own = this.bytes;
    let from = shape.dataStart;
    let to = shape.dataEnd;
    if (this.#expansion !== null) {
      const index = batch.sequence[row]! - batch.shifted - this.#sequence;
      own = this.#expansion.bytes;
      from = this.#expansion.starts[index]!;
      to = this.#expansion.ends[index]!;
    }
    const { bytes } = batch;
    const start = batch.start[row]!;
    const length = batch.end[row]! - start;
    if (length !== to - from) return false;
    if (bytes === own && start === from) return true;
    for (let i = 0; i < length; i++) if (bytes[start + i] !== own[from + i]) return false;
    return true;
  }

  /** Whether any payload of the chunk was left compressed. */
  get hasOpaque(): boolean {
    return (this.#expansion?.opaque.length ?? 0) > 0;
  }

  /** Uncompressed size of a payload that was left as stored; null for all others. */
  opaqueSize(payload: Uint8Array): number | null {
    const opaque = this.#expansion?.opaque;
    if (opaque === undefined || opaque.length === 0) return null;
    this.#opaque ??= byChecksum(opaque);
    for (const { bytes, uncompressedSize } of this.#opaque.get(crc32(payload)) ?? []) {
      if (isSameBytes(bytes, payload)) return uncompressedSize;
    }
    return null;
  }
}

function byChecksum(opaque: readonly OpaquePayload[]): Map<number, OpaquePayload[]> {
  const map = new Map<number, OpaquePayload[]>();
  for (const payload of opaque) {
    const key = crc32(payload.bytes);
    const found = map.get(key);
    if (found === undefined) map.set(key, [payload]);
    else found.push(payload);
  }
  return map;
}
