import { ByteBuilder } from "../bytes/builder.ts";
import { ByteCursor } from "../bytes/cursor.ts";
import { LayoutError } from "../bytes/error.ts";
import { readVarint, writeVarint } from "../bytes/varint.ts";

/** How a field's value is laid out; the low three bits of a tag. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

/** Reads a field's tag: `tag >>> 3` is the field number, `tag & 7` the wire type. */
export function readTag(cursor: ByteCursor): number {
  const at = cursor.offset;
  const tag = readVarint(cursor, 5);
  if (tag > 0xffff_ffff || tag < 8) throw new LayoutError("malformed", "protobuf field number out of range", at);
  if ((tag & 7) > 5) throw new LayoutError("malformed", `protobuf wire type ${tag & 7}`, at);
  return tag >>> 0;
}

/** Skips the value that follows `tag`; groups nest at most `depth` deep. */
export function skipField(cursor: ByteCursor, tag: number, depth = 100): void {
  switch (tag & 7) {
    case WIRE.varint:
      skipVarint(cursor);
      return;
    case WIRE.fixed64:
      cursor.skip(8);
      return;
    case WIRE.bytes:
      cursor.skip(readLength(cursor));
      return;
    case WIRE.fixed32:
      cursor.skip(4);
      return;
    case WIRE.groupStart:
      if (depth <= 0) throw new LayoutError("malformed", "protobuf groups nested too deep", cursor.offset);
      for (;;) {
        const inner = readTag(cursor);
        if ((inner & 7) !== WIRE.groupEnd) skipField(cursor, inner, depth - 1);
        else if (inner >>> 3 === tag >>> 3) return;
        else throw new LayoutError("malformed", "protobuf group ended by another field", cursor.offset);
      }
    default:
      throw new LayoutError("malformed", "protobuf group end without its start", cursor.offset);
  }
}

/** Throws unless `tag` has the wire type `wire`. */
export function expectWire(cursor: ByteCursor, tag: number, wire: number): void {
  if ((tag & 7) === wire) return;
  throw new LayoutError(
    "malformed",
    `protobuf field ${tag >>> 3} has wire type ${tag & 7}, not ${wire}`,
    cursor.offset,
  );
}

/** A length that is not beyond what is left. */
export function readLength(cursor: ByteCursor): number {
  const at = cursor.offset;
  const length = readVarint(cursor);
  if (length > cursor.remaining) {
    throw new LayoutError("truncated", `protobuf field of ${length} bytes, ${cursor.remaining} are left`, at);
  }
  return length;
}

/** The length-delimited value as a view; it shares memory with the cursor's bytes. */
export function readBytes(cursor: ByteCursor): Uint8Array {
  return cursor.view(readLength(cursor));
}

/** The length-delimited value as strict UTF-8. */
export function readString(cursor: ByteCursor): string {
  return cursor.utf8(readLength(cursor));
}

/** A cursor over the embedded message that follows; `cursor` stands behind it. */
export function readMessage(cursor: ByteCursor): ByteCursor {
  const length = readLength(cursor);
  const start = cursor.position;
  cursor.skip(length);
  return new ByteCursor(cursor.bytes, start, start + length, cursor.origin);
}

/** A `uint32`, or an enum: the low 32 bits of the varint, as protobuf has it. */
export function readUint32(cursor: ByteCursor): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = cursor.u8();
    if (shift < 35) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value >>> 0;
    if (shift === 63) throw new LayoutError("malformed", "varint is longer than 10 bytes", cursor.offset);
  }
}

/** An `int32`; negative ones take ten bytes on the wire. */
export function readInt32(cursor: ByteCursor): number {
  return readUint32(cursor) | 0;
}

/** A `bool`: any bit set is true. */
export function readBool(cursor: ByteCursor): boolean {
  let set = 0;
  for (let count = 1; ; count++) {
    const byte = cursor.u8();
    set |= byte & 0x7f;
    if (byte < 0x80) return set !== 0;
    if (count === 10) throw new LayoutError("malformed", "varint is longer than 10 bytes", cursor.offset);
  }
}

/**
 * All values of the repeated float field `field` in the message that `cursor` covers, packed or not, in order; other
 * fields are skipped. The array is the caller's own.
 */
export function readFloats(cursor: ByteCursor, field: number): Float32Array<ArrayBuffer> {
  const { bytes, values } = gather(cursor, field, WIRE.fixed32, 4);
  if (LITTLE_ENDIAN) return new Float32Array(bytes.buffer);
  const view = new DataView(bytes.buffer);
  return new Float32Array(values).map((_, i) => view.getFloat32(i * 4, true));
}

/** As `readFloats`, for a repeated double field. */
export function readDoubles(cursor: ByteCursor, field: number): Float64Array<ArrayBuffer> {
  const { bytes, values } = gather(cursor, field, WIRE.fixed64, 8);
  if (LITTLE_ENDIAN) return new Float64Array(bytes.buffer);
  const view = new DataView(bytes.buffer);
  return new Float64Array(values).map((_, i) => view.getFloat64(i * 8, true));
}

/** As `readFloats`, for a repeated uint32 field. */
export function readUint32s(cursor: ByteCursor, field: number): Uint32Array<ArrayBuffer> {
  const { bytes, values } = gather(cursor, field, WIRE.varint, 1);
  cursor.claim(values * 4);
  const result = new Uint32Array(values);
  let at = 0;
  for (let i = 0; i < values; i++) {
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!;
      if (shift < 35) value |= (byte & 0x7f) << shift;
    }
    result[i] = value;
  }
  return result;
}

/** Writes a field's tag. */
export function writeTag(builder: ByteBuilder, field: number, wire: number): void {
  writeVarint(builder, field * 8 + wire);
}

/** A `uint32`, `uint64` or enum field of a non-negative safe integer. */
export function writeVarintField(builder: ByteBuilder, field: number, value: number): void {
  writeTag(builder, field, WIRE.varint);
  writeVarint(builder, value);
}

/** A `bool` field. */
export function writeBoolField(builder: ByteBuilder, field: number, value: boolean): void {
  writeVarintField(builder, field, value ? 1 : 0);
}

/** A `double` field. */
export function writeDoubleField(builder: ByteBuilder, field: number, value: number): void {
  writeTag(builder, field, WIRE.fixed64);
  builder.f64le(value);
}

/** A `float` field. */
export function writeFloatField(builder: ByteBuilder, field: number, value: number): void {
  writeTag(builder, field, WIRE.fixed32);
  builder.f32le(value);
}

/** A `bytes` field, or an embedded message that is already encoded. */
export function writeBytesField(builder: ByteBuilder, field: number, value: Uint8Array): void {
  writeTag(builder, field, WIRE.bytes);
  writeVarint(builder, value.length);
  builder.raw(value);
}

/** A `string` field. */
export function writeStringField(builder: ByteBuilder, field: number, value: string): void {
  writeBytesField(builder, field, UTF8.encode(value));
}

/** An embedded message, its content written by `write`. */
export function writeMessageField(builder: ByteBuilder, field: number, write: (builder: ByteBuilder) => void): void {
  const inner = new ByteBuilder();
  write(inner);
  writeBytesField(builder, field, inner.take());
}

/** A packed repeated float field; an empty one is written as a field of length 0. */
export function writeFloatsField(builder: ByteBuilder, field: number, values: Float32Array): void {
  writeTag(builder, field, WIRE.bytes);
  writeVarint(builder, values.length * 4);
  if (LITTLE_ENDIAN) builder.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  else for (const value of values) builder.f32le(value);
}

/** As `writeFloatsField`, for doubles. */
export function writeDoublesField(builder: ByteBuilder, field: number, values: Float64Array): void {
  writeTag(builder, field, WIRE.bytes);
  writeVarint(builder, values.length * 8);
  if (LITTLE_ENDIAN) builder.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  else for (const value of values) builder.f64le(value);
}

/** As `writeFloatsField`, for uint32. */
export function writeUint32sField(builder: ByteBuilder, field: number, values: Uint32Array): void {
  const inner = new ByteBuilder(values.length * 2);
  for (const value of values) writeVarint(inner, value);
  writeBytesField(builder, field, inner.take());
}

const UTF8 = new TextEncoder();
const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** The bytes of all values of a field, joined in a buffer of their own, and how many values they are. */
interface Gathered {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly values: number;
}

function gather(cursor: ByteCursor, field: number, wire: number, size: number): Gathered {
  const start = cursor.position;
  let total = 0;
  let values = 0;
  while (cursor.remaining > 0) {
    const length = nextRun(cursor, field, wire, size);
    total += length;
    values += wire === WIRE.varint ? countVarints(cursor, length) : length / size;
  }
  const bytes = new Uint8Array(total);
  cursor.seek(start);
  for (let at = 0; cursor.remaining > 0; ) {
    const length = nextRun(cursor, field, wire, size);
    if (length > 0) bytes.set(cursor.bytes.subarray(cursor.position - length, cursor.position), at);
    at += length;
  }
  return { bytes, values };
}

/** Passes one field; gives how many of the bytes just passed are values of `field`, 0 for another field. */
function nextRun(cursor: ByteCursor, field: number, wire: number, size: number): number {
  const tag = readTag(cursor);
  if (tag >>> 3 !== field) {
    skipField(cursor, tag);
    return 0;
  }
  if ((tag & 7) === WIRE.bytes) {
    const at = cursor.offset;
    const length = readLength(cursor);
    if (length % size !== 0)
      throw new LayoutError("malformed", `packed field of ${length} bytes, not times ${size}`, at);
    cursor.skip(length);
    return length;
  }
  expectWire(cursor, tag, wire);
  const before = cursor.position;
  skipField(cursor, tag);
  return cursor.position - before;
}

/** All that is left, as values of a packed field. Throws `LayoutError` where one does not end. */
export function readPackedUint32s(cursor: ByteCursor): Uint32Array {
  const start = cursor.position;
  const length = cursor.remaining;
  cursor.skip(length);
  const count = countVarints(cursor, length);
  cursor.seek(start);
  cursor.claim(count * Uint32Array.BYTES_PER_ELEMENT);
  const values = new Uint32Array(count);
  for (let n = 0; n < count; n++) values[n] = readUint32(cursor);
  return values;
}

/** How many varints the `length` bytes before the cursor are. */
function countVarints(cursor: ByteCursor, length: number): number {
  const end = cursor.position;
  const bytes = cursor.bytes;
  let count = 0;
  let run = 0;
  for (let i = end - length; i < end; i++) {
    run++;
    if (bytes[i]! < 0x80) {
      count++;
      run = 0;
    } else if (run === 10) {
      throw new LayoutError("malformed", "varint is longer than 10 bytes", cursor.origin + i);
    }
  }
  if (run > 0) throw new LayoutError("malformed", "packed field ends inside a varint", cursor.offset);
  return count;
}

function skipVarint(cursor: ByteCursor): void {
  const at = cursor.offset;
  for (let count = 1; cursor.u8() >= 0x80; count++) {
    if (count === 10) throw new LayoutError("malformed", "varint is longer than 10 bytes", at);
  }
}
