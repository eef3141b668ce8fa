import { crc32 } from "../../../bytes/crc32.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { Sha256 } from "../../../bytes/sha256.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { RecordingError } from "../../../model/error.ts";
import { attachmentName, type Original, ORIGINAL } from "../../../model/original.ts";
import type { Reader } from "../../../model/reader.ts";
import { MAGIC, OP, PREFIX } from "../../../codec/mcap/opcode.ts";
import { readMetadata } from "../../../codec/mcap/data.ts";
import { readPrefix } from "../../../codec/mcap/parts.ts";
import {
  FOOTER_CONTENT,
  readAttachmentIndex,
  readFooter,
  readMetadataIndex,
  TAIL,
} from "../../../codec/mcap/summary.ts";
import { McapReader } from "./reader.ts";

/** Bytes of a summary, and of a metadata record, that are read. */
const MOST = 256 << 20;
/** Bytes of an attachment read at a time. */
const STEP = 1 << 20;
/** Bytes of an attachment index beside its texts, and of an attachment record before its data, beside them. */
const INDEX_CONTENT = 5 * 8 + 2 * 4;
const ATTACHMENT_HEAD = PREFIX + 8 + 8 + 4 + 4 + 8;

/** Where an attachment is. */
interface Place {
  readonly offset: number;
  readonly length: number;
}

interface Index {
  readonly attachments: ReadonlyMap<string, Place & { readonly bytes: number; readonly head: number }>;
  readonly metadata: readonly Place[];
}

/** The files that a recording carries; none where its end is damaged or has no summary, which its findings say. */
export async function originalsOf(reader: Reader): Promise<readonly Original[]> {
  if (!(reader instanceof McapReader)) return [];
  try {
    return await originalsIn(reader.source);
  } catch (error) {
    if (RecordingError.is(error) && (error.code === "malformed" || error.code === "truncated")) return [];
    throw error;
  }
}

/**
 * The files of the recording that an MCAP file carries, as `simtape export` wrote them: the main one first. None for an
 * MCAP file that carries none. Rejects with `RecordingError` for what is no MCAP file, is cut, or has no summary.
 */
export async function originalsIn(source: ByteSource, signal?: AbortSignal): Promise<readonly Original[]> {
  try {
    const { attachments, metadata } = await readIndex(source, signal);
    const originals: Original[] = [];
    for (const place of metadata) {
      const { texts } = readMetadata(await record(source, place, OP.metadata, signal));
      originals.push(originalOf(source, texts, attachments, signal));
    }
    return originals;
  } catch (error) {
    throw RecordingError.from(error, "mcap");
  }
}

function originalOf(
  source: ByteSource,
  texts: ReadonlyMap<string, string>,
  attachments: Index["attachments"],
  signal: AbortSignal | undefined,
): Original {
  const name = texts.get("name");
  const byteLength = Number(texts.get("bytes"));
  const pieces = Number(texts.get("pieces"));
  const sha256 = texts.get("sha256") ?? "";
  const isCount = Number.isSafeInteger(byteLength) && byteLength >= 0 && Number.isSafeInteger(pieces) && pieces > 0;
  if (name === undefined || !isCount || pieces > attachments.size) throw malformed("what is said of a file inside");
  const places = Array.from({ length: pieces }, (_, piece) => attachments.get(attachmentName(name, piece, pieces)));
  const described = { name, format: texts.get("format") ?? null, byteLength, sha256 };
  return {
    ...described,
    async *bytes() {
      const hash = new Sha256();
      let given = 0;
      for (const place of places) {
        if (place === undefined) throw lost(name, "a piece is missing");
        for await (const bytes of dataOf(source, place, name, signal)) {
          hash.update(bytes);
          given += bytes.length;
          yield bytes;
        }
      }
      if (given !== byteLength) throw lost(name, `it has ${given} of ${byteLength} bytes`);
      const found = hash.digest();
      if (found !== sha256) throw lost(name, `sha256 ${sha256} is expected, ${found} was found`);
    },
  };
}

async function* dataOf(
  source: ByteSource,
  { offset, length, bytes, head }: Place & { readonly bytes: number; readonly head: number },
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (length !== head + bytes + 4) throw lost(name, "its index does not fit");
  const before = await exactly(source, offset, head, signal);
  if (before[0] !== OP.attachment) throw lost(name, "its index points elsewhere");
  let crc = crc32(before.subarray(PREFIX));
  for (let at = 0; at < bytes; ) {
    const piece = await exactly(source, offset + head + at, Math.min(STEP, bytes - at), signal);
    crc = crc32(piece, crc);
    at += piece.length;
    yield piece;
  }
  const stated = new ByteCursor(await exactly(source, offset + length - 4, 4, signal)).u32le();
  if (stated !== 0 && stated !== crc) throw lost(name, "the CRC of an attachment does not match");
}

/** From the end of the file: the footer, and what the summary says of attachments and of our metadata. */
async function readIndex(source: ByteSource, signal: AbortSignal | undefined): Promise<Index> {
  const size = await source.size();
  if (size === null || size < MAGIC.length + TAIL) throw malformed("the end of an MCAP file");
  const end = new ByteCursor(await exactly(source, size - TAIL, TAIL, signal), 0, TAIL, size - TAIL);
  const isFooter = end.u8() === OP.footer && end.u64le() === FOOTER_CONTENT;
  const { summary: start } = readFooter(end);
  if (!isFooter || MAGIC.some((byte, i) => end.bytes[PREFIX + FOOTER_CONTENT + i] !== byte))
    throw malformed("an MCAP footer");
  if (start === 0) throw malformed("a summary");
  if (start > size - TAIL || size - TAIL - start > MOST) throw malformed("a summary of at most 256 MiB");
  const cursor = new ByteCursor(await exactly(source, start, size - TAIL - start, signal), 0, undefined, start);
  const attachments = new Map<string, Place & { bytes: number; head: number }>();
  const metadata: Place[] = [];
  while (cursor.remaining >= PREFIX) {
    const { opcode, start: from, end: until } = readPrefix(cursor);
    const inside = new ByteCursor(cursor.bytes, from, until, start);
    cursor.seek(until);
    if (opcode === OP.attachmentIndex) {
      const { offset, length, size: bytes, name } = readAttachmentIndex(inside);
      const head = ATTACHMENT_HEAD + (until - inside.remaining - from - INDEX_CONTENT);
      attachments.set(name, { offset, length, bytes, head });
    } else if (opcode === OP.metadataIndex) {
      const { offset, length, name } = readMetadataIndex(inside);
      if (name === ORIGINAL) metadata.push({ offset, length });
    }
  }
  return { attachments, metadata };
}

async function record(
  source: ByteSource,
  { offset, length }: Place,
  opcode: number,
  signal: AbortSignal | undefined,
): Promise<ByteCursor> {
  if (length > MOST) throw malformed("a metadata record of at most 256 MiB");
  const cursor = new ByteCursor(await exactly(source, offset, length, signal), 0, undefined, offset);
  if (cursor.u8() !== opcode || cursor.u64le() !== cursor.remaining) throw malformed("a metadata record");
  return cursor;
}

async function exactly(
  source: ByteSource,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const bytes = await source.read(offset, length, signal);
  if (bytes.length === length) return bytes;
  throw new RecordingError("truncated", `${length} bytes are expected at ${offset}`, { format: "mcap", offset });
}

function malformed(expected: string): RecordingError {
  return new RecordingError("malformed", `expected ${expected}`, { format: "mcap" });
}

function lost(name: string, what: string): RecordingError {
  return new RecordingError("malformed", `the original file inside cannot be restored: ${what}: ${name}`, {
    format: "mcap",
  });
}
