import { hex, LayoutError } from "../../../bytes/error.ts";
import { DESCRIBED, type DirectoryEntry } from "../../../bytes/zip.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { localMemberAt } from "../../../io/zip/local-member.ts";
import {
  type Descriptor,
  descriptorAt,
  type Directory,
  localHeaderAt,
  readDirectory,
  readEntries,
} from "../../../io/zip/zip-directory.ts";
import type { Finding } from "../../../model/error.ts";
import { firstNamed, MOST_NAMES } from "../../../model/first-named.ts";
import type { Lost } from "../../../model/writer.ts";
import { INDEX_NAME, MESSAGES_NAME, PROVENANCE_NAME } from "../layout/zip.ts";
import { type Archive, isNamed } from "./members.ts";

/** A member that is none of NanoVer's and not our own: its bytes stay as they are. */
export interface ForeignMember {
  readonly source: ByteSource;
  /** As the directory has it, with sizes and place in full; made of its own header when there is no directory. */
  readonly entry: DirectoryEntry;
  /** Where its data begin in the source. */
  readonly dataOffset: number;
  /** Behind its data and their descriptor. */
  readonly end: number;
}

/** What a zip has beside the recording. */
export interface Foreign {
  /** In the order of their places. */
  readonly members: readonly ForeignMember[];
  /** Members that cannot be read as a whole, by name. */
  readonly gone: readonly (Finding & { readonly path: string })[];
  /** The comment of the archive. */
  readonly comment: Uint8Array;
}

/** What a recording without a zip has. */
export const NOTHING_FOREIGN: Foreign = { members: [], gone: [], comment: new Uint8Array(0) };

const NAMES = [MESSAGES_NAME, INDEX_NAME, PROVENANCE_NAME];
/** Characters at most that are shown of a name. */
const LONGEST_NAME = 200;
/** Bytes that a longer extra field needs for 64-bit sizes and a place. */
const ZIP64_BYTES = 28;

/** Finds the other members of a zip. It reads their headers, and nothing of what they hold. */
export async function foreignIn(archive: Archive, signal?: AbortSignal): Promise<Foreign> {
  const directory = await directoryIn(archive, signal);
  const { messages, index, ownOffset } = archive;
  const known = new Set([messages.headerOffset, index?.headerOffset, ownOffset]);
  const entries = new Map<number, DirectoryEntry | null>();
  const gone: (Finding & { readonly path: string })[] = [];
  const hidden: DirectoryEntry[] = [];
  for (const stated of directory?.entries ?? []) {
    // Bytes that have come in or gone move what is behind them, and the directory.
    const moved = stated.headerOffset + (directory?.shift ?? 0);
    const headerOffset = archive.others?.has(moved) === true || known.has(moved) ? moved : stated.headerOffset;
    const entry = { ...stated, headerOffset };
    if (NAMES.some((name) => isNamed(entry, name))) {
      if (archive.others === null && !known.has(headerOffset)) hidden.push(entry);
    } else if (entries.has(headerOffset)) gone.push(lost(entry, "its bytes are those of another member"));
    else if (!known.has(headerOffset)) entries.set(headerOffset, entry);
    // else the directory has a damaged name for a member of the recording
  }
  for (const entry of hidden) gone.push(lost(entry, "another member of that name counts"));
  for (const offset of archive.others?.keys() ?? []) if (!entries.has(offset)) entries.set(offset, null);
  const places = [...placesIn(archive, directory), ...entries.keys(), ...hidden.map((entry) => entry.headerOffset)];
  places.sort((a, b) => a - b);
  const members: ForeignMember[] = [];
  let at = 0;
  for (const [offset, entry] of [...entries].sort((a, b) => a[0] - b[0])) {
    while (at < places.length && places[at]! <= offset) at++;
    const next = places[at] ?? archive.size;
    const found =
      entry === null ? await bySelf(archive, offset, next, signal) : await byEntry(archive, entry, next, signal);
    if ("path" in found) gone.push(found);
    else members.push(found);
  }
  const unread = (directory?.stated ?? 0) - (directory?.entries.length ?? 0);
  if (unread > 0 && archive.others === null) {
    const message = `the directory cannot be read behind its first ${directory!.entries.length} members: ${unread} more were in it`;
    gone.push({ path: "members", code: "bad-record", severity: "loss", message, offset: directory!.offset });
  }
  return { members, gone: shortened(gone), comment: directory?.comment ?? NOTHING_FOREIGN.comment };
}

/** Members by the paths that reports have for them: the first by name, the rest as one. */
export function pathsOf({ members }: Pick<Foreign, "members">): { readonly path: string; readonly count: number }[] {
  return firstNamed(members.length, (index) => pathOf(members[index]!.entry), "members");
}

/** Members as content that a result does not have, for one reason. */
export function notCarried(foreign: Pick<Foreign, "members">, reason: string): Lost[] {
  return pathsOf(foreign).map((one) => ({ ...one, reason }));
}

/** How a report names a member. */
function pathOf({ name }: Pick<DirectoryEntry, "name">): string {
  const text = new TextDecoder().decode(name.subarray(0, 4 * LONGEST_NAME));
  return `members/${text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text}`;
}

/** A directory, and by how much it lies behind the place that its end record states. */
type FoundDirectory = Directory & { readonly shift: number };

/** The directory, or what is left of one whose end is missing or has a wrong place for it. */
async function directoryIn(archive: Archive, signal: AbortSignal | undefined): Promise<FoundDirectory | null> {
  const { source, size, directoryOffset: offset, others } = archive;
  let shift = 0;
  let { comment } = NOTHING_FOREIGN;
  try {
    const directory = await readDirectory(source, size, signal);
    if (others === null || offset === null || directory.entries.length > 0) return { ...directory, shift };
    shift = offset - directory.offset;
    ({ comment } = directory);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    if (offset === null) return null;
  }
  const left = await readEntries(source, offset, size - offset, signal);
  return { ...left, offset, stated: left.entries.length, comment, shift };
}

/** Where things begin that are no other members. */
function placesIn(archive: Archive, directory: Directory | null): number[] {
  const { messages, index, ownOffset, size } = archive;
  const end = directory?.offset ?? archive.directoryOffset;
  return [messages.headerOffset, index?.headerOffset, ownOffset, end, size].filter((place) => place != null);
}

/** The member of a directory's entry. It must end before the next thing begins, so that no byte is of two members. */
async function byEntry(
  { source }: Archive,
  entry: DirectoryEntry,
  next: number,
  signal: AbortSignal | undefined,
): Promise<ForeignMember | (Finding & { readonly path: string })> {
  try {
    const { dataOffset } = await localHeaderAt(source, entry.headerOffset, signal);
    let end = dataOffset + entry.compressedSize;
    if (end > next) return lost(entry, "its bytes reach into those of another member");
    if (entry.extra.length > 0xffff - ZIP64_BYTES) return lost(entry, "its extra field is too long");
    if ((entry.flags & DESCRIBED) !== 0) {
      const described: Descriptor | null = await descriptorAt(source, end, entry.compressedSize, signal);
      if (described !== null && end + described.length <= next) end += described.length;
    }
    return { source, entry, dataOffset, end };
  } catch (error) {
    if (error instanceof LayoutError) return lost(entry, `its header is damaged: ${error.message}`);
    throw error;
  }
}

/** The member whose local header is at `offset`, when no directory names it. */
async function bySelf(
  { source, size, others }: Archive,
  offset: number,
  next: number,
  signal: AbortSignal | undefined,
): Promise<ForeignMember | (Finding & { readonly path: string })> {
  try {
    const found = await localMemberAt(source, size, offset, signal, others?.get(offset));
    if (found === null) {
      const { header } = await localHeaderAt(source, offset, signal);
      return lost({ ...header, headerOffset: offset }, "it is damaged or cut: its length is not known", next - offset);
    }
    const { header, dataOffset, compressedSize, crc, end } = found;
    const place = { ...header, headerOffset: offset };
    if (end > size) {
      const inFile = Math.max(0, size - dataOffset);
      return lost(place, `it is cut: ${inFile} of its ${compressedSize} bytes are in the file`, size - offset);
    }
    if (end > next) return lost(place, "its bytes reach into those of another member", next - offset);
    const entry: DirectoryEntry = {
      ...header,
      ...{ compressedSize, size: found.size, crc, extra: NOTHING_FOREIGN.comment, comment: NOTHING_FOREIGN.comment },
      ...{ versionMadeBy: header.versionNeeded, disk: 0, internalAttributes: 0, externalAttributes: 0 },
      headerOffset: offset,
    };
    return { source, entry, dataOffset, end };
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    const message = `a member whose header at ${hex(offset)} is cut or damaged was not kept: ${error.message}`;
    return { path: "members", code: "truncated", severity: "loss", message, offset, length: next - offset };
  }
}

function lost(
  entry: Pick<DirectoryEntry, "name" | "headerOffset" | "compressedSize"> & { readonly comment?: Uint8Array },
  why: string,
  length: number = entry.compressedSize,
): Finding & { readonly path: string } {
  const path = pathOf(entry);
  const message = `the member ${JSON.stringify(path.slice("members/".length))} was not kept: ${why}`;
  return { path, code: "truncated", severity: "loss", message, offset: entry.headerOffset, length };
}

/** The first by name, one finding for the rest. */
function shortened(gone: readonly (Finding & { readonly path: string })[]): (Finding & { readonly path: string })[] {
  if (gone.length <= MOST_NAMES) return [...gone];
  const rest = gone.slice(MOST_NAMES);
  const length = rest.reduce((sum, finding) => sum + (finding.length ?? 0), 0);
  const message = `${rest.length} more members were not kept`;
  return [...gone.slice(0, MOST_NAMES), { path: "members", code: "truncated", severity: "loss", message, length }];
}
