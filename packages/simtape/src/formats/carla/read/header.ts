import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import type { Reporter } from "../../../model/error.ts";
import {
  FRAME_START,
  FRAME_START_BYTES,
  type Header,
  MAGIC,
  PACKET_HEADER_BYTES,
  readHeader,
} from "../layout/layout.ts";
import { isFrameStart } from "./plausible.ts";

/** Where the length of the map's name stands, and the name (spec §2). */
const LENGTH_AT = 2 + 2 + MAGIC.length + 8;
const NAME_AT = LENGTH_AT + 2;
/** Where the length of the magic stands, and the magic. */
const MAGIC_LENGTH_AT = 2;
const MAGIC_AT = MAGIC_LENGTH_AT + 2;
/** A header with the longest name that its length can say: one small read. */
export const HEADER_BYTES: number = NAME_AT + 65535;

/** Bytes in which the first frame of a file must start for it to be recognised by that. */
const HEAD_BYTES = 4096;

export interface Beginning {
  readonly header: Header;
  /** Place of the first packet. */
  readonly begin: number;
  /** The bytes before it are what the header says. */
  readonly isSound: boolean;
}

/** How many letters of the magic stand where they should. */
export function matchingMagic(head: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < MAGIC.length; i++) if (head[MAGIC_AT + i] === MAGIC.charCodeAt(i)) count++;
  return count;
}

/** Where frame 1 starts, at time 0, near the beginning of a file; -1 when it does not. */
export function firstFrame(head: Uint8Array): number {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const last = Math.min(head.length, HEAD_BYTES) - PACKET_HEADER_BYTES - FRAME_START_BYTES;
  for (let at = head.indexOf(FRAME_START); at >= 0 && at <= last; at = head.indexOf(FRAME_START, at + 1)) {
    const payload = at + PACKET_HEADER_BYTES;
    if (head[at + 1] !== FRAME_START_BYTES || view.getUint32(at + 1, true) !== FRAME_START_BYTES) continue;
    const isFirst = view.getUint32(payload, true) === 1 && view.getFloat64(payload + 16, true) === 0;
    if (isFirst && isFrameStart(view, payload)) return at;
  }
  return -1;
}

/**
 * The header in `bytes`, the beginning of a file. When its last field has a wrong length, the name is as much of it as
 * can be read, and packets are looked for behind that; when the magic is damaged, it is what stands before the first
 * frame. Throws `LayoutError` when there is no header.
 */
export function findBegin(bytes: Uint8Array, report: Reporter): Beginning {
  const cursor = new ByteCursor(bytes);
  let failure: LayoutError | null = null;
  try {
    const header = readHeader(cursor);
    const isText = bytes.subarray(NAME_AT, cursor.position).every(isPrintable);
    if (isText || startsAt(bytes, cursor.position)) return { header, begin: cursor.position, isSound: true };
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    failure = error;
  }
  if (failure !== null && matchingMagic(bytes) < MAGIC.length) return beforeFrame(bytes, failure, report);
  let begin = NAME_AT;
  while (begin < bytes.length && isPrintable(bytes[begin]!)) begin++;
  if (failure !== null && begin >= bytes.length) throw failure;
  const [magic, name] = [lengthAt(bytes, MAGIC_LENGTH_AT), lengthAt(bytes, LENGTH_AT)];
  const isOfMagic = magic !== MAGIC.length && name === begin - NAME_AT;
  const message = isOfMagic
    ? `the magic should have ${MAGIC.length} bytes, and its length is ${magic}`
    : `the map's name should have ${name} bytes; ${begin - NAME_AT} are text`;
  const offset = isOfMagic ? MAGIC_LENGTH_AT : LENGTH_AT;
  report.report({ code: "bad-header", severity: "damage", message, offset, length: 2 });
  return { header: headerAt(bytes, LENGTH_AT, begin), begin, isSound: false };
}

/** What stands before the first frame, backwards: a name of as many bytes as the number before it says, the date. */
function beforeFrame(bytes: Uint8Array, failure: LayoutError, report: Reporter): Beginning {
  const first = firstFrame(bytes);
  const begin = first < 0 && bytes.length > NAME_AT && matchingMagic(bytes) > 0 ? NAME_AT : first;
  if (begin < 0) throw failure;
  const message = `the header's magic is damaged: ${failure.message}`;
  report.report({ code: "bad-header", severity: "damage", message, offset: 0, length: begin });
  for (let name = begin; name >= 10 && (name === begin || isPrintable(bytes[name]!)); name--) {
    if (lengthAt(bytes, name - 2) === begin - name)
      return { header: headerAt(bytes, name - 2, begin), begin, isSound: false };
  }
  return { header: { version: 1, magic: MAGIC, date: 0n, map: "" }, begin, isSound: false };
}

function lengthAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

/** The header whose last length stands at `lengthAt`, and whose name ends at `end`. */
function headerAt(bytes: Uint8Array, lengthAt: number, end: number): Header {
  const version = new ByteCursor(bytes).u16le();
  const date = new ByteCursor(bytes, lengthAt - 8).bigI64le();
  const map = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(lengthAt + 2, end));
  return { version: version === 2 ? 2 : 1, magic: MAGIC, date, map };
}

function isPrintable(byte: number): boolean {
  return byte >= 0x20;
}

function startsAt(bytes: Uint8Array, at: number): boolean {
  if (at + PACKET_HEADER_BYTES + FRAME_START_BYTES > bytes.length) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes[at] !== FRAME_START || view.getUint32(at + 1, true) !== FRAME_START_BYTES) return false;
  return isFrameStart(view, at + PACKET_HEADER_BYTES);
}
