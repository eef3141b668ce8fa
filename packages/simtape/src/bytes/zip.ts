import type { ByteBuilder } from "./builder.ts";
import { ByteCursor } from "./cursor.ts";
import { LayoutError } from "./error.ts";

// Zip archives: PKWARE's APPNOTE 6.3.

export const LOCAL_SIGNATURE = 0x04034b50;
export const DIRECTORY_SIGNATURE = 0x02014b50;
export const END_SIGNATURE = 0x06054b50;
export const END64_SIGNATURE = 0x06064b50;
export const LOCATOR64_SIGNATURE = 0x07064b50;
/** Most writers put it before a data descriptor; it may be missing (APPNOTE 4.3.9.3). */
export const DESCRIPTOR_SIGNATURE = 0x08074b50;

export const LOCAL_BYTES = 30;
export const DIRECTORY_BYTES = 46;
export const END_BYTES = 22;
export const END64_BYTES = 56;
export const LOCATOR64_BYTES = 20;
/** A comment of 65,535 bytes may follow the end record. */
export const END_SEARCH_BYTES: number = END_BYTES + 0xffff + LOCATOR64_BYTES;

/** Methods that are read: stored and deflated. */
export const STORED = 0;
export const DEFLATED = 8;
/** Bit of `flags`: the member is encrypted. */
export const ENCRYPTED = 1;
/** Bit of `flags`: checksum and sizes stand behind the data, in a data descriptor, and are 0 in the local header. */
export const DESCRIBED = 8;

/** Id of the extra field with 64-bit sizes. */
const ZIP64 = 0x0001;
/** A 32-bit field that is full: the 64-bit one tells. */
export const FULL32 = 0xffff_ffff;

/** In front of each member's data. While an archive is being written its sizes are 0: those of the directory count. */
export interface LocalHeader {
  readonly versionNeeded: number;
  readonly flags: number;
  readonly method: number;
  /** DOS time and date. */
  readonly time: number;
  readonly date: number;
  readonly crc: number;
  /** 32 bits; 0xffffffff means that `extra` tells. */
  readonly compressedSize: number;
  readonly size: number;
  readonly name: Uint8Array;
  readonly extra: Uint8Array;
}

export function readLocalHeader(cursor: ByteCursor): LocalHeader {
  expectSignature(cursor, LOCAL_SIGNATURE, "local header");
  const versionNeeded = cursor.u16le();
  const flags = cursor.u16le();
  const method = cursor.u16le();
  const time = cursor.u16le();
  const date = cursor.u16le();
  const crc = cursor.u32le();
  const compressedSize = cursor.u32le();
  const size = cursor.u32le();
  const nameLength = cursor.u16le();
  const extraLength = cursor.u16le();
  const name = cursor.view(nameLength);
  const extra = cursor.view(extraLength);
  return { versionNeeded, flags, method, time, date, crc, compressedSize, size, name, extra };
}

export function writeLocalHeader(builder: ByteBuilder, header: LocalHeader): void {
  builder.u32le(LOCAL_SIGNATURE).u16le(header.versionNeeded).u16le(header.flags).u16le(header.method);
  builder.u16le(header.time).u16le(header.date).u32le(header.crc).u32le(header.compressedSize).u32le(header.size);
  builder.u16le(header.name.length).u16le(header.extra.length).raw(header.name).raw(header.extra);
}

/** A member's entry in the central directory. */
export interface DirectoryEntry extends LocalHeader {
  readonly versionMadeBy: number;
  /** Disk where the member begins; 0xffff means that `extra` tells. */
  readonly disk: number;
  readonly internalAttributes: number;
  readonly externalAttributes: number;
  /** Place of the local header, 32 bits; 0xffffffff means that `extra` tells. */
  readonly headerOffset: number;
  readonly comment: Uint8Array;
}

export function readDirectoryEntry(cursor: ByteCursor): DirectoryEntry {
  expectSignature(cursor, DIRECTORY_SIGNATURE, "directory entry");
  const versionMadeBy = cursor.u16le();
  const versionNeeded = cursor.u16le();
  const flags = cursor.u16le();
  const method = cursor.u16le();
  const time = cursor.u16le();
  const date = cursor.u16le();
  const crc = cursor.u32le();
  const compressedSize = cursor.u32le();
  const size = cursor.u32le();
  const nameLength = cursor.u16le();
  const extraLength = cursor.u16le();
  const commentLength = cursor.u16le();
  const disk = cursor.u16le();
  const internalAttributes = cursor.u16le();
  const externalAttributes = cursor.u32le();
  const headerOffset = cursor.u32le();
  const name = cursor.view(nameLength);
  const extra = cursor.view(extraLength);
  const comment = cursor.view(commentLength);
  return {
    ...{ versionNeeded, flags, method, time, date, crc, compressedSize, size, name, extra },
    ...{ versionMadeBy, disk, internalAttributes, externalAttributes, headerOffset, comment },
  };
}

export function writeDirectoryEntry(builder: ByteBuilder, entry: DirectoryEntry): void {
  builder.u32le(DIRECTORY_SIGNATURE).u16le(entry.versionMadeBy).u16le(entry.versionNeeded).u16le(entry.flags);
  builder.u16le(entry.method).u16le(entry.time).u16le(entry.date).u32le(entry.crc);
  builder.u32le(entry.compressedSize).u32le(entry.size);
  builder.u16le(entry.name.length).u16le(entry.extra.length).u16le(entry.comment.length);
  builder.u16le(entry.disk).u16le(entry.internalAttributes).u32le(entry.externalAttributes).u32le(entry.headerOffset);
  builder.raw(entry.name).raw(entry.extra).raw(entry.comment);
}

/** The end record, last in the file. */
export interface DirectoryEnd {
  readonly disk: number;
  readonly directoryDisk: number;
  readonly entriesHere: number;
  readonly entries: number;
  /** 32 bits; 0xffffffff means that the zip64 end record tells. */
  readonly directorySize: number;
  readonly directoryOffset: number;
  readonly comment: Uint8Array;
}

export function readDirectoryEnd(cursor: ByteCursor): DirectoryEnd {
  expectSignature(cursor, END_SIGNATURE, "end record");
  const disk = cursor.u16le();
  const directoryDisk = cursor.u16le();
  const entriesHere = cursor.u16le();
  const entries = cursor.u16le();
  const directorySize = cursor.u32le();
  const directoryOffset = cursor.u32le();
  const comment = cursor.view(cursor.u16le());
  return { disk, directoryDisk, entriesHere, entries, directorySize, directoryOffset, comment };
}

export function writeDirectoryEnd(builder: ByteBuilder, end: DirectoryEnd): void {
  builder.u32le(END_SIGNATURE).u16le(end.disk).u16le(end.directoryDisk).u16le(end.entriesHere).u16le(end.entries);
  builder.u32le(end.directorySize).u32le(end.directoryOffset).u16le(end.comment.length).raw(end.comment);
}

/** The 64-bit form of the end record. */
export interface DirectoryEnd64 {
  readonly versionMadeBy: number;
  readonly versionNeeded: number;
  readonly disk: number;
  readonly directoryDisk: number;
  readonly entriesHere: number;
  readonly entries: number;
  readonly directorySize: number;
  readonly directoryOffset: number;
  readonly extensible: Uint8Array;
}

export function readDirectoryEnd64(cursor: ByteCursor): DirectoryEnd64 {
  expectSignature(cursor, END64_SIGNATURE, "zip64 end record");
  const at = cursor.offset;
  const length = cursor.u64le();
  if (length < 44) throw new LayoutError("malformed", `zip64 end record of ${length} bytes, at least 44 expected`, at);
  const versionMadeBy = cursor.u16le();
  const versionNeeded = cursor.u16le();
  const disk = cursor.u32le();
  const directoryDisk = cursor.u32le();
  const entriesHere = cursor.u64le();
  const entries = cursor.u64le();
  const directorySize = cursor.u64le();
  const directoryOffset = cursor.u64le();
  const extensible = cursor.view(length - 44);
  return {
    ...{ versionMadeBy, versionNeeded, disk, directoryDisk },
    ...{ entriesHere, entries, directorySize, directoryOffset, extensible },
  };
}

export function writeDirectoryEnd64(builder: ByteBuilder, end: DirectoryEnd64): void {
  builder.u32le(END64_SIGNATURE).i64le(44 + end.extensible.length);
  builder.u16le(end.versionMadeBy).u16le(end.versionNeeded).u32le(end.disk).u32le(end.directoryDisk);
  builder.i64le(end.entriesHere).i64le(end.entries).i64le(end.directorySize).i64le(end.directoryOffset);
  builder.raw(end.extensible);
}

/** Where the zip64 end record is; right before the end record. */
export interface Locator64 {
  readonly disk: number;
  readonly endOffset: number;
  readonly disks: number;
}

export function readLocator64(cursor: ByteCursor): Locator64 {
  expectSignature(cursor, LOCATOR64_SIGNATURE, "zip64 locator");
  return { disk: cursor.u32le(), endOffset: cursor.u64le(), disks: cursor.u32le() };
}

export function writeLocator64(builder: ByteBuilder, locator: Locator64): void {
  builder.u32le(LOCATOR64_SIGNATURE).u32le(locator.disk).i64le(locator.endOffset).u32le(locator.disks);
}

/** Sizes and place of a member, 64 bits wide where its extra field has them. */
export interface Extent {
  readonly compressedSize: number;
  readonly size: number;
  readonly headerOffset: number;
}

/** Throws `LayoutError` when a 64-bit value is announced and missing. */
export function extentOf(entry: LocalHeader & { readonly headerOffset?: number }): Extent {
  let { size, compressedSize } = entry;
  let headerOffset = entry.headerOffset ?? 0;
  if (size !== FULL32 && compressedSize !== FULL32 && headerOffset !== FULL32) {
    return { compressedSize, size, headerOffset };
  }
  const cursor = zip64Of(entry.extra);
  if (cursor === null) return { compressedSize, size, headerOffset };
  // Only those of which the 32-bit field is full are there, in this order (APPNOTE 4.5.3).
  if (size === FULL32) size = cursor.u64le();
  if (compressedSize === FULL32) compressedSize = cursor.u64le();
  if (headerOffset === FULL32) headerOffset = cursor.u64le();
  return { compressedSize, size, headerOffset };
}

/** The extra field with sizes that are 64 bits wide. */
export function writeZip64Extra(builder: ByteBuilder, sizes: readonly number[]): void {
  builder.u16le(ZIP64).u16le(sizes.length * 8);
  for (const size of sizes) builder.i64le(size);
}

/** Whether an extra field has the 64-bit sizes. */
export function hasZip64(extra: Uint8Array): boolean {
  return (zip64Of(extra)?.remaining ?? 0) >= 16;
}

/** An extra field without the 64-bit sizes. */
export function withoutZip64(extra: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  while (at + 4 <= extra.length) {
    const end = Math.min(extra.length, at + 4 + (extra[at + 2]! | (extra[at + 3]! << 8)));
    if ((extra[at]! | (extra[at + 1]! << 8)) !== ZIP64) parts.push(extra.subarray(at, end));
    at = end;
  }
  parts.push(extra.subarray(at));
  const kept = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const part of parts) {
    kept.set(part, position);
    position += part.length;
  }
  return kept;
}

function zip64Of(extra: Uint8Array): ByteCursor | null {
  const cursor = new ByteCursor(extra);
  while (cursor.remaining >= 4) {
    const id = cursor.u16le();
    const length = Math.min(cursor.u16le(), cursor.remaining);
    if (id === ZIP64) return new ByteCursor(extra, cursor.position, cursor.position + length);
    cursor.skip(length);
  }
  return null;
}

function expectSignature(cursor: ByteCursor, signature: number, what: string): void {
  const at = cursor.offset;
  if (cursor.u32le() !== signature) throw new LayoutError("malformed", `no zip ${what}`, at);
}
