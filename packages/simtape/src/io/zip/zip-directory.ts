import { ByteCursor } from "../../bytes/cursor.ts";
import { hex, LayoutError } from "../../bytes/error.ts";
import {
  DESCRIPTOR_SIGNATURE,
  DIRECTORY_BYTES,
  type DirectoryEntry,
  END64_BYTES,
  END_BYTES,
  END_SEARCH_BYTES,
  END_SIGNATURE,
  extentOf,
  LOCAL_BYTES,
  type LocalHeader,
  LOCATOR64_BYTES,
  LOCATOR64_SIGNATURE,
  readDirectoryEnd,
  readDirectoryEnd64,
  readDirectoryEntry,
  readLocalHeader,
  readLocator64,
} from "../../bytes/zip.ts";
import { type ByteSource, SourceError } from "../source/source.ts";

/** The longest directory that is read: more than 65,535 members. */
const MAX_DIRECTORY_BYTES = 16 << 20;
/** Bytes that hold most local headers. */
const USUAL_HEADER = 256;

/** The central directory of a zip, as far as it can be read. */
export interface Directory {
  /** Place of its first entry. */
  readonly offset: number;
  readonly entries: readonly DirectoryEntry[];
  /** How many entries the end record states. */
  readonly stated: number;
  /** Why there are no entries behind the last one; null when all are read. */
  readonly damage: LayoutError | null;
  /** The comment of the whole archive; empty when it has none. */
  readonly comment: Uint8Array;
}

/** Reads the central directory. Throws `LayoutError` when there is none, or one that is not in the file. */
export async function readDirectory(source: ByteSource, size: number, signal?: AbortSignal): Promise<Directory> {
  const { offset, size: length, stated, comment } = await findDirectory(source, size, signal);
  return { offset, stated, comment, ...(await readEntries(source, offset, length, signal)) };
}

/** The entries in `length` bytes from `offset` on, up to the first that cannot be read. */
export async function readEntries(
  source: ByteSource,
  offset: number,
  length: number,
  signal?: AbortSignal,
): Promise<Pick<Directory, "entries" | "damage">> {
  const bytes = await readExactly(source, offset, Math.min(length, MAX_DIRECTORY_BYTES), signal);
  const cursor = new ByteCursor(bytes, 0, bytes.length, offset);
  const entries: DirectoryEntry[] = [];
  while (cursor.remaining >= DIRECTORY_BYTES) {
    try {
      const entry = readDirectoryEntry(cursor);
      entries.push({ ...entry, ...extentOf(entry) });
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      return { entries, damage: error };
    }
  }
  return { entries, damage: null };
}

async function findDirectory(
  source: ByteSource,
  size: number,
  signal: AbortSignal | undefined,
): Promise<{ offset: number; size: number; stated: number; comment: Uint8Array }> {
  const start = Math.max(0, size - END_SEARCH_BYTES);
  const tail = await source.read(start, size - start, signal);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) > tail.length) continue;
    const end = readDirectoryEnd(new ByteCursor(tail, at, tail.length, start));
    const { comment } = end;
    let { directoryOffset: offset, directorySize: length, entries: stated } = end;
    if (at >= LOCATOR64_BYTES && view.getUint32(at - LOCATOR64_BYTES, true) === LOCATOR64_SIGNATURE) {
      const { endOffset } = readLocator64(new ByteCursor(tail, at - LOCATOR64_BYTES, at, start));
      const record = await source.read(endOffset, END64_BYTES, signal);
      const end64 = readDirectoryEnd64(new ByteCursor(record, 0, record.length, endOffset));
      ({ directoryOffset: offset, directorySize: length, entries: stated } = end64);
    }
    if (offset + length <= start + at) return { offset, size: length, stated, comment };
    throw new LayoutError("malformed", `directory of ${length} bytes at ${hex(offset)} is not in the file`, start + at);
  }
  throw new LayoutError("truncated", "no end record of a zip", size);
}

/** The header before a member's data, and where the data begin. Throws `LayoutError` when there is none. */
export async function localHeaderAt(
  source: ByteSource,
  offset: number,
  signal?: AbortSignal,
): Promise<{ readonly header: LocalHeader; readonly dataOffset: number }> {
  let bytes = await source.read(offset, USUAL_HEADER, signal);
  if (bytes.length === USUAL_HEADER) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = LOCAL_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
    if (length > USUAL_HEADER) bytes = await source.read(offset, length, signal);
  }
  const cursor = new ByteCursor(bytes, 0, bytes.length, offset);
  const header = readLocalHeader(cursor);
  return { header, dataOffset: cursor.offset };
}

/** What stands behind the data of a member that was written without knowing its size. */
export interface Descriptor {
  readonly size: number;
  readonly crc: number;
  /** Bytes of the descriptor itself. */
  readonly length: number;
}

/** Bytes of the longest data descriptor: signature, checksum, sizes of 64 bits. */
export const DESCRIPTOR_BYTES = 24;

/** The descriptor behind `compressed` bytes of data, which is at `at`; null: nothing there goes with them. */
export async function descriptorAt(
  source: ByteSource,
  at: number,
  compressed: number,
  signal?: AbortSignal,
): Promise<Descriptor | null> {
  if (at < 0 || compressed < 0) return null;
  const bytes = await source.read(at, DESCRIPTOR_BYTES, signal);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const start of [4, 0]) {
    for (const width of [4, 8]) {
      const length = start + 4 + 2 * width;
      if (bytes.length < length || (start > 0 && view.getUint32(0, true) !== DESCRIPTOR_SIGNATURE)) continue;
      const number = (place: number): number =>
        width === 4 ? view.getUint32(place, true) : Number(view.getBigUint64(place, true));
      if (number(start + 4) !== compressed) continue;
      return { size: number(start + 4 + width), crc: view.getUint32(start, true), length };
    }
  }
  return null;
}

/** As `source.read`, for bytes that are known to be there. */
export async function readExactly(
  source: ByteSource,
  offset: number,
  length: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const bytes = await source.read(offset, length, signal);
  if (bytes.length === length) return bytes;
  throw new SourceError("changed", `ends at ${offset + bytes.length}, ${offset + length} was expected: ${source.name}`);
}
