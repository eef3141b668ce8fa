import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { isCompression } from "../layout/compression.ts";
import {
  MESSAGE_HEAD,
  readAttachmentHead,
  readChannel,
  readChunkHead,
  readHeader,
  readMetadata,
  readSchema,
} from "../../../codec/mcap/data.ts";
import { OP, PREFIX } from "../../../codec/mcap/opcode.ts";
import {
  FOOTER_CONTENT,
  readAttachmentIndex,
  readChunkIndex,
  readMetadataIndex,
  readStatistics,
} from "../../../codec/mcap/summary.ts";

/** What is asked where a walk has lost its way. */
export interface Knows {
  /** Whether messages of that channel are expected. */
  knows(channel: number): boolean;
}

/** What a walk over records finds. Places are in the bytes that it walks over. */
export interface Sight {
  /** Where the next record begins behind `at`, where none does; `to` where there is none. */
  resume(bytes: Uint8Array, at: number, to: number): number;
  /** A record from `at`, whose content is `[start, end)`. */
  record(opcode: number, at: number, start: number, end: number): void;
  /** Bytes that are no record. */
  damage(from: number, to: number): void;
}

/** Goes over `bytes[from, to)`, which hold whole records; behind damage it continues with the next record (spec §5). */
export function walkRecords(bytes: Uint8Array, from: number, to: number, sight: Sight): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = from;
  while (at < to) {
    const end = endOf(view, at, to);
    if (end > 0) {
      sight.record(bytes[at]!, at, at + PREFIX, end);
      at = end;
      continue;
    }
    const next = sight.resume(bytes, at, to);
    sight.damage(at, next);
    at = next;
  }
}

/** Where the record at `at` ends; -1: none is there, or it exceeds `to`. A message is as long as its head at least. */
export function endOf(view: DataView, at: number, to: number): number {
  if (at + PREFIX > to || view.getUint32(at + 5, true) !== 0) return -1;
  const opcode = view.getUint8(at);
  const length = view.getUint32(at + 1, true);
  const end = at + PREFIX + length;
  return opcode === 0 || end > to || (opcode === OP.message && length < MESSAGE_HEAD) ? -1 : end;
}

/** The first place from `from` on where a record begins beyond reasonable doubt; `to` where none does. */
export function nextRecord(bytes: Uint8Array, from: number, to: number, sight: Knows): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = from; at + PREFIX <= to; at++) {
    const opcode = bytes[at]!;
    if (opcode === 0 || opcode > OP.dataEnd) continue;
    const end = endOf(view, at, to);
    if (end < 0 || !isPlausible(bytes, at, end, sight)) continue;
    if (end === to || end + PREFIX > to) return at;
    const next = endOf(view, end, to);
    if (next > 0 && bytes[end]! <= OP.dataEnd && isPlausible(bytes, end, next, ANY)) return at;
  }
  return to;
}

/** Of the record behind a candidate: its channel may be defined by the candidate. */
const ANY: Knows = { knows: () => true };

/** Whether the record `[at, end)` has the content that its opcode asks for. */
export function isPlausible(bytes: Uint8Array, at: number, end: number, sight: Knows): boolean {
  const cursor = new ByteCursor(bytes, at + PREFIX, end);
  try {
    return READERS[bytes[at]!]?.(cursor, sight) ?? false;
  } catch (error) {
    if (error instanceof LayoutError) return false;
    throw error;
  }
}

type Judge = (cursor: ByteCursor, sight: Knows) => boolean;

/** Reads the whole content. */
function whole(read: (cursor: ByteCursor) => unknown): Judge {
  return (cursor) => {
    read(cursor);
    return cursor.remaining === 0;
  };
}

const READERS: Readonly<Record<number, Judge>> = {
  [OP.header]: whole(readHeader),
  [OP.footer]: (cursor) => cursor.remaining === FOOTER_CONTENT,
  [OP.schema]: whole((cursor) => {
    if (readSchema(cursor).id === 0) throw new LayoutError("malformed", "a schema has no id 0", cursor.offset);
  }),
  [OP.channel]: whole(readChannel),
  [OP.message]: (cursor, sight) => sight.knows(cursor.u16le()),
  [OP.chunk]: (cursor) => {
    const { compression, stored, start, end } = readChunkHead(cursor);
    return isCompression(compression) && stored === cursor.remaining && start <= end;
  },
  [OP.messageIndex]: (cursor, sight) => {
    const channel = cursor.u16le();
    const length = cursor.u32le();
    return sight.knows(channel) && length === cursor.remaining && length % 16 === 0;
  },
  [OP.chunkIndex]: whole(readChunkIndex),
  [OP.attachment]: (cursor) => {
    readAttachmentHead(cursor);
    return cursor.u64le() + 4 === cursor.remaining;
  },
  [OP.attachmentIndex]: whole(readAttachmentIndex),
  [OP.statistics]: whole(readStatistics),
  [OP.metadata]: whole(readMetadata),
  [OP.metadataIndex]: whole(readMetadataIndex),
  [OP.summaryOffset]: (cursor) => cursor.remaining === 17,
  [OP.dataEnd]: (cursor) => cursor.remaining === 4,
};
