import { LayoutError } from "../../../bytes/error.ts";
import {
  DIRECTORY_BYTES,
  DIRECTORY_SIGNATURE,
  extentOf,
  LOCAL_BYTES,
  LOCAL_SIGNATURE,
  STORED,
} from "../../../bytes/zip.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { type LocalMember, localMemberAt } from "../../../io/zip/local-member.ts";
import { localHeaderAt } from "../../../io/zip/zip-directory.ts";
import { RecordingError, type Reporter } from "../../../model/error.ts";
import { findIndexEntry } from "../layout/index.ts";
import { findText, INDEX_NAME, MESSAGES_NAME, PROVENANCE_NAME } from "../layout/zip.ts";
import { type Archive, lostText, type Member, memberOf, textIn } from "./members.ts";

/** Bytes that are searched at once. */
const PIECE = 1 << 20;
/** Members of other names at most that are looked for. */
const MOST_OTHERS = 0xffff;

/**
 * Looks through the whole file for what tells the members apart when there is no directory, or one that does not fit:
 * their local headers, the directory's entries, the first entry of the index. A member reaches to the next of these,
 * whichever it is, or to the end of the file. Null when nothing of a NanoVer recording is there.
 */
export async function bySearch(
  source: ByteSource,
  size: number,
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<Archive | null> {
  const marks = await findMarks(source, size, signal);
  if (marks.messages === null && (marks.index === null || marks.entry === null)) return null;
  const members = new LocalMembers(source, size, signal);
  const others = await findOthers(source, size, marks, members, signal);
  const indexAt = marks.index ?? marks.entry;
  const places = [marks.messages, indexAt, marks.own, marks.directory, ...others.keys()].filter(
    (place) => place !== null,
  );
  places.sort((a, b) => a - b);
  const endOf = (place: number): number => places.find((other) => other > place) ?? size;
  let index: Member | null = null;
  if (marks.index !== null) {
    const extent = { headerOffset: marks.index, end: endOf(marks.index) };
    index = await memberAt(source, size, extent, INDEX_NAME.length, members, signal);
  } else if (marks.entry !== null) {
    // The array's header is in front of the first entry; nothing tells how long the index is said to be.
    index = { ...rawMember(marks.entry, marks.entry, endOf(marks.entry)), isStored: true };
  }
  const headerOffset = marks.messages ?? 0;
  const end = endOf(headerOffset);
  const messages =
    marks.messages === null
      ? rawMember(0, Math.min(MESSAGES_DATA, size), end)
      : await memberAt(source, size, { headerOffset, end }, MESSAGES_NAME.length, members, signal);
  const provenance = marks.own === null ? null : await textAt(source, size, marks.own, members, report, signal);
  return {
    ...{ source, size, messages, index, provenance, others },
    ...{ ownOffset: marks.own, directoryOffset: marks.directory },
  };
}

/** Members by their local headers. The end of each is searched once. */
class LocalMembers {
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #signal: AbortSignal | undefined;
  /** Bytes of data by the place of the header; null: no end was found. */
  readonly #found = new Map<number, number | null>();

  constructor(source: ByteSource, size: number, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#size = size;
    this.#signal = signal;
  }

  /** As `localMemberAt`. */
  async at(offset: number): Promise<LocalMember | null> {
    const member = await localMemberAt(this.#source, this.#size, offset, this.#signal, this.#found.get(offset));
    this.#found.set(offset, member?.compressedSize ?? null);
    return member;
  }

  /** Null when it is not known where the member ends. */
  async endAt(offset: number): Promise<number | null> {
    try {
      return (await this.at(offset))?.end ?? null;
    } catch (error) {
      if (error instanceof LayoutError) return null;
      throw error;
    }
  }

  /** Bytes of the data of a member that was looked at; null: it is not known how many. */
  lengthAt(offset: number): number | null {
    return this.#found.get(offset) ?? null;
  }
}

/** Our own member by its local header. */
async function textAt(
  source: ByteSource,
  size: number,
  offset: number,
  members: LocalMembers,
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  try {
    const found = await members.at(offset);
    if (found === null) throw new LayoutError("malformed", "a member of unknown length", offset);
    const { header, dataOffset, compressedSize, crc } = found;
    const extent = { compressedSize, size: found.size, headerOffset: offset };
    return await textIn(source, memberOf(header, extent, dataOffset, size, report), crc, report, signal);
  } catch (error) {
    if (!(error instanceof LayoutError || RecordingError.is(error))) throw error;
    report.report({ code: "bad-local-header", severity: "loss", message: lostText("is damaged"), offset });
    return null;
  }
}

/**
 * Local headers of members of other names: they follow each other from the beginning of the file, or from the end of a
 * known member whose length is known. What looks like a header inside of a member is none. Puts the directory into
 * `marks` when it follows in the same way.
 */
async function findOthers(
  source: ByteSource,
  size: number,
  marks: Marks,
  members: LocalMembers,
  signal: AbortSignal | undefined,
): Promise<Map<number, number | null>> {
  const known = [marks.messages, marks.index, marks.own].filter((place) => place !== null);
  const found = new Map<number, number | null>();
  const starts: (number | null)[] = marks.messages === null ? [] : [0];
  for (const place of known) starts.push(await members.endAt(place));
  for (const start of starts) {
    for (let at: number | null = start; at !== null && at < size && found.size < MOST_OTHERS; ) {
      const signature = beginningOf(await source.read(at, 4, signal));
      if (signature === "directory") marks.directory = Math.min(at, marks.directory ?? at);
      if (signature !== "member" || known.includes(at) || found.has(at)) break;
      const end: number | null = await members.endAt(at);
      // A header that reaches over a known member is a damaged one, mostly that of the known member itself.
      const reach = end ?? size;
      if (known.some((place) => place > at! && place < reach)) break;
      // an index whose name is damaged
      const isIndex = marks.index === null && marks.entry !== null && marks.entry > at && marks.entry < reach;
      if (!isIndex) found.set(at, members.lengthAt(at));
      at = end;
    }
  }
  return found;
}

/** What begins with these bytes, four or those that are left of the file. */
function beginningOf(bytes: Uint8Array): "member" | "directory" | null {
  if (bytes[0] !== 0x50 || (bytes[1] ?? 0x4b) !== 0x4b) return null;
  if (bytes[2] === 3 && (bytes[3] ?? 4) === 4) return "member";
  return (bytes[2] ?? 1) === 1 && (bytes[3] ?? 2) === 2 ? "directory" : null;
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
  members: LocalMembers,
  signal: AbortSignal | undefined,
): Promise<Member> {
  try {
    const { header, dataOffset } = await localHeaderAt(source, headerOffset, signal);
    const extent = { ...extentOf(header), headerOffset };
    // Sizes are 0 while a recording is being written.
    const isStated = extent.compressedSize > 0;
    if (!isStated && header.method !== STORED) {
      const found = await members.at(headerOffset);
      if (found !== null && found.end <= end)
        return memberOf({ ...header, crc: found.crc }, { ...found, headerOffset }, dataOffset, size, null);
    }
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
  // Names without the signature of a header: it may be damaged, or a text mentions the name.
  const likely = { messages: null, index: null };
  for (let at = 0; at < size; ) {
    const bytes = await source.read(at, Math.min(PIECE, size - at), signal);
    if (bytes.length === 0) break;
    findMarksIn(bytes, at, marks, likely);
    if (at + bytes.length >= size) break;
    at += Math.max(1, bytes.length - MARK_BYTES);
  }
  return { ...marks, messages: marks.messages ?? likely.messages, index: marks.index ?? likely.index };
}

/** Bytes of the longest mark. */
const MARK_BYTES = DIRECTORY_BYTES + MESSAGES_NAME.length;

function findMarksIn(bytes: Uint8Array, origin: number, marks: Marks, likely: Pick<Marks, "messages" | "index">): void {
  for (const name of [MESSAGES_NAME, INDEX_NAME, PROVENANCE_NAME]) {
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
        continue;
      }
      const isSure = at >= LOCAL_BYTES && signatureAt(bytes, at - LOCAL_BYTES) === LOCAL_SIGNATURE;
      const place = Math.max(0, origin + at - LOCAL_BYTES);
      const found = isSure ? marks : likely;
      if (name === INDEX_NAME) found.index ??= place;
      else if (name === MESSAGES_NAME) found.messages ??= place;
      else if (isSure) marks.own = place;
    }
  }
  if (marks.entry !== null) return;
  const at = findIndexEntry(bytes, 0, bytes.length, true);
  if (at >= 0) marks.entry = origin + at;
}

function signatureAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getUint32(0, true);
}
