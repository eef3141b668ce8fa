import { crc32 } from "../../bytes/crc32.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import { hex, LayoutError } from "../../bytes/error.ts";
import {
  DEFLATED,
  DESCRIBED,
  DIRECTORY_SIGNATURE,
  type DirectoryEntry,
  ENCRYPTED,
  extentOf,
  LOCAL_BYTES,
  LOCAL_SIGNATURE,
  type LocalHeader,
  STORED,
} from "../../bytes/zip.ts";
import { MemberInflater } from "./inflate-member.ts";
import { type ByteSource, SourceError } from "../source/source.ts";
import { slice } from "../source/window.ts";
import { type Descriptor, DESCRIPTOR_BYTES, descriptorAt, localHeaderAt, readDirectory } from "./zip-directory.ts";

/** Where a zip is not what its writer wrote: place in the file, and what is wrong there. */
export interface ZipDamage {
  readonly offset: number;
  readonly message: string;
}

/** A member of a zip. */
export interface ZipMember {
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly dataOffset: number;
  /** Bytes of its data, never beyond the end of the file. */
  readonly length: number;
  /** Its size and CRC-32 when it was written; null when nothing tells them any more. */
  readonly stated: { readonly size: number; readonly crc: number } | null;
}

/** A zip, as far as it could be made out. */
export interface Zip {
  readonly members: readonly ZipMember[];
  /** What is wrong with its headers and its directory; what is wrong inside of a member is found by reading it. */
  readonly damage: readonly ZipDamage[];
}

/** Members at most of a zip without a directory. */
const MOST_MEMBERS = 0xffff;
const PIECE = 256 << 10;

/**
 * Finds the members of a zip by its directory; where there is none that can be read, by the headers before their data,
 * one after another from the beginning up to the end of what is there. Null: nothing of a zip is in the file.
 */
export async function openZip(source: ByteSource, signal?: AbortSignal): Promise<Zip | null> {
  const size = await source.size();
  if (size === null) throw new SourceError("failed", `size is not known: ${source.name}`);
  const damage: ZipDamage[] = [];
  const search = new Search(source, size, damage, signal);
  try {
    const { offset, entries, stated, damage: inside } = await readDirectory(source, size, signal);
    if (inside !== null) throw inside;
    if (entries.length !== stated)
      throw new LayoutError("malformed", `the directory has ${entries.length} members but states ${stated}`, offset);
    return { members: await search.named(entries, offset), damage };
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    const message = `the archive has no directory that can be read (${error.message}): members were found by their own headers`;
    damage.splice(0, damage.length, { offset: error.offset, message });
  }
  const members = await search.inOrder();
  return members.length === 0 ? null : { members, damage };
}

/**
 * The content of a member, in pieces of at most 256 KiB; every byte that comes out before damage. `found` gets what is
 * wrong, its CRC-32 included, before the last piece has been asked for in vain.
 */
export async function* zipContent(
  source: ByteSource,
  member: ZipMember,
  found: (damage: ZipDamage) => void,
): AsyncGenerator<Uint8Array> {
  const { name, method, dataOffset, length, stated } = member;
  if (member.isEncrypted) return found({ offset: dataOffset, message: `${name} is encrypted` });
  if (method !== STORED && method !== DEFLATED)
    return found({ offset: dataOffset, message: `${name} is compressed by method ${method}: only 0 and 8 are read` });
  const data = slice(source, dataOffset, length);
  let [size, crc] = [0, 0];
  if (method === STORED) {
    for (let piece = await data.read(0, PIECE); piece.length > 0; piece = await data.read(size, PIECE)) {
      crc = crc32(piece, crc);
      size += piece.length;
      yield piece;
    }
  } else {
    const inflater = new MemberInflater(data, length);
    for (let pieces = await inflater.next(); pieces !== null; pieces = await inflater.next()) {
      for (const piece of pieces) {
        size += piece.length;
        yield piece;
      }
    }
    crc = inflater.crc;
    if (inflater.damage !== null) {
      const { offset, message } = inflater.damage;
      const of = stated === null ? "" : ` of ${stated.size}`;
      found({ offset: dataOffset + offset, message: `${name}: ${size}${of} bytes were inflated: ${message}` });
      return;
    }
  }
  if (stated === null) return;
  if (stated.size !== size)
    found({ offset: dataOffset, message: `${name} has ${size} bytes, ${stated.size} were written` });
  else if (stated.crc !== crc)
    found({ offset: dataOffset, message: `${name} does not match its checksum: some of its ${size} bytes are wrong` });
}

/** Looks for the members of one file. */
class Search {
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #damage: ZipDamage[];
  readonly #signal: AbortSignal | undefined;

  constructor(source: ByteSource, size: number, damage: ZipDamage[], signal: AbortSignal | undefined) {
    this.#source = source;
    this.#size = size;
    this.#damage = damage;
    this.#signal = signal;
  }

  /** The members of a directory, which begins at `end`, in the order of their places. */
  async named(entries: readonly DirectoryEntry[], end: number): Promise<ZipMember[]> {
    const inOrder = entries.map((entry) => ({ entry, ...extentOf(entry) }));
    inOrder.sort((a, b) => a.headerOffset - b.headerOffset);
    const members: ZipMember[] = [];
    for (const [i, { entry, headerOffset, compressedSize, size }] of inOrder.entries()) {
      const next = inOrder[i + 1]?.headerOffset ?? end;
      const dataOffset = await this.#dataOf(entry, headerOffset, compressedSize, next);
      members.push(this.#member(entry, dataOffset, compressedSize, { size, crc: entry.crc }));
    }
    return members;
  }

  /** The members that follow each other from the beginning of the file. */
  async inOrder(): Promise<ZipMember[]> {
    const members: ZipMember[] = [];
    for (let at = 0; at < this.#size && members.length < MOST_MEMBERS; ) {
      const signature = await this.#signatureAt(at);
      if (signature !== LOCAL_SIGNATURE) {
        if (signature === DIRECTORY_SIGNATURE) break;
        const next = await this.#find([LOCAL_SIGNATURE, DIRECTORY_SIGNATURE], at + 1);
        if (next === null) {
          if (members.length > 0) this.#report(at, `${this.#size - at} bytes belong to no member`);
          break;
        }
        this.#report(at, `${next - at} bytes belong to no member`);
        at = next;
        continue;
      }
      try {
        const { header, dataOffset } = await localHeaderAt(this.#source, at, this.#signal);
        const { member, end } = await this.#memberAt(header, dataOffset);
        members.push(member);
        at = end;
      } catch (error) {
        if (!(error instanceof LayoutError)) throw error;
        this.#report(at, `a member's header cannot be read: ${error.message}`);
        at += 4;
      }
    }
    return members;
  }

  /** A member of which only its own header is known, and where what follows it begins. */
  async #memberAt(header: LocalHeader, dataOffset: number): Promise<{ member: ZipMember; end: number }> {
    const extent = extentOf(header);
    if ((header.flags & DESCRIBED) === 0 || extent.compressedSize > 0) {
      const { compressedSize, size } = extent;
      const member = this.#member(header, dataOffset, compressedSize, { size, crc: header.crc });
      return { member, end: Math.min(this.#size, dataOffset + compressedSize) };
    }
    const length = header.method === DEFLATED ? await this.#deflatedLength(dataOffset) : null;
    if (length !== null) {
      const described = await this.#described(dataOffset + length, length);
      const end = dataOffset + length + (described?.length ?? 0);
      return { member: this.#member(header, dataOffset, length, described), end };
    }
    // It is stored, or damaged: it goes on until something else begins.
    const end = (await this.#find([LOCAL_SIGNATURE, DIRECTORY_SIGNATURE], dataOffset)) ?? this.#size;
    for (const bytes of [16, DESCRIPTOR_BYTES]) {
      const described = await this.#described(end - bytes, end - bytes - dataOffset);
      if (described?.length === bytes)
        return { member: this.#member(header, dataOffset, end - bytes - dataOffset, described), end };
    }
    return { member: this.#member(header, dataOffset, end - dataOffset, null), end };
  }

  /** Null: the stream does not end well. */
  async #deflatedLength(dataOffset: number): Promise<number | null> {
    const inflater = new MemberInflater(slice(this.#source, dataOffset, this.#size - dataOffset), null);
    while ((await inflater.next()) !== null) this.#signal?.throwIfAborted();
    return inflater.damage === null ? inflater.used : null;
  }

  #described(at: number, compressed: number): Promise<Descriptor | null> {
    return descriptorAt(this.#source, at, compressed, this.#signal);
  }

  /** Where the data of a directory's member begin: its own header tells, and must say what the directory says. */
  async #dataOf(entry: DirectoryEntry, headerOffset: number, length: number, next: number): Promise<number> {
    const name = nameOf(entry);
    try {
      const { header, dataOffset } = await localHeaderAt(this.#source, headerOffset, this.#signal);
      const difference = differenceOf(header, entry);
      if (difference !== null)
        this.#report(headerOffset, `${name}: its header and the directory differ: ${difference}`);
      else if ((entry.flags & DESCRIBED) !== 0 && header.compressedSize === 0) {
        const described = await this.#described(dataOffset + length, length);
        const { size } = extentOf(entry);
        if (described === null || described.size !== size || described.crc !== entry.crc)
          this.#report(dataOffset + length, `${name}: the descriptor after its data differs from the directory`);
      }
      if (difference === null || dataOffset + length <= next) return dataOffset;
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      const there = await this.#source.read(headerOffset + LOCAL_BYTES, entry.name.length, this.#signal);
      // Another name, and it is the directory that leads astray.
      if (nameOf({ name: there }) !== name) throw error;
      this.#report(headerOffset, `${name}: its header cannot be read: ${error.message}`);
    }
    return headerOffset + LOCAL_BYTES + entry.name.length + entry.extra.length;
  }

  #member(header: LocalHeader, dataOffset: number, length: number, stated: ZipMember["stated"]): ZipMember {
    const [name, isEncrypted] = [nameOf(header), (header.flags & ENCRYPTED) !== 0];
    const from = Math.min(dataOffset, this.#size);
    const within = Math.min(length, this.#size - from);
    return { name, method: header.method, isEncrypted, dataOffset: from, length: within, stated };
  }

  async #signatureAt(at: number): Promise<number | null> {
    const bytes = await this.#source.read(at, 4, this.#signal);
    return bytes.length < 4 ? null : new ByteCursor(bytes, 0, 4).u32le();
  }

  /** The first place from `from` on where one of the signatures stands; null: none. */
  async #find(signatures: readonly number[], from: number): Promise<number | null> {
    for (let at = from; at < this.#size; at += PIECE - 3) {
      const bytes = await this.#source.read(at, PIECE, this.#signal);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      // All begin with "P".
      for (let i = bytes.indexOf(0x50); i >= 0 && i + 4 <= bytes.length; i = bytes.indexOf(0x50, i + 1))
        if (signatures.includes(view.getUint32(i, true))) return at + i;
    }
    return null;
  }

  #report(offset: number, message: string): void {
    this.#damage.push({ offset, message: `${message} (${hex(offset)})` });
  }
}

/** What a local header says otherwise than the directory; null: nothing. */
function differenceOf(header: LocalHeader, entry: DirectoryEntry): string | null {
  if (nameOf(header) !== nameOf(entry)) return `the name is ${JSON.stringify(nameOf(header))}`;
  if (header.method !== entry.method) return `the method is ${header.method}, not ${entry.method}`;
  if (header.flags !== entry.flags) return `the flags are ${header.flags}, not ${entry.flags}`;
  // Until the data are written nothing is known of them.
  if ((header.flags & DESCRIBED) !== 0 && header.crc === 0 && header.compressedSize === 0) return null;
  const [own, other] = [extentOf(header), extentOf(entry)];
  if (header.crc !== entry.crc) return "the checksum";
  return own.size === other.size && own.compressedSize === other.compressedSize ? null : "the sizes";
}

function nameOf({ name }: Pick<LocalHeader, "name">): string {
  return new TextDecoder().decode(name);
}
