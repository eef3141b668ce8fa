import { deflateSync, gzipSync, zlibSync } from "fflate";
import { crc32 } from "../bytes/crc32.ts";
import { LayoutError } from "../bytes/error.ts";
import { GZIP_TRAILER_BYTES, GzipHeader } from "../bytes/gzip.ts";
import { Inflater } from "../bytes/inflate.ts";
import { concatenate, inflateStream } from "../bytes/inflate-stream.ts";

/** zlib's levels: 0 stores, 1 is fast, 9 is small; 6 is zlib's own default. */
export type DeflateLevel = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/**
 * Inflates one raw deflate stream that fills `bytes` exactly; the result is the caller's own.
 * Throws `LayoutError` when it is damaged, ends early, inflates to more than `limit` bytes or leaves bytes over.
 */
export function inflateRaw(bytes: Uint8Array, limit: number): Uint8Array<ArrayBuffer> {
  const { bytes: output, end, damage } = inflateStream(bytes, 0, limit);
  if (damage !== null) throw damage;
  if (end !== bytes.length) throw leftOver("deflate", bytes.length - end, end);
  return output;
}

/** Inflates many small streams one after the other: without memory for each of them. */
export class RawInflater {
  readonly #inflater = new Inflater();

  /** As `inflateRaw`, but the bytes hold only until the next call. */
  inflate(bytes: Uint8Array, limit: number): Uint8Array<ArrayBuffer> {
    const inflater = this.#inflater;
    inflater.reset();
    const pause = inflater.run(bytes);
    const isWhole = pause === "end" && inflater.position === bytes.length && inflater.available <= limit;
    // what is larger than its memory, or wrong
    return isWhole ? inflater.lend() : inflateRaw(bytes, limit);
  }
}

/** As `inflateRaw`, for one zlib stream (RFC 1950), Adler-32 checked. */
export function inflateZlib(bytes: Uint8Array, limit: number): Uint8Array<ArrayBuffer> {
  if (bytes.length < 6) throw new LayoutError("truncated", "zlib stream is shorter than 6 bytes", 0);
  const header = (bytes[0]! << 8) | bytes[1]!;
  if ((header & 0x0f00) !== 0x0800 || header % 31 !== 0) throw new LayoutError("malformed", "not a zlib stream", 0);
  if ((header & 0x20) !== 0) throw new LayoutError("malformed", "zlib stream needs a preset dictionary", 1);
  const { bytes: output, end, damage } = inflateStream(bytes, 2, limit);
  if (damage !== null) throw damage;
  if (end + 4 > bytes.length) throw new LayoutError("truncated", "zlib stream ends before its checksum", bytes.length);
  const stored = ((bytes[end]! << 24) | (bytes[end + 1]! << 16) | (bytes[end + 2]! << 8) | bytes[end + 3]!) >>> 0;
  if (stored !== adler32(output)) throw new LayoutError("malformed", "zlib checksum does not match", end);
  if (end + 4 !== bytes.length) throw leftOver("zlib", bytes.length - end - 4, end + 4);
  return output;
}

/** What `gunzip` got out of a file. */
export interface Gunzipped {
  /** All members' content in order, also what a damaged one held before the damage; the caller's own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Members that began. */
  readonly members: number;
  /** Bytes of the input that belong to members; what follows is not gzip and was not read. */
  readonly consumed: number;
  /** Null when every member was whole and its checksum right; else what is wrong with the last one. */
  readonly damage: LayoutError | null;
}

/**
 * Inflates all members of a gzip file (RFC 1952), one after another, checking CRC-32 and length.
 * A damaged or cut member ends the walk and is reported in `damage`. Throws `LayoutError` when the bytes do not begin
 * with a gzip member, or when more than `limit` bytes would come out.
 */
export function gunzip(bytes: Uint8Array, limit: number): Gunzipped {
  if (!isGzip(bytes, 0)) throw new LayoutError("malformed", "not gzip", 0);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let members = 0;
  let at = 0;
  let damage: LayoutError | null = null;
  while (damage === null && isGzip(bytes, at)) {
    members++;
    let start: number;
    try {
      start = gzipContentStart(bytes, at);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      damage = error;
      break;
    }
    const part = inflateStream(bytes, start, limit - length);
    parts.push(part.bytes);
    length += part.bytes.length;
    at = part.end;
    damage = part.damage ?? checkTrailer(bytes, at, part.bytes);
    if (part.damage === null) at = Math.min(bytes.length, at + GZIP_TRAILER_BYTES);
  }
  return { bytes: parts.length === 1 ? parts[0]! : concatenate(parts, length), members, consumed: at, damage };
}

/** One raw deflate stream. */
export function deflateRaw(bytes: Uint8Array, level: DeflateLevel = 6): Uint8Array<ArrayBuffer> {
  return deflateSync(bytes, { level });
}

/** One zlib stream. */
export function deflateZlib(bytes: Uint8Array, level: DeflateLevel = 6): Uint8Array<ArrayBuffer> {
  return zlibSync(bytes, { level });
}

/** One gzip member without name and with time stamp 0, so that the same input always gives the same bytes. */
export function gzip(bytes: Uint8Array, level: DeflateLevel = 9): Uint8Array<ArrayBuffer> {
  return gzipSync(bytes, { level, mtime: 0 });
}

/** The checksum at the end of a zlib stream. */
export function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let at = 0; at < bytes.length; ) {
    // 3,800 steps keep both sums below 2^32
    for (const stop = Math.min(bytes.length, at + 3800); at < stop; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return ((b << 16) | a) >>> 0;
}

function isGzip(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b;
}

/** Where a member's deflate stream begins. */
function gzipContentStart(bytes: Uint8Array, member: number): number {
  const header = new GzipHeader();
  const start = header.push(bytes, member);
  if (header.state === "none") throw new LayoutError("malformed", `gzip method ${bytes[member + 2]}`, member + 2);
  if (header.unknownFlags !== 0) throw new LayoutError("malformed", "gzip header with unknown flags", member + 3);
  if (header.state === "more") throw new LayoutError("truncated", "gzip header ends early", bytes.length);
  return start;
}

function checkTrailer(bytes: Uint8Array, at: number, content: Uint8Array): LayoutError | null {
  if (at + GZIP_TRAILER_BYTES > bytes.length)
    return new LayoutError("truncated", "gzip member ends before its checksum", bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, GZIP_TRAILER_BYTES);
  if (view.getUint32(0, true) !== crc32(content))
    return new LayoutError("malformed", "gzip checksum does not match", at);
  if (view.getUint32(4, true) !== content.length % 0x1_0000_0000) {
    return new LayoutError("malformed", "gzip length does not match", at + 4);
  }
  return null;
}

function leftOver(what: string, count: number, at: number): LayoutError {
  return new LayoutError("malformed", `${count} bytes follow the ${what} stream`, at);
}
