import { Budget } from "../../../bytes/budget.ts";
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
import { type DirectoryEntry, extentOf, FULL32, hasZip64, LOCAL_BYTES, STORED } from "../../../bytes/zip.ts";
import { INDEX_NAME, MESSAGES_NAME, PROVENANCE_NAME } from "../layout/zip.ts";
import { foreignIn } from "./foreign.ts";
import { type Archive, isNamed, lostText, type Member, memberOf, textIn } from "./members.ts";
import { bySearch } from "./search.ts";

/** Members of other names at most whose own headers are asked for their names. */
const MOST_ALIKE = 64;
/** Bytes of a record when nothing smaller tells them apart. */
const PIECE = 1 << 20;

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
  for (const finding of (await foreignIn(archive, signal)).gone) report.report(finding);
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
  if (index === null) await mustBeOther(source, entries, INDEX_NAME, signal);
  if (own === null) await mustBeOther(source, entries, PROVENANCE_NAME, signal);
  return {
    ...{ source, size, directoryOffset, others: null },
    messages: await locate(source, size, messages, places, report, signal),
    index: index === null ? null : await locate(source, size, index, places, report, signal),
    provenance: own === null ? null : await textOf(source, size, own, places, report, signal),
    ownOffset: own === null ? null : extentOf(own).headerOffset,
  };
}

/** Throws `LayoutError` when the directory has a damaged name for the member whose own header has the name `name`. */
async function mustBeOther(
  source: ByteSource,
  entries: readonly DirectoryEntry[],
  name: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const alike = entries.filter((entry) => entry.name.length === name.length && !isNamed(entry, MESSAGES_NAME));
  for (const { headerOffset } of alike.slice(0, MOST_ALIKE)) {
    const bytes = await source.read(headerOffset + LOCAL_BYTES, name.length, signal);
    if (isNamed({ name: bytes }, name))
      throw new LayoutError("malformed", `the directory has another name for ${name}`, headerOffset);
  }
}

/** Our own member by its entry in the directory. */
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
    if (!(error instanceof LayoutError || RecordingError.is(error))) throw error;
    const { headerOffset: offset } = extentOf(entry);
    report.report({ code: "bad-local-header", severity: "loss", message: lostText("cannot be read"), offset });
    return null;
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
  const next = places.reduce((least, place) => (place > extent.headerOffset ? Math.min(least, place) : least), size);
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
