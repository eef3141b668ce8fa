import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { TEXT } from "./layout.ts";
import { MULTIPLAYER_PROPERTIES } from "./multiplayer-table.ts";

/** First word of each packet (spec §5.1). */
export const PACKET_MAGIC = 0x46474653;
export const PACKET_VERSION = 0x00010001;
/** Message id of packets with a position; 1 was chat, 2 to 6 and 8 are ignored (spec §5.1). */
export const MESSAGE_POSITION = 7;
export const PACKET_HEADER_BYTES = 32;
/** Where the property list begins: the shortest packet with a position (spec §5.2). */
export const PROPERTIES_AT = 232;
/** Pad word of protocol 2; in protocol 1 it is 0 (spec §5.2). */
export const PROTOCOL_2 = 0x1face002;
const MODEL_BYTES = 96;
const CALLSIGN_BYTES = 8;
/** Longest text in a long entry (spec §5.3). */
const MAX_LONG_TEXT = 768;

/** The first 32 bytes of a packet. On a tape five words are little-endian, the rest as on the wire (spec §5.1). */
export interface PacketHeader {
  readonly version: number;
  readonly messageId: number;
  /** As the packet says. */
  readonly length: number;
  readonly reserved: number;
  /** Requested range, nautical miles. */
  readonly range: number;
  readonly replyPort: number;
  /** 8 bytes, NUL padded. */
  readonly callsign: Uint8Array;
}

/** Where an aircraft is and how it moves (spec §5.2). Arrays are filled bit by bit. */
export interface PositionBlock {
  /** Path of the 3D model, 96 bytes, NUL padded. */
  readonly model: Uint8Array;
  /** Protocol clock s, lag s, position x, y, z m (earth-centred, earth-fixed). */
  readonly doubles: Float64Array;
  /**
   * Three each: orientation (rotation vector rad, earth-fixed to body), velocity m/s, angular velocity rad/s,
   * acceleration m/s², angular acceleration rad/s², these four along body axes.
   */
  readonly floats: Float32Array;
  /** 0 for protocol 1, `PROTOCOL_2` for protocol 2. */
  readonly pad: number;
}

/** One entry of the property list (spec §5.3). */
export interface PropertyEntry {
  readonly id: number;
  readonly isShort: boolean;
  /** The number as stored: 16 bits signed in a short entry, 32 bits unsigned in a long one; the length of a text. */
  readonly bits: number;
  /** Bytes of a text; null for numbers. */
  readonly text: Uint8Array | null;
}

/** A packet as far as it can be read. */
export interface Packet {
  /** Null when these bytes are no packet of this protocol: whatever arrives is recorded (spec §5). */
  readonly header: PacketHeader | null;
  /** Null in packets of other kinds. */
  readonly position: PositionBlock | null;
  readonly entries: readonly PropertyEntry[];
  /** What follows the last entry that could be read; all bytes when there is no header. */
  readonly rest: Uint8Array;
}

/** Reads up to the end of the cursor; never throws, what is not understood is in `rest`. */
export function readPacket(cursor: ByteCursor): Packet {
  const start = cursor.position;
  if (!isPacket(cursor.bytes, start, cursor.end)) {
    return { header: null, position: null, entries: [], rest: cursor.view(cursor.remaining) };
  }
  const header = readPacketHeader(cursor);
  if (header.messageId !== MESSAGE_POSITION || cursor.end - start < PROPERTIES_AT) {
    return { header, position: null, entries: [], rest: cursor.view(cursor.remaining) };
  }
  const position = readPositionBlock(cursor);
  const entries: PropertyEntry[] = [];
  for (let entry = readEntry(cursor); entry !== null; entry = readEntry(cursor)) entries.push(entry);
  return { header, position, entries, rest: cursor.view(cursor.remaining) };
}
export function writePacket(builder: ByteBuilder, packet: Packet): void {
  if (packet.header !== null) writePacketHeader(builder, packet.header);
  if (packet.position !== null) writePositionBlock(builder, packet.position);
  for (const entry of packet.entries) writeEntry(builder, entry);
  builder.raw(packet.rest);
}

/** Whether a packet of this protocol begins at `start`. */
export function isPacket(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    end - start >= PACKET_HEADER_BYTES &&
    bytes[start] === 0x53 &&
    bytes[start + 1] === 0x46 &&
    bytes[start + 2] === 0x47 &&
    bytes[start + 3] === 0x46
  );
}

export function readPacketHeader(cursor: ByteCursor): PacketHeader {
  cursor.skip(4);
  return {
    version: cursor.u32le(),
    messageId: cursor.u32le(),
    length: cursor.u32le(),
    reserved: cursor.i16be(),
    range: cursor.i16be(),
    replyPort: cursor.u32le(),
    callsign: cursor.view(CALLSIGN_BYTES),
  };
}
export function writePacketHeader(builder: ByteBuilder, header: PacketHeader): void {
  builder.u32le(PACKET_MAGIC).u32le(header.version).u32le(header.messageId).u32le(header.length);
  builder.i16be(header.reserved).i16be(header.range).u32le(header.replyPort).raw(header.callsign);
}

export function readPositionBlock(cursor: ByteCursor): PositionBlock {
  const model = cursor.view(MODEL_BYTES);
  const doubles = new Float64Array(5);
  const high = new Uint32Array(doubles.buffer);
  // Words are copied as bits, so that no NaN is changed; typed arrays are little-endian wherever JavaScript runs.
  for (let i = 0; i < 5; i++) {
    high[2 * i + 1] = cursor.u32be();
    high[2 * i] = cursor.u32be();
  }
  const floats = new Float32Array(15);
  const bits = new Uint32Array(floats.buffer);
  for (let i = 0; i < 15; i++) bits[i] = cursor.u32be();
  return { model, doubles, floats, pad: cursor.u32be() };
}
export function writePositionBlock(builder: ByteBuilder, position: PositionBlock): void {
  builder.raw(position.model);
  const high = new Uint32Array(position.doubles.slice().buffer);
  for (let i = 0; i < 5; i++) builder.u32be(high[2 * i + 1]!).u32be(high[2 * i]!);
  for (const bits of new Uint32Array(position.floats.slice().buffer)) builder.u32be(bits);
  builder.u32be(position.pad);
}

/** The next entry; null, and the cursor where it was, when there is none that can be read. */
export function readEntry(cursor: ByteCursor): PropertyEntry | null {
  if (cursor.remaining < 4) return null;
  const at = cursor.position;
  const entry = entryAt(cursor);
  if (entry === null) cursor.seek(at);
  return entry;
}
export function writeEntry(builder: ByteBuilder, entry: PropertyEntry): void {
  const { id, isShort, bits, text } = entry;
  if (isShort) {
    builder.u16be(id).i16be(bits);
    if (text !== null) builder.raw(text);
    return;
  }
  builder.u32be(id).u32be(bits);
  if (text === null) return;
  for (const byte of text) builder.u32be(byte);
  builder.zeros(4 * paddingOf(text.length));
}

/**
 * Moves to the entry `id` of the property list at the cursor, past those before it, which are not read. False: there is
 * none, or none that can be reached.
 */
export function findEntry(cursor: ByteCursor, id: number): boolean {
  while (cursor.remaining >= 4) {
    const at = cursor.position;
    const word = cursor.u32be();
    const isShort = word > 0xffff;
    const found = isShort ? word >>> 16 : word;
    if (found === id) {
      cursor.seek(at);
      return true;
    }
    const type = MULTIPLAYER_PROPERTIES.get(found)?.type;
    if (type === undefined) return false;
    let bytes = isShort ? 0 : 4;
    if (type === "string") {
      if (!isShort && cursor.remaining < 4) return false;
      const length = isShort ? (word << 16) >> 16 : cursor.u32be();
      bytes = isShort ? length : 4 * (length + paddingOf(length));
    }
    if (bytes < 0 || bytes > cursor.remaining) return false;
    cursor.skip(bytes);
  }
  return false;
}

// spec §5.3: the upper half of the first word is the id of a short entry, or 0 before a long one
function entryAt(cursor: ByteCursor): PropertyEntry | null {
  const word = cursor.u32be();
  const isShort = word > 0xffff;
  const id = isShort ? word >>> 16 : word;
  const property = MULTIPLAYER_PROPERTIES.get(id);
  if (property === undefined) return null;
  if (property.type !== "string") {
    if (isShort) return { id, isShort, bits: (word << 16) >> 16, text: null };
    return cursor.remaining < 4 ? null : { id, isShort, bits: cursor.u32be(), text: null };
  }
  if (isShort) {
    const length = (word << 16) >> 16;
    if (length < 0 || length > cursor.remaining) return null;
    return { id, isShort, bits: length, text: cursor.view(length) };
  }
  if (cursor.remaining < 4) return null;
  const length = cursor.u32be();
  const padding = paddingOf(length);
  if (length > MAX_LONG_TEXT || cursor.remaining < 4 * (length + padding)) return null;
  const text = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const character = cursor.u32be();
    if (character > 0xff) return null;
    text[i] = character;
  }
  for (let i = 0; i < padding; i++) if (cursor.u32be() !== 0) return null;
  return { id, isShort, bits: length, text };
}

function paddingOf(length: number): number {
  return (4 - (length % 4)) % 4;
}

/** Text up to the first NUL. */
export function paddedText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return TEXT.decode(end < 0 ? bytes : bytes.subarray(0, end));
}

/** `text` as NUL-padded bytes, its last byte always NUL. */
export function padText(text: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(new TextEncoder().encode(text).subarray(0, length - 1));
  return bytes;
}

/** What launchbar states 0 to 3 are called (spec §5.3). */
const LAUNCHBAR = ["Engaged", "Launching", "Completed", "Disengaged"] as const;
const LAUNCHBAR_STATE_VALUE = 120;
const LAUNCHBAR_STATE = 108;
/** Booleans that one entry may hold (spec §5.3). */
const BITS = 31;

/** Hands the properties an entry sets to `put`: as a rule one, of a bit entry up to 31. */
export function entryValues(entry: PropertyEntry, put: (path: string, value: number | boolean | string) => void): void {
  const { id, isShort, bits } = entry;
  const property = MULTIPLAYER_PROPERTIES.get(id);
  if (property === undefined) return;
  if (property.wire === "bits" && !isShort) {
    for (let k = 0; k < BITS; k++) {
      const flag = MULTIPLAYER_PROPERTIES.get(id + k);
      if (flag?.wire === "bits") put(flag.path, ((bits >>> k) & 1) === 1);
    }
    return;
  }
  switch (property.type) {
    case "string":
      put(property.path, TEXT.decode(entry.text ?? new Uint8Array(0)));
      return;
    case "bool":
      put(property.path, bits !== 0);
      return;
    case "int":
      put(property.path, bits | 0);
      if (id === LAUNCHBAR_STATE_VALUE && LAUNCHBAR[bits] !== undefined) {
        put(MULTIPLAYER_PROPERTIES.get(LAUNCHBAR_STATE)!.path, LAUNCHBAR[bits]);
      }
      return;
    case "float":
      put(property.path, isShort ? bits / property.scale : floatOf(bits));
      return;
    default:
      property.type satisfies never;
  }
}

/**
 * The entry that says `value` of property `id`, as a program of that protocol sends it (spec §5.3): protocol 2 cuts
 * scaled numbers toward zero and to ±32767. Throws `RangeError` for an id that is not in the table.
 */
export function entryOf(id: number, value: number | boolean | string, protocol: 1 | 2): PropertyEntry {
  const property = MULTIPLAYER_PROPERTIES.get(id);
  if (property === undefined) throw new RangeError(`no multiplayer property ${id}`);
  if (property.type === "string") {
    const text = new TextEncoder().encode(String(value));
    return { id, isShort: protocol === 2 && text.length > 0, bits: text.length, text };
  }
  const number = Number(value);
  if (protocol === 2 && property.wire === "short") {
    const scaled = Math.trunc(property.type === "float" ? number * property.scale : number);
    return { id, isShort: true, bits: Math.max(-32767, Math.min(32767, scaled)), text: null };
  }
  const bits = property.type === "float" ? bitsOf(number) : number >>> 0;
  return { id, isShort: false, bits, text: null };
}

const SCRATCH = new DataView(new ArrayBuffer(4));
function floatOf(bits: number): number {
  SCRATCH.setUint32(0, bits);
  return SCRATCH.getFloat32(0);
}
function bitsOf(value: number): number {
  SCRATCH.setFloat32(0, value);
  return SCRATCH.getUint32(0);
}
