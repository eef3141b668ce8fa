import { ByteCursor } from "../../bytes/cursor.ts";
import { hex, LayoutError } from "../../bytes/error.ts";
import {
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
}

/** Reads the central directory. Throws `LayoutError` when there is none, or one that is not in the file. */
export async function readDirectory(source: ByteSource, size: number, signal?: AbortSignal): Promise<Directory> {
  const { offset, size: length, stated } = await findDirectory(source, size, signal);
  const bytes = await readExactly(source, offset, Math.min(length, MAX_DIRECTORY_BYTES), signal);
  const cursor = new ByteCursor(bytes, 0, bytes.length, offset);
  const entries: DirectoryEntry[] = [];
  while (cursor.remaining >= DIRECTORY_BYTES) {
    try {
      const entry = readDirectoryEntry(cursor);
      entries.push({ ...entry, ...extentOf(entry) });
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      return { offset, entries, stated, damage: error };
    }
  }
  return { offset, entries, stated, damage: null };
}

async function findDirectory(
  source: ByteSource,
  size: number,
  signal: AbortSignal | undefined,
): Promise<{ offset: number; size: number; stated: number }> {
  const start = Math.max(0, size - END_SEARCH_BYTES);
  const tail = await source.read(start, size - start, signal);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) > tail.length) continue;
    const end = readDirectoryEnd(new ByteCursor(tail, at, tail.length, start));
    let { directoryOffset: offset, directorySize: length, entries: stated } = end;
    if (at >= LOCATOR64_BYTES && view.getUint32(at - LOCATOR64_BYTES, true) === LOCATOR64_SIGNATURE) {
      const { endOffset } = readLocator64(new ByteCursor(tail, at - LOCATOR64_BYTES, at, start));
      const record = await source.read(endOffset, END64_BYTES, signal);
      const end64 = readDirectoryEnd64(new ByteCursor(record, 0, record.length, endOffset));
      ({ directoryOffset: offset, directorySize: length, entries: stated } = end64);
    }
    if (offset + length <= start + at) return { offset, size: length, stated };
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
