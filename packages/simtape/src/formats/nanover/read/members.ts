import { crc32 } from "../../../bytes/crc32.ts";
import { hex } from "../../../bytes/error.ts";
import { concatenate } from "../../../bytes/inflate-stream.ts";
import { DEFLATED, ENCRYPTED, type Extent, type LocalHeader, STORED } from "../../../bytes/zip.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import { slice } from "../../../io/source/window.ts";
import { MemberInflater } from "../../../io/zip/inflate-member.ts";
import { readExactly } from "../../../io/zip/zip-directory.ts";
import { RecordingError, type Reporter } from "../../../model/error.ts";
import { PROVENANCE_NAME } from "../layout/zip.ts";

/** The longest text of a member. */
const LONGEST_TEXT = 16 << 20;

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
  /** Place of its local header; null when there is none. */
  readonly ownOffset: number | null;
  /** Place of the central directory; null when there is none that can be read. */
  readonly directoryOffset: number | null;
  /**
   * Local headers of members of other names, found without the directory, and the bytes of their data; these are null
   * where no end was found. Null: the directory names the members.
   */
  readonly others: ReadonlyMap<number, number | null> | null;
}

/**
 * A member by its header and extent. Throws `RecordingError` when it is encrypted or compressed in an unknown way.
 */
export function memberOf(
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

/** Our own member as text; null when it is damaged or longer than any that is written here, which is reported. */
export async function textIn(
  source: ByteSource,
  member: Member,
  crc: number,
  report: Reporter,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const { dataOffset, length } = member;
  const bytes = await contentIn(source, member, signal);
  if (bytes !== null && crc32(bytes) === crc) return new TextDecoder().decode(bytes);
  const why = bytes === null ? "is damaged or too long" : "does not match its checksum";
  report.report({ code: "bad-checksum", severity: "loss", message: lostText(why), offset: dataOffset, length });
  return null;
}

/** The words of a finding that our own member is lost; `why` is the predicate. */
export function lostText(why: string): string {
  return `${PROVENANCE_NAME} ${why}: where the recording comes from, and the notes in it, are lost`;
}

/** All of a member; null when it does not inflate, or is too long. */
async function contentIn(
  source: ByteSource,
  { isStored, dataOffset, length }: Member,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | null> {
  if (length > LONGEST_TEXT) return null;
  if (isStored) return readExactly(source, dataOffset, length, signal);
  const inflater = new MemberInflater(slice(source, dataOffset, length), length);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let next = await inflater.next(); next !== null; next = await inflater.next()) {
    for (const piece of next) {
      size += piece.length;
      if (size > LONGEST_TEXT) return null;
      pieces.push(piece.slice());
    }
  }
  if (inflater.damage !== null) return null;
  return concatenate(pieces, size);
}

/** Whether the member of this header has this name. */
export function isNamed(header: Pick<LocalHeader, "name">, name: string): boolean {
  if (header.name.length !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (header.name[i] !== name.charCodeAt(i)) return false;
  return true;
}
