import { DEFLATED, DESCRIBED, DESCRIPTOR_SIGNATURE, ENCRYPTED, extentOf, type LocalHeader } from "../../bytes/zip.ts";
import type { ByteSource } from "../source/source.ts";
import { slice } from "../source/window.ts";
import { MemberInflater } from "./inflate-member.ts";
import { descriptorAt, localHeaderAt } from "./zip-directory.ts";

/** Bytes that are searched at once. */
const PIECE = 256 << 10;

/** A member as its own header says, without the directory. */
export interface LocalMember {
  readonly header: LocalHeader;
  readonly dataOffset: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly crc: number;
  /** Place behind its data and their descriptor; beyond the end of the file when the member is cut. */
  readonly end: number;
}

/**
 * The member whose header is at `offset` in a file of `fileSize` bytes. Its length is stated in the header, or the
 * deflate stream or a descriptor ends it; null: it is not known. Throws `LayoutError` when no header can be read there.
 * `found`: the bytes of its data as an earlier call has found them; null: it has found no end. They are not searched again.
 */
export async function localMemberAt(
  source: ByteSource,
  fileSize: number,
  offset: number,
  signal?: AbortSignal,
  found?: number | null,
): Promise<LocalMember | null> {
  const { header, dataOffset } = await localHeaderAt(source, offset, signal);
  const { compressedSize: stated, size } = extentOf(header);
  const isDescribed = (header.flags & DESCRIBED) !== 0;
  if (!isDescribed)
    return { header, dataOffset, compressedSize: stated, size, crc: header.crc, end: dataOffset + stated };
  if (found === null) return null;
  const isDeflated = header.method === DEFLATED && (header.flags & ENCRYPTED) === 0;
  const lengthOf = isDeflated ? deflatedLength : describedLength;
  const compressedSize = stated > 0 ? stated : (found ?? (await lengthOf(source, fileSize, dataOffset, signal)));
  if (compressedSize === null) return null;
  const behind = dataOffset + compressedSize;
  const described = await descriptorAt(source, behind, compressedSize, signal);
  if (described === null)
    return stated > 0 ? { header, dataOffset, compressedSize, size, crc: header.crc, end: behind } : null;
  return {
    header,
    dataOffset,
    compressedSize,
    size: described.size,
    crc: described.crc,
    end: behind + described.length,
  };
}

async function deflatedLength(
  source: ByteSource,
  fileSize: number,
  dataOffset: number,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const inflater = new MemberInflater(slice(source, dataOffset, Math.max(0, fileSize - dataOffset)), null);
  while ((await inflater.next()) !== null) signal?.throwIfAborted();
  return inflater.damage === null ? inflater.used : null;
}

/** Up to the first descriptor that states the number of bytes in front of it. */
async function describedLength(
  source: ByteSource,
  fileSize: number,
  dataOffset: number,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  for (let at = dataOffset; at < fileSize; at += PIECE - 3) {
    const bytes = await source.read(at, PIECE, signal);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = bytes.indexOf(0x50); i >= 0 && i + 4 <= bytes.length; i = bytes.indexOf(0x50, i + 1)) {
      if (view.getUint32(i, true) !== DESCRIPTOR_SIGNATURE) continue;
      const length = at + i - dataOffset;
      // The low bytes of the size stand at the same place in both forms.
      if (i + 12 <= bytes.length && view.getUint32(i + 8, true) !== length % 2 ** 32) continue;
      if ((await descriptorAt(source, at + i, length, signal)) !== null) return length;
    }
  }
  return null;
}
