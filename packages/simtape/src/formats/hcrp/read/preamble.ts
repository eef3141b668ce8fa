import { crc32 } from "../../../bytes/crc32.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { hex, LayoutError } from "../../../bytes/error.ts";
import { type NbtDocument, nbtCompound, nbtLength } from "../../../codec/nbt.ts";
import { type Finding, RecordingError, type Reporter, type FindingCode } from "../../../model/error.ts";
import type { Dialect } from "../chunk/context.ts";
import {
  DICTIONARY_IDS,
  FORMAT_ID,
  type Extension,
  FLAG_COLUMNS,
  FLAG_EXTENDED,
  FLAG_SEGMENTED,
  HEADER_BYTES,
  type IndexEntry,
  KNOWN_FLAGS,
  KNOWN_LOW_FLAGS,
  LIMITS,
  MAGIC,
  readHeader,
  readIndexEntry,
} from "../layout/framing.ts";
import { readMetadata, readReserved, type Reserved } from "../layout/metadata.ts";
import { corrected } from "./correct.ts";
import { readProductionHeader } from "../layout/production.ts";

/** What the header of any dialect says. */
export interface Head {
  readonly dialect: Dialect;
  readonly flags: number;
  readonly worldId: string;
  readonly worldVersion: Uint8Array;
  /** Unix milliseconds. */
  readonly startedAt: bigint;
  readonly dictionaryId: number;
  readonly metadataLength: number;
  readonly indexLength: number;
  readonly tickCount: number;
  readonly chunkCount: number;
  /** At the start of the recording, 0 unknown. */
  readonly dataVersion: number;
  /** Null in the plain profile and in the production dialect. */
  readonly extension: Extension | null;
  /** What fills the header up, as stored: in the plain profile and in the production dialect. */
  readonly padding: Uint8Array;
  /** Bytes before the chunks. */
  readonly preambleLength: number;
}

/** The whole preamble. */
export interface Preamble {
  readonly head: Head;
  readonly metadata: NbtDocument;
  readonly reserved: Reserved;
  readonly entries: readonly IndexEntry[];
  /** The index has a crc, and it is right or was made right again. */
  readonly isIndexSure: boolean;
  /** The same of the metadata. */
  readonly isMetadataSure: boolean;
}

/** A header, and whether it can be relied on: its crc is right, or was made right again. */
export interface CheckedHead {
  readonly head: Head;
  readonly isSure: boolean;
}

/**
 * Reads the header at the start of `bytes`. Throws `RecordingError`: `truncated` when it is cut, `unsupported` for an
 * unknown version or an unknown flag that must not be ignored, `malformed` when it is none.
 */
export function readHead(bytes: Uint8Array, report: Reporter): CheckedHead {
  if (bytes.length < HEADER_BYTES) {
    throw refuse("truncated", `header: expected ${HEADER_BYTES} bytes, found ${bytes.length}`, bytes.length);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // only the extended profile has a crc; elsewhere the place is zero (spec §3)
  const stored = view.getUint32(252);
  const content = bytes.subarray(0, 252);
  const found = crc32(content);
  let header = bytes;
  let isSure = stored === found;
  if ((stored !== 0 || isExtended(bytes)) && !isSure) {
    const again = corrected(content, stored);
    const isFixed = again !== null && isExtended(again);
    const how = isFixed ? (again === content ? "; the crc is wrong, not the header" : "; simtape corrected it") : "";
    const message = `header, crc32: expected ${hex(stored)}, found ${hex(found)}${how}`;
    // what the flags say of a crc is as doubtful as the rest
    if (isFixed || isExtended(bytes)) report.report(damage("bad-header-checksum", message, 252));
    if (isFixed) {
      header = new Uint8Array(HEADER_BYTES);
      header.set(again);
      new DataView(header.buffer).setUint32(252, crc32(again));
      isSure = true;
    }
  }
  const magic = new DataView(header.buffer, header.byteOffset, 4).getUint32(0);
  if (magic !== MAGIC) throw refuse("malformed", `header, magic: expected ${hex(MAGIC)}, found ${hex(magic)}`, 0);
  const version = header[4]!;
  // spec §3.3: byte 4 is the version, or 0 in front of the production dialect's
  if (version === 1) return { head: readVersion1(header, isSure, report), isSure: isSure && isExtended(header) };
  const production = (header[4]! << 8) | header[5]!;
  if (version !== 0) throw refuse("unsupported", `header, version: expected 1, found ${version}`, 4);
  if (production === 4 || production === 5) return { head: readProduction(header, report), isSure: false };
  throw refuse("unsupported", `header, production version: expected 4 or 5, found ${production}`, 4);
}

/** Version 1 with flag EXT. */
function isExtended(header: Uint8Array): boolean {
  return header[4] === 1 && (header[6]! & FLAG_EXTENDED) !== 0;
}

/** Reads metadata and index out of a preamble; `bytes` may end inside the index. Damage is reported. */
export function readPreamble(head: Head, bytes: Uint8Array, report: Reporter): Preamble {
  const indexAt = HEADER_BYTES + head.metadataLength;
  const { extension } = head;
  const metadataBytes = section("metadata", bytes, HEADER_BYTES, indexAt, extension?.metadataCrc ?? null, report);
  const indexBytes = section("index", bytes, indexAt, head.preambleLength, extension?.indexCrc ?? null, report);
  const metadata = metadataOf(metadataBytes.bytes, bytes, report);
  const reserved = readReserved(metadata);
  for (const oddity of reserved.oddities) {
    report.report({ code: "odd-metadata", severity: "warning", message: `metadata: ${oddity}`, offset: HEADER_BYTES });
  }
  checkDictionary(head, report);
  const entries = readIndex(head, indexBytes.bytes, indexAt, report);
  return {
    head,
    metadata,
    reserved,
    entries,
    isIndexSure: indexBytes.isSure,
    isMetadataSure: metadataBytes.isSure,
  };
}

/** The bytes of a section as they should be by its crc, if that is known and the damage is small. */
function section(
  name: "metadata" | "index",
  all: Uint8Array,
  from: number,
  to: number,
  expected: number | null,
  report: Reporter,
): { readonly bytes: Uint8Array; readonly isSure: boolean } {
  const bytes = all.subarray(from, to);
  if (expected === null) return { bytes, isSure: false };
  const found = crc32(bytes);
  if (found === expected) return { bytes, isSure: true };
  const again = bytes.length === to - from ? corrected(bytes, expected) : null;
  const how = again === null ? "" : "; simtape corrected it";
  const message = `${name}, crc32: expected ${hex(expected)}, found ${hex(found)}${how}`;
  report.report({ code: `bad-${name}-checksum`, severity: "damage", message, offset: from, length: bytes.length });
  return { bytes: again ?? bytes, isSure: again !== null };
}

function readVersion1(bytes: Uint8Array, isSure: boolean, report: Reporter): Head {
  const header = readHeader(new ByteCursor(bytes));
  const { extension } = header;
  const isRead = extension === null || isSure;
  // a damaged header may have any bit set
  const flags = isRead ? header.flags : header.flags & KNOWN_FLAGS;
  if (isRead) refuseFlags(flags);
  if (extension !== null) {
    if (extension.dictionaryId !== header.dictionaryId) {
      const message = `header, full dictionary id: expected ${header.dictionaryId}, found ${extension.dictionaryId}`;
      report.report(damage("dictionary-id-differs", message, 73));
    }
    if ((flags & FLAG_SEGMENTED) !== 0 && extension.totalLength !== 0n) {
      const message = `header, total length of a metadata file: expected 0, found ${extension.totalLength}`;
      report.report({ ...damage("total-length", message, 77), severity: "warning" });
    }
  }
  return {
    ...header,
    flags,
    dialect: 1,
    dataVersion: extension?.dataVersion ?? 0,
    preambleLength: HEADER_BYTES + header.metadataLength + header.indexLength,
  };
}

/** Spec §3.1, §7.5. */
function refuseFlags(flags: number): void {
  for (let bit = 0; bit < 8; bit++) {
    if ((flags & ~KNOWN_LOW_FLAGS & (1 << bit)) === 0) continue;
    throw refuse("unsupported", `header, flags: bit ${bit} is not known and must not be ignored`, 5);
  }
  if ((flags & FLAG_COLUMNS) !== 0 && (flags & FLAG_SEGMENTED) !== 0)
    throw refuse("unsupported", "header, flags: bit 3 (COLUMNS) is not for segmented recordings", 5);
}

function readProduction(bytes: Uint8Array, report: Reporter): Head {
  const header = readProductionHeader(new ByteCursor(bytes));
  if (header.flags !== 0) {
    const message = `header, flags: expected 0, found ${hex(header.flags)}`;
    report.report({ code: "unknown-flags", severity: "warning", message, offset: 6 });
  }
  return {
    ...header,
    dialect: header.version,
    extension: null,
    preambleLength: HEADER_BYTES + header.metadataLength + header.indexLength,
  };
}

/** What of the header is above the limits, to be refused before anything is allocated (spec §7.4, §12); null: nothing. */
export function aboveLimits(head: Head): string | null {
  const fields = [
    ["metadata length", head.metadataLength, LIMITS.metadata],
    ["index length", head.indexLength, LIMITS.index],
    ["tick count", head.tickCount, 0x7fff_ffff],
    ["chunk count", head.chunkCount, LIMITS.chunks],
  ] as const;
  for (const [name, value, limit] of fields) {
    if (value > limit) return `header, ${name}: expected at most ${limit}, found ${value}`;
  }
  return null;
}

/**
 * Metadata that cannot be read is reported and taken for empty: nothing but names depends on it. Where only its length in
 * the header is wrong, the NBT tells the right one.
 */
function metadataOf(bytes: Uint8Array, preamble: Uint8Array, report: Reporter): NbtDocument {
  try {
    return readMetadata(bytes);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    const length = lengthOfNbt(preamble);
    if (length !== null && length !== bytes.length) {
      const message = `header, metadata length: expected ${length} as the NBT has, found ${bytes.length}`;
      report.report(damage("metadata-length", message, 49));
      return readMetadata(preamble.subarray(HEADER_BYTES, HEADER_BYTES + length));
    }
    const message = `metadata: ${error.message} of the section`;
    const offset = HEADER_BYTES + error.offset;
    report.report({ code: "bad-metadata", severity: "damage", message, offset, length: bytes.length });
    return { root: nbtCompound({}), name: null };
  }
}

/** Of the metadata; null when they cannot be read at any length. */
function lengthOfNbt(preamble: Uint8Array): number | null {
  try {
    const length = nbtLength(preamble, HEADER_BYTES);
    readMetadata(preamble.subarray(HEADER_BYTES, HEADER_BYTES + length));
    return length;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

/** The entries up to the first that cannot be read; whatever does not agree with the header is reported (spec §5). */
function readIndex(head: Head, bytes: Uint8Array, origin: number, report: Reporter): IndexEntry[] {
  const cursor = new ByteCursor(bytes, 0, bytes.length, origin);
  const entries: IndexEntry[] = [];
  const isVersioned = head.dialect === 5;
  while (entries.length < head.chunkCount) {
    if (cursor.remaining === 0 && bytes.length === head.indexLength) {
      const message = `header, chunk count: expected ${entries.length} as in the index, found ${head.chunkCount}`;
      report.report({ ...damage("chunk-count", message, 61), severity: "loss" });
      return entries;
    }
    try {
      entries.push(readIndexEntry(cursor, isVersioned));
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      const lost = head.chunkCount - entries.length;
      const message = `index entry ${entries.length}: ${error.message}; ${lost} chunks are lost`;
      report.report(damage("bad-index-entry", message, error.offset));
      return entries;
    }
  }
  const more = cursor.remaining === 0 ? null : entriesBehind(cursor, entries.at(-1) ?? null, isVersioned);
  if (more !== null) {
    entries.push(...more);
    const message = `header, chunk count: expected ${entries.length} as in the index, found ${head.chunkCount}`;
    report.report(damage("chunk-count", message, 61));
  } else if (cursor.remaining > 0) {
    const taken = bytes.length - cursor.remaining;
    const message = `header, index length: expected ${taken} for ${entries.length} entries, found ${head.indexLength}`;
    report.report(damage("index-length", message, origin + taken));
  }
  return entries;
}

/** Entries up to the end of the index that go on where the last one ends; null: what is left is something else. */
function entriesBehind(cursor: ByteCursor, last: IndexEntry | null, isVersioned: boolean): IndexEntry[] | null {
  const start = cursor.position;
  const entries: IndexEntry[] = [];
  try {
    for (let end = last === null ? 0 : last.startTick + last.tickCount; cursor.remaining > 0; ) {
      const entry = readIndexEntry(cursor, isVersioned);
      if (entry.startTick !== end || entry.tickCount < 1) break;
      entries.push(entry);
      end += entry.tickCount;
      if (cursor.remaining === 0) return entries;
    }
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
  }
  cursor.seek(start);
  return null;
}

/** Spec §7.3. */
function checkDictionary(head: Head, report: Reporter): void {
  const id = head.dictionaryId;
  if (id === 0 || (id >= DICTIONARY_IDS.first && id <= DICTIONARY_IDS.last)) return;
  const message = `header, dictionary id: expected 0 or ${DICTIONARY_IDS.first} to ${DICTIONARY_IDS.last}, found ${id}`;
  report.report(damage("dictionary-id", message, head.dialect === 1 ? 47 : 33 + head.worldVersion.length));
}

function damage(code: FindingCode, message: string, offset: number): Finding {
  return { code, severity: "damage", message, offset };
}

/** The error that says nothing of the recording can be read. */
export function refuse(
  code: "truncated" | "malformed" | "unsupported",
  message: string,
  offset: number,
): RecordingError {
  return new RecordingError(code, message, { format: FORMAT_ID, offset });
}
