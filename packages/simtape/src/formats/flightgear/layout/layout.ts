import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type PropertyNode, type PropertyNotice, readProperties, writeProperties } from "../../../codec/properties.ts";
import { isMagic, MAGIC, MAGIC_BYTES } from "./magic.ts";

/** First word of a Normal tape as little-endian hosts write it (spec §3.2). */
export const ENDIAN_WORD = 0x11223344;

/** Types of the containers of a Normal tape (spec §3.2). */
export const CONTAINER_MAGIC = 0;
export const CONTAINER_META = 1;
export const CONTAINER_CONFIG = 2;
export const CONTAINER_FRAMES = 3;
export const CONTAINER_HEADER_BYTES = 12;

/** The longest tree text that is believed: real ones are about 60 KB. */
export const MAX_TREE_BYTES: number = 16 << 20;

/** Type and size of a container. For frames of generation 2 and 3 the size is frames × record size, not bytes (spec §3.2). */
export interface ContainerHeader {
  readonly type: number;
  readonly size: number;
}

// spec §3.2: u32 type, u64 size
export function readContainerHeader(cursor: ByteCursor): ContainerHeader {
  return { type: cursor.u32le(), size: cursor.u64le() };
}
export function writeContainerHeader(builder: ByteBuilder, header: ContainerHeader): void {
  builder.u32le(header.type).i64le(header.size);
}

/** The 32 bytes of the magic string; throws when they are others. */
export function readMagic(cursor: ByteCursor): void {
  const at = cursor.offset;
  const bytes = cursor.view(MAGIC_BYTES);
  if (!isMagic(bytes, 0)) throw new LayoutError("malformed", `expected "${MAGIC}"`, at);
}
export function writeMagic(builder: ByteBuilder): void {
  builder.utf8(MAGIC).u8(0);
}

/** What stands before the frames of a Continuous or Recovery tape, text as stored with its NUL. */
export interface ContinuousHeader {
  /** `first`: snapshots of June to December 2020, two trees with 64-bit lengths (spec §4.2). */
  readonly layout: "current" | "first";
  /** One tree; in the first layout meta and config. */
  readonly texts: readonly Uint8Array[];
  /** A length did not lead to the end of its text, and the end was found without it. */
  readonly isLengthWrong?: boolean | undefined;
}

// spec §4.1: magic, u32 length, tree text + NUL; spec §4.2: magic, u64 length + meta text, u64 length + config text
export function readContinuousHeader(cursor: ByteCursor): ContinuousHeader {
  readMagic(cursor);
  const length = cursor.u32le();
  const at = cursor.position;
  const high = cursor.u32le();
  // The upper half of a 64-bit length, where the current layout has `<?xm` (spec §4.2).
  const isFirst = (high === 0 && length > 4) || beginsTree(cursor.bytes, cursor.position);
  if (!isFirst) cursor.seek(at);
  const tree = text(cursor, length);
  if (!isFirst && !beginsTree(cursor.bytes, cursor.position + 8)) {
    return { layout: "current", texts: [tree.bytes], isLengthWrong: tree.isWrong || undefined };
  }
  const config = text(cursor, readLength(cursor));
  return {
    layout: "first",
    texts: [tree.bytes, config.bytes],
    isLengthWrong: tree.isWrong || config.isWrong || undefined,
  };
}
export function writeContinuousHeader(builder: ByteBuilder, header: ContinuousHeader): void {
  writeMagic(builder);
  for (const bytes of header.texts) {
    if (header.layout === "current") builder.u32le(bytes.length);
    else builder.i64le(bytes.length);
    builder.raw(bytes);
  }
}

/** What stands before the frames of a Normal tape, texts as stored with their NUL. */
export interface NormalHeader {
  readonly meta: Uint8Array;
  readonly config: Uint8Array;
  /** A type or length of a container was wrong, and its text was found without it. */
  readonly isLengthWrong?: boolean | undefined;
}

// spec §3.2
export function readNormalHeader(cursor: ByteCursor): NormalHeader {
  const at = cursor.offset;
  if (cursor.u32le() !== ENDIAN_WORD) throw new LayoutError("malformed", "expected the endian word 0x11223344", at);
  const magic = readContainerHeader(cursor);
  readMagic(cursor);
  const meta = textIn(cursor, CONTAINER_META);
  const config = textIn(cursor, CONTAINER_CONFIG);
  const isLengthWrong = magic.type !== CONTAINER_MAGIC || magic.size !== MAGIC_BYTES || meta.isWrong || config.isWrong;
  return { meta: meta.bytes, config: config.bytes, isLengthWrong: isLengthWrong || undefined };
}
export function writeNormalHeader(builder: ByteBuilder, header: NormalHeader): void {
  builder.u32le(ENDIAN_WORD);
  writeContainerHeader(builder, { type: CONTAINER_MAGIC, size: MAGIC_BYTES });
  writeMagic(builder);
  writeContainerHeader(builder, { type: CONTAINER_META, size: header.meta.length });
  builder.raw(header.meta);
  writeContainerHeader(builder, { type: CONTAINER_CONFIG, size: header.config.length });
  builder.raw(header.config);
}

/** The property tree of a text with its NUL. `include` and `alias` are given to `notice` and never followed (spec §1). */
export function readTree(bytes: Uint8Array, notice?: (notice: PropertyNotice) => void): PropertyNode {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const decoded = TEXT.decode(bytes.subarray(0, end));
  return readProperties(decoded, notice === undefined ? {} : { notice });
}
/** The text of a tree as FlightGear writes it, with its NUL. */
export function writeTree(root: PropertyNode): Uint8Array {
  return new TextEncoder().encode(`${writeProperties(root)}\0`);
}

/** Text that FlightGear took from wherever: UTF-8 as a rule, what is not becomes U+FFFD. */
export const TEXT: TextDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What every tree text begins with, and what it ends with before its NUL (spec §1). */
const FIRST_TAG = new TextEncoder().encode("<?xml");
const LAST_TAG = new TextEncoder().encode("</PropertyList>");
const LINE_END = 0x0a;
/** Bytes in which a text is looked for behind a damaged container header. */
const NEARBY = 256;

interface FoundText {
  readonly bytes: Uint8Array;
  /** What stands before it is damaged, so that it was found without that. */
  readonly isWrong: boolean;
}

/** The text of the next container; one whose header is damaged is found by how it begins and ends. */
function textIn(cursor: ByteCursor, type: number): FoundText {
  const from = cursor.position;
  const found = cursor.u32le();
  const length = readLength(cursor);
  const start = beginsTree(cursor.bytes, cursor.position) ? cursor.position : startOfTree(cursor.bytes, from);
  if (start !== null) cursor.seek(start);
  const isMoved = cursor.position !== from + CONTAINER_HEADER_BYTES;
  const { bytes, isWrong } = text(cursor, isMoved ? 0 : length);
  return { bytes, isWrong: isWrong || isMoved || found !== type };
}

/** A u64 that may be damaged: inexact above 2^53. */
function readLength(cursor: ByteCursor): number {
  return cursor.u32le() + cursor.u32le() * 0x1_0000_0000;
}

/** A text of that length with its NUL; one whose length is wrong is taken up to where it ends. */
function text(cursor: ByteCursor, length: number): FoundText {
  const { bytes, position: start, end } = cursor;
  const isPossible = length <= MAX_TREE_BYTES && length <= end - start;
  const zero = bytes.indexOf(0, start);
  if (isPossible && zero === start + length - 1) return { bytes: cursor.view(length), isWrong: false };
  const found = endOfTree(bytes, start, end);
  if (found !== null && found !== start + length) return { bytes: cursor.view(found - start), isWrong: true };
  if (length > MAX_TREE_BYTES) throw new LayoutError("malformed", `header text of ${length} bytes`, cursor.offset);
  return { bytes: cursor.view(length), isWrong: false };
}

/** Where a tree begins close behind `from`; null where none does. */
function startOfTree(bytes: Uint8Array, from: number): number | null {
  for (let at = from; at < from + NEARBY; at++) if (beginsTree(bytes, at)) return at;
  return null;
}

/** Place behind the first NUL that follows a tree, or that should: a damaged one counts, too. */
function endOfTree(bytes: Uint8Array, start: number, end: number): number | null {
  for (let at = bytes.indexOf(LAST_TAG[0]!, start); at >= 0 && at < end; at = bytes.indexOf(LAST_TAG[0]!, at + 1)) {
    if (!isAt(bytes, at, LAST_TAG)) continue;
    const behind = at + LAST_TAG.length + (bytes[at + LAST_TAG.length] === LINE_END ? 1 : 0);
    return behind < end ? behind + 1 : null;
  }
  return null;
}

function beginsTree(bytes: Uint8Array, at: number): boolean {
  return isAt(bytes, at, FIRST_TAG);
}

function isAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  return expected.every((byte, i) => bytes[at + i] === byte);
}
