import { ByteBuilder } from "../../../bytes/builder.ts";
import { isSameBytes } from "../../../bytes/same-bytes.ts";
import { type DirectoryEntry, FULL32, withoutZip64, writeZip64Extra } from "../../../bytes/zip.ts";
import { ContentCheck } from "../../../io/zip/content-check.ts";
import { piecesOf } from "../../../io/zip/pieces.ts";
import { readExactly } from "../../../io/zip/zip-directory.ts";
import type { Finding } from "../../../model/error.ts";
import { readersBelow } from "../../../model/readers-below.ts";
import type { Reader } from "../../../model/reader.ts";
import type { Lost } from "../../../model/writer.ts";
import { type ForeignMember, NOTHING_FOREIGN, notCarried } from "../read/foreign.ts";
import { NanoverReader } from "../read/reader.ts";
import { findingsOf } from "../read/review.ts";
import type { Outlet } from "./outlet.ts";

/** Version of the zip format that 64-bit places need. */
const VERSION_ZIP64 = 45;

/** What a result does not have of what the zips have beside the recording. */
export interface LostBeside extends Lost {
  /** Of a damaged member; null: the result has no place for it. */
  readonly finding: Finding | null;
}

/** What a zip gets of the zips that its recording is made from, beside the recording. */
export interface Carried {
  readonly members: readonly ForeignMember[];
  readonly comment: Uint8Array;
  /** What it does not get. */
  readonly lost: readonly LostBeside[];
}

/** What a recording that is made from nothing gets. */
export const NOTHING_CARRIED: Carried = { members: [], comment: NOTHING_FOREIGN.comment, lost: [] };

/**
 * The members of all zips that `like` is made from, and the comment of the first. Of several zips a later one gives the
 * members whose names no earlier one has; members of one name that are the same to the byte count as one.
 */
export async function carriedFrom(like: Reader): Promise<Carried> {
  const members: ForeignMember[] = [];
  const lost: LostBeside[] = [];
  let { comment } = NOTHING_FOREIGN;
  const named = new Map<string, ForeignMember>();
  for (const reader of readersBelow(like)) {
    if (!(reader instanceof NanoverReader)) continue;
    const foreign = (await reader.messages.foreign?.()) ?? NOTHING_FOREIGN;
    for (const { path, ...finding } of foreign.gone) lost.push({ path, count: 1, reason: finding.message, finding });
    if (comment.length === 0) comment = foreign.comment;
    else if (foreign.comment.length > 0 && !isSameBytes(comment, foreign.comment))
      lost.push(withoutPlace({ path: "comment", count: 1, reason: "the zip has the comment of the first recording" }));
    const kept: ForeignMember[] = [];
    const refused: ForeignMember[] = [];
    for (const member of foreign.members) {
      const other = named.get(nameOf(member.entry));
      if (other === undefined) kept.push(member);
      else if (!(await isSame(other, member))) refused.push(member);
    }
    for (const member of kept) {
      named.set(nameOf(member.entry), member);
      members.push(member);
    }
    lost.push(
      ...notCarried({ members: refused }, "an earlier recording has another member of that name").map(withoutPlace),
    );
  }
  return { members, comment, lost };
}

/** Nothing, and all that a zip would get is lost for this reason. */
export function refusedFrom({ members, comment, lost }: Carried, reason: string): Carried {
  const text = comment.length === 0 ? [] : [{ path: "comment", count: 1, reason }];
  return { ...NOTHING_CARRIED, lost: [...lost, ...[...notCarried({ members }, reason), ...text].map(withoutPlace)] };
}

function withoutPlace(lost: Lost): LostBeside {
  return { ...lost, finding: null };
}

/** A member that was written as it is. */
export interface CarriedMember {
  /** In the new directory. */
  readonly entry: DirectoryEntry;
  /** Its content does not match its size and checksum. */
  readonly isDamaged: boolean;
}

/** Writes a member as it is. */
export async function carryMember(outlet: Outlet, member: ForeignMember): Promise<CarriedMember> {
  const { source, entry, dataOffset, end } = member;
  const headerOffset = outlet.position;
  const check = ContentCheck.of(entry);
  const dataEnd = dataOffset + entry.compressedSize;
  for await (const { at, bytes } of piecesOf(source, entry.headerOffset, end)) {
    check?.add(bytes.subarray(Math.max(0, dataOffset - at), Math.max(0, dataEnd - at)));
    outlet.out.raw(bytes);
    outlet.spill();
    if (outlet.ready !== null) await outlet.ready;
  }
  return { entry: placedAt(entry, headerOffset), isDamaged: check?.isSame === false };
}

/** Members whose content is not what it was, as content that a result does not have. */
export function damagedOf(members: readonly ForeignMember[]): LostBeside[] {
  const kept = "; the member is kept as it is";
  const findings = findingsOf(members, "loss", kept);
  const lost = notCarried({ members }, `its content does not match its size and checksum${kept}`);
  return lost.map((one, i) => ({ ...one, finding: findings[i]! }));
}

/** The entry of a member that lies at another place; 64-bit forms only where they are needed. */
function placedAt(entry: DirectoryEntry, headerOffset: number): DirectoryEntry {
  const { size, compressedSize } = entry;
  const wide = [size, compressedSize, headerOffset].filter((value) => value >= FULL32);
  const extra = new ByteBuilder();
  if (wide.length > 0) writeZip64Extra(extra, wide);
  extra.raw(withoutZip64(entry.extra));
  return {
    ...entry,
    versionNeeded: wide.length > 0 ? Math.max(VERSION_ZIP64, entry.versionNeeded) : entry.versionNeeded,
    size: Math.min(size, FULL32),
    compressedSize: Math.min(compressedSize, FULL32),
    headerOffset: Math.min(headerOffset, FULL32),
    disk: 0,
    extra: extra.take(),
  };
}

/** Whether two members have the same content, compressed in the same way. */
async function isSame(one: ForeignMember, other: ForeignMember): Promise<boolean> {
  const [a, b] = [one.entry, other.entry];
  if (a.crc !== b.crc || a.size !== b.size || a.method !== b.method) return false;
  if (a.compressedSize !== b.compressedSize) return false;
  const shift = other.dataOffset - one.dataOffset;
  for await (const { at, bytes } of piecesOf(one.source, one.dataOffset, one.dataOffset + a.compressedSize))
    if (!isSameBytes(bytes, await readExactly(other.source, at + shift, bytes.length))) return false;
  return true;
}

/** Names as they are, whatever their encoding. */
function nameOf({ name }: DirectoryEntry): string {
  return new TextDecoder("latin1").decode(name);
}
