import { Budget } from "../../../bytes/budget.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { hex, LayoutError } from "../../../bytes/error.ts";
import { ForwardSource } from "../../../io/source/forward.ts";
import { inflating } from "../../../io/zip/inflated.ts";
import { type ByteSource, SourceError } from "../../../io/source/source.ts";
import { memorySpool, type SpoolFactory } from "../../../io/source/spool.ts";
import { slice } from "../../../io/source/window.ts";
import { type Finding, RecordingError, type Reporter } from "../../../model/error.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import { MemberInflater } from "../../../io/zip/inflate-member.ts";
import { localHeaderAt, readDirectory, readExactly } from "../../../io/zip/zip-directory.ts";
import { findIndexEntry } from "../layout/index.ts";
import {
  DEFLATED,
  DIRECTORY_BYTES,
  DIRECTORY_SIGNATURE,
  type DirectoryEntry,
  ENCRYPTED,
  type Extent,
  extentOf,
  FULL32,
  hasZip64,
  LOCAL_BYTES,
  LOCAL_SIGNATURE,
  type LocalHeader,
  STORED,
} from "../../../bytes/zip.ts";
import { findText, INDEX_NAME, MESSAGES_NAME, PROVENANCE_NAME } from "../layout/zip.ts";

/** The longest text of a member. */
const LONGEST_TEXT = 16 << 20;
/** Bytes of a record when nothing smaller tells them apart. */
const PIECE = 1 << 20;

/** A member of the archive. */
export interface Member {
  readonly headerOffset: number;
  readonly dataOffset: number;
  /** Bytes of its data in the file, never beyond the end of the file. */
  readonly length: number;
  readonly isStored: boolean;
  /** Inflated size and checksum as stated; null when nothing states them. */
  readonly stated: { readonly size: number; readonly crc: number } | null;
}

/** The zip, as far as it could be made out. */
export interface Archive {
  readonly source: ByteSource;
  readonly size: number;
  readonly messages: Member;
  /** Null when there is none. */
  readonly index: Member | null;
  /** What our own member says of where the recording comes from; null when there is none. */
  readonly provenance: string | null;
  /** Place of the central directory; null when there is none that can be read. */
  readonly directoryOffset: number | null;
}

/**
 * Finds the two members: by the central directory, or where there is none (spec §4: an interrupted recording) by the
 * local headers from the beginning. Throws `RecordingError` for a zip that is no NanoVer recording, or is encrypted.
 */
export async function openArchive(source: ByteSource, report: Reporter, signal?: AbortSignal): Promise<Archive> {
  const size = await source.size();
  if (size === null) throw new SourceError("failed", `size is not known: ${source.name}`);
  let why: LayoutError;
  try {
    return await byDirectory(source, size, report, signal);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    why = error;
  }
  const archive = await bySearch(source, size, report, signal);
  if (archive === null) {
    const message = `zip without ${MESSAGES_NAME}, which NanoVer recordings have (${why.message}): ${source.name}`;
    throw new RecordingError("malformed", message, { format: "nanover", offset: why.offset, cause: why });
  }
  const message = `the zip's directory cannot be read (${why.message}): members were found by their own headers`;
  report.report({ code: "missing-directory", severity: "damage", message, offset: why.offset });
  return archive;
}

/** What a member holds. */
export interface Content {
  readonly source: ByteSource;
  readonly size: number;
  /** Whether a deflated one has its checksum; a stored one's is compared by its reader. */
  readonly isSound: boolean;
  /** What a deflated one does not give any more; null when nothing is known to be gone. */
  readonly gone: Finding | null;
}

/** What a member holds. For a deflated one this inflates all of it, once, into `spool` or memory. */
export async function openMember(
  archive: Archive,
  member: Member,
  report: Reporter,
  spool: SpoolFactory | undefined,
  budget: Budget = new Budget(),
): Promise<Content> {
  const data = slice(archive.source, member.dataOffset, member.length);
  if (member.isStored) return { source: data, size: member.length, isSound: true, gone: null };
  const inflater = new MemberInflater(data, member.length);
  const name = archive.source.name;
  const source = new ForwardSource(
    name,
    inflater,
    spool ?? memorySpool(budget.limit, name),
    inflating(budget, member.length, spool),
  );
  const size = await source.size();
  const { stated, dataOffset } = member;
  const { damage } = inflater;
  if (damage !== null) {
    const offset = dataOffset + damage.offset;
    const length = member.length - damage.offset;
    const message = `compressed member is damaged at ${hex(offset)}, ${size} bytes were inflated: ${damage.message}`;
    report.report({ code: "bad-compression", severity: "damage", message, offset, length });
    return { source, size, isSound: false, gone: goneBehind(offset, length, damage.message, stated, size) };
  }
  const isSound = stated === null || (stated.size === size && stated.crc === inflater.crc);
  if (!isSound) {
    const message = `member at ${hex(dataOffset)} does not match its checksum or size`;
    report.report({ ...BAD_CHECKSUM, message, offset: dataOffset });
  }
  return { source, size, isSound, gone: null };
}

/**
 * What cannot be inflated any more, `length` bytes of the file from `offset` on: as much as the zip says came behind.
 */
function goneBehind(
  offset: number,
  length: number,
  why: string,
  stated: Member["stated"],
  size: number,
): Finding | null {
  const code = "bad-compression";
  const severity = "loss";
  if (stated === null) {
    const message = `${length} compressed bytes from ${hex(offset)} on cannot be inflated: ${why}`;
    return { code, severity, message, offset, length };
  }
  const missing = stated.size - size;
  if (missing <= 0) return null;
  const message = `${missing} bytes of messages cannot be inflated any more, from ${hex(offset)} on: ${why}`;
  return { code, severity, message, offset, length: missing };
}

export const BAD_CHECKSUM: { readonly code: "bad-checksum"; readonly severity: "damage" } = {
  code: "bad-checksum",
  severity: "damage",
};

/**
 * Every byte of the archive; `messages` gives those of the messages' data when they are stored, and is not asked
 * otherwise.
 */
export async function* archiveRecords(
  archive: Archive,
  messages: () => AsyncIterable<readonly NativeRecord[]>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  const { source, size, index, directoryOffset } = archive;
  const parts: { from: number; to: number; kind: string }[] = [];
  for (const [member, kind] of [
    [archive.messages, "messages"],
    [index, "index"],
  ] as const) {
    if (member === null) continue;
    parts.push({ from: member.headerOffset, to: member.dataOffset, kind: "zip-header" });
    parts.push({ from: member.dataOffset, to: member.dataOffset + member.length, kind });
  }
  if (directoryOffset !== null) parts.push({ from: directoryOffset, to: size, kind: "zip-directory" });
  parts.sort((a, b) => a.from - b.from || a.to - b.to);
  const overlap = parts.some((part, i) => i > 0 && part.from < parts[i - 1]!.to);
  let at = 0;
  for (const { from, to, kind } of overlap ? [] : parts) {
    yield* pieces(source, at, from, "zip", signal);
    if (kind === "messages" && archive.messages.isStored) yield* messages();
    else yield* pieces(source, from, to, kind, signal);
    at = to;
  }
  yield* pieces(source, at, size, "zip", signal);
}

/** Bytes `[from, to)` as records of one kind and at most 1 MiB. */
async function* pieces(
  source: ByteSource,
  from: number,
  to: number,
  kind: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly NativeRecord[]> {
  for (let offset = from; offset < to; offset += PIECE) {
    yield [{ kind, offset, bytes: await readExactly(source, offset, Math.min(PIECE, to - offset), signal) }];
  }
}

async function byDirectory(
  source: ByteSource,
  size: number,
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<Archive> {
  const { offset: directoryOffset, entries, damage } = await readDirectory(source, size, signal);
  let messages: DirectoryEntry | null = null;
  let index: DirectoryEntry | null = null;
  let own: DirectoryEntry | null = null;
  const places = [directoryOffset];
  for (const entry of entries) {
    places.push(extentOf(entry).headerOffset);
    // Of equal names the last counts, as in Python's zipfile.
    if (isNamed(entry, MESSAGES_NAME)) messages = entry;
    else if (isNamed(entry, INDEX_NAME)) index = entry;
    else if (isNamed(entry, PROVENANCE_NAME)) own = entry;
  }
  if (messages === null) {
    throw damage ?? new LayoutError("malformed", `no ${MESSAGES_NAME} in the directory`, directoryOffset);
  }
  if (damage !== null && index === null) throw damage;
  return {
    ...{ source, size, directoryOffset },
    messages: await locate(source, size, messages, places, report, signal),
    index: index === null ? null : await locate(source, size, index, places, report, signal),
    provenance: own === null ? null : await textOf(source, size, own, places, report, signal),
  };
}

/** A stored member as text; null when it is damaged, compressed or longer than any that is written here. */
async function textIn(
  source: ByteSource,
  { isStored, dataOffset, length }: Member,
  crc: number,
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (!isStored || length > LONGEST_TEXT) return null;
  const bytes = await readExactly(source, dataOffset, length, signal);
  if (crc32(bytes) === crc) return new TextDecoder().decode(bytes);
  const message = `${PROVENANCE_NAME} does not match its checksum: where the recording comes from, and the notes in it, are lost`;
  report.report({ code: "bad-checksum", severity: "loss", message, offset: dataOffset, length });
  return null;
}

/** The same of a directory's entry. */
async function textOf(
  source: ByteSource,
  size: number,
  entry: DirectoryEntry,
  places: readonly number[],
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    const member = await locate(source, size, entry, places, report, signal);
    return await textIn(source, member, entry.crc, report, signal);
  } catch (error) {
    if (error instanceof LayoutError || RecordingError.is(error)) return null;
    throw error;
  }
}

/**
 * The member of a directory's entry. Where its data begin only its local header tells; when that is damaged, the member
 * is taken to end where the next thing begins, as all do that NanoVer writes. `places` are where things begin.
 */
async function locate(
  source: ByteSource,
  size: number,
  entry: DirectoryEntry,
  places: readonly number[],
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<Member> {
  const extent = extentOf(entry);
  if (entry.method === STORED && extent.compressedSize !== extent.size) {
    const message = `a stored member of ${extent.compressedSize} bytes that is ${extent.size} bytes long`;
    throw new LayoutError("malformed", message, extent.headerOffset);
  }
  const next = Math.min(...places.filter((place) => place > extent.headerOffset), size);
  try {
    // Name and extra field of the local header may be longer than those of the directory.
    const { header, dataOffset } = await localHeaderAt(source, extent.headerOffset, signal);
    const isOther = header.name.length !== entry.name.length || header.name.some((byte, i) => byte !== entry.name[i]);
    const isFull = header.size === FULL32 && !hasZip64(header.extra);
    if (isOther || isFull || header.method !== entry.method || dataOffset + extent.compressedSize > next) {
      throw new LayoutError("malformed", "local header that does not match the directory", extent.headerOffset);
    }
    return memberOf(entry, extent, dataOffset, size, report);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    const dataOffset = next - extent.compressedSize;
    if (entry.method !== STORED || dataOffset < extent.headerOffset + LOCAL_BYTES) throw error;
    const message = `a member's own header is damaged (${error.message}): its data were found by the directory`;
    report.report({ code: "bad-local-header", severity: "damage", message, offset: extent.headerOffset });
    return memberOf(entry, extent, dataOffset, size, report);
  }
}

function memberOf(
  entry: LocalHeader,
  extent: Extent,
  dataOffset: number,
  fileSize: number,
  report: Reporter | null,
): Member {
  const where = { format: "nanover", offset: extent.headerOffset };
  if ((entry.flags & ENCRYPTED) !== 0) throw new RecordingError("unsupported", "the zip is encrypted", where);
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    const message = `zip compression method ${entry.method}; stored (0) and deflated (8) are read`;
    throw new RecordingError("unsupported", message, where);
  }
  const length = Math.max(0, Math.min(extent.compressedSize, fileSize - dataOffset));
  if (length < extent.compressedSize) {
    const message = `member of ${extent.compressedSize} bytes at ${hex(dataOffset)}: ${length} are in the file`;
    report?.report({ code: "truncated", severity: "damage", message, offset: dataOffset, length });
  }
  return {
    headerOffset: extent.headerOffset,
    dataOffset: Math.min(dataOffset, fileSize),
    length,
    isStored: entry.method === STORED,
    stated: { size: extent.size, crc: entry.crc },
  };
}

/**
 * Looks through the whole file for what tells the two members apart when there is no directory, or one that does not
 * fit: their local headers, the directory's entries, the first entry of the index. A member reaches to the next of
 * these, or to the end of the file. Null when nothing of a NanoVer recording is there.
 */
async function bySearch(
  source: ByteSource,
  size: number,
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<Archive | null> {
  const marks = await findMarks(source, size, signal);
  if (marks.messages === null && (marks.index === null || marks.entry === null)) return null;
  // what is written here has our own member behind the index
  const directory = marks.own ?? marks.directory ?? size;
  const indexAt = marks.index ?? marks.entry;
  let index: Member | null = null;
  if (marks.index !== null) {
    const extent = { headerOffset: marks.index, end: directory };
    index = await memberAt(source, size, extent, INDEX_NAME.length, signal);
  } else if (marks.entry !== null) {
    // The array's header is in front of the first entry; nothing tells how long the index is said to be.
    index = { ...rawMember(marks.entry, marks.entry, directory), isStored: true };
  }
  const headerOffset = marks.messages ?? 0;
  const end = indexAt !== null && indexAt > headerOffset ? indexAt : directory > headerOffset ? directory : size;
  const messages =
    marks.messages === null
      ? rawMember(0, Math.min(MESSAGES_DATA, size), end)
      : await memberAt(source, size, { headerOffset, end }, MESSAGES_NAME.length, signal);
  const provenance = marks.own === null ? null : await textAt(source, size, marks.own, report, signal);
  return { source, size, messages, index, provenance, directoryOffset: marks.directory };
}

/** Our own member by its local header. */
async function textAt(
  source: ByteSource,
  size: number,
  offset: number,
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    const { header, dataOffset } = await localHeaderAt(source, offset, signal);
    const extent = { ...extentOf(header), headerOffset: offset };
    return await textIn(source, memberOf(header, extent, dataOffset, size, report), header.crc, report, signal);
  } catch (error) {
    if (!(error instanceof LayoutError || RecordingError.is(error))) throw error;
    const message = `${PROVENANCE_NAME} is damaged: where the recording comes from, and the notes in it, are lost`;
    report.report({ code: "bad-local-header", severity: "loss", message, offset });
    return null;
  }
}

/** What NanoVer puts in front of the messages: header, name, 64-bit sizes (spec §4). */
const MESSAGES_DATA = LOCAL_BYTES + MESSAGES_NAME.length + 20;

function rawMember(headerOffset: number, dataOffset: number, end: number): Member {
  return { headerOffset, dataOffset, length: Math.max(0, end - dataOffset), isStored: true, stated: null };
}

/** A member whose local header was found; `end` is where the next thing begins. What it states is kept when it fits. */
async function memberAt(
  source: ByteSource,
  size: number,
  { headerOffset, end }: { readonly headerOffset: number; readonly end: number },
  nameLength: number,
  signal: AbortSignal | undefined,
): Promise<Member> {
  try {
    const { header, dataOffset } = await localHeaderAt(source, headerOffset, signal);
    const extent = { ...extentOf(header), headerOffset };
    // Sizes are 0 while a recording is being written.
    const isStated = extent.compressedSize > 0;
    // Stored members of NanoVer's own end where the next thing begins: bytes may have come in or gone.
    const isWhole = isStated && header.method !== STORED && dataOffset + extent.compressedSize <= end;
    const compressedSize = isWhole ? extent.compressedSize : Math.max(0, end - dataOffset);
    const member = memberOf(header, { ...extent, compressedSize }, dataOffset, size, null);
    return isStated ? member : { ...member, stated: null };
  } catch (error) {
    if (!(error instanceof LayoutError || RecordingError.is(error))) throw error;
    const extra = nameLength === MESSAGES_NAME.length ? 20 : 0;
    return rawMember(headerOffset, Math.min(headerOffset + LOCAL_BYTES + nameLength + extra, end), end);
  }
}

/** Where things begin in a file, null for those that are not there. */
interface Marks {
  /** Local headers of the members. */
  messages: number | null;
  index: number | null;
  /** The first entry of the index. */
  entry: number | null;
  /** Local header of our own member: the last one. */
  own: number | null;
  directory: number | null;
}

async function findMarks(source: ByteSource, size: number, signal: AbortSignal | undefined): Promise<Marks> {
  const marks: Marks = { messages: null, index: null, entry: null, own: null, directory: null };
  for (let at = 0; at < size; ) {
    const bytes = await source.read(at, Math.min(PIECE, size - at), signal);
    if (bytes.length === 0) break;
    findMarksIn(bytes, at, marks);
    if (at + bytes.length >= size) break;
    at += Math.max(1, bytes.length - MARK_BYTES);
  }
  return marks;
}

/** Bytes of the longest mark. */
const MARK_BYTES = DIRECTORY_BYTES + MESSAGES_NAME.length;

function findMarksIn(bytes: Uint8Array, origin: number, marks: Marks): void {
  for (let at = findText(bytes, PROVENANCE_NAME, LOCAL_BYTES, bytes.length); at >= 0; ) {
    // a text in a message may be called so: it has no header before it
    if (signatureAt(bytes, at - LOCAL_BYTES) === LOCAL_SIGNATURE) marks.own = origin + at - LOCAL_BYTES;
    at = findText(bytes, PROVENANCE_NAME, at + 1, bytes.length);
  }
  for (const name of [MESSAGES_NAME, INDEX_NAME]) {
    // Windows overlap, so that what lies before the first name's place was seen with the window before.
    const from = origin === 0 ? 0 : DIRECTORY_BYTES;
    for (
      let at = findText(bytes, name, from, bytes.length);
      at >= 0;
      at = findText(bytes, name, at + 1, bytes.length)
    ) {
      if (at >= DIRECTORY_BYTES && signatureAt(bytes, at - DIRECTORY_BYTES) === DIRECTORY_SIGNATURE) {
        const place = origin + at - DIRECTORY_BYTES;
        if (marks.directory === null || place < marks.directory) marks.directory = place;
      } else {
        // One byte of the signature may be damaged, the name tells enough. Only NanoVer's members are called so.
        const place = Math.max(0, origin + at - LOCAL_BYTES);
        if (name === INDEX_NAME) marks.index ??= place;
        else marks.messages ??= place;
      }
    }
  }
  if (marks.entry !== null) return;
  const at = findIndexEntry(bytes, 0, bytes.length, true);
  if (at >= 0) marks.entry = origin + at;
}

function signatureAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);
}

function isNamed(header: LocalHeader, name: string): boolean {
  if (header.name.length !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (header.name[i] !== name.charCodeAt(i)) return false;
  return true;
}
