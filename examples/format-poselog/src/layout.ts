import type { ByteBuilder, ByteCursor, FlatLayout, Kit, Walk } from "simtape/kit";

/** The first bytes of a log. The README has the whole layout; all numbers are little-endian. */
export const MAGIC = "POSELOG1";
/** As long as a header can be: magic, dialect, epoch, and the title with its length. */
export const HEADER_MOST: number = 8 + 1 + 8 + 2 + 0xffff;

/** Forms of rotations, by their codes. */
export const DIALECTS = ["quaternion", "euler"] as const;
export type Dialect = (typeof DIALECTS)[number];

export interface Header {
  readonly dialect: Dialect;
  /** Unix nanoseconds at time 0; 0 when it is not known. */
  readonly epoch: bigint;
  readonly title: string;
}

/** Ids of the channels, and kinds of records. */
export const POSE = 0;
export const GONE = 1;
export const CHANNELS = ["pose", "gone"] as const;

/** Bytes before and behind the payload of a record: its kind and time; its checksum. */
const BEFORE = 1 + 8;
const BEHIND = 4;

/** Position and rotation of a thing. */
export type Pose = {
  readonly thing: number;
  /** Metres: x, y (up), z. */
  readonly position: readonly number[];
  /** Quaternion x, y, z, w; or roll, pitch, yaw in degrees. NaN: not known. */
  readonly rotation: readonly number[];
};

/** A thing is gone. */
export type Gone = { readonly thing: number };

/** Throws `LayoutError` when it is damaged. */
export function readHeader(kit: Kit, cursor: ByteCursor): Header {
  cursor.skip(MAGIC.length);
  const dialect = DIALECTS[cursor.u8()];
  if (dialect === undefined) throw new kit.LayoutError("malformed", "a dialect that is not known", MAGIC.length);
  return { dialect, epoch: cursor.bigI64le(), title: cursor.utf8(cursor.u16le()) };
}

export function writeHeader(builder: ByteBuilder, { dialect, epoch, title }: Header): void {
  const text = new TextEncoder().encode(title);
  if (text.length > 0xffff) throw new RangeError("a title has 65,535 bytes at most");
  builder.utf8(MAGIC).u8(DIALECTS.indexOf(dialect)).bigI64le(epoch).u16le(text.length).raw(text);
}

/** Numbers of a rotation. */
export function rotationWidth(dialect: Dialect): number {
  return dialect === "quaternion" ? 4 : 3;
}

/** Bytes of the payload of a kind of record; NaN: there is no such kind. */
function payloadBytes(kind: number | undefined, dialect: Dialect): number {
  return kind === POSE ? 4 + 8 * (3 + rotationWidth(dialect)) : kind === GONE ? 4 : Number.NaN;
}

export function readPose(cursor: ByteCursor, dialect: Dialect): Pose {
  const numbers = (count: number): number[] => Array.from({ length: count }, () => cursor.f64le());
  return { thing: cursor.u32le(), position: numbers(3), rotation: numbers(rotationWidth(dialect)) };
}

export function writePose(builder: ByteBuilder, { thing, position, rotation }: Pose): void {
  builder.u32le(thing);
  for (const number of [...position, ...rotation]) builder.f64le(number);
}

/** Makes a function that writes records. It throws `RangeError` for a time or a payload that no record can have. */
export function recordWriter(kit: Kit, dialect: Dialect) {
  return (builder: ByteBuilder, kind: number, time: number, payload: Uint8Array): void => {
    if (!Number.isSafeInteger(time) || time < 0) throw new RangeError(`a pose log begins at 0: ${time} ns`);
    if (payload.length !== payloadBytes(kind, dialect))
      throw new RangeError(`no record has these ${payload.length} bytes`);
    const record = new kit.ByteBuilder(BEFORE + payload.length).u8(kind).i64le(time).raw(payload).take();
    builder.raw(record).u32le(kit.crc32(record));
  };
}

/** Finds records and damage in a window of the bytes. */
export function layoutOf({ crc32 }: Kit, dialect: Dialect): FlatLayout {
  /** Length of the record at a place; 0: it continues behind the window; -1: no record begins there. */
  const soundAt = (walk: Walk, at: number): number => {
    const length = BEFORE + payloadBytes(walk.bytes[at], dialect) + BEHIND;
    const fits = Number.isNaN(length) ? -1 : walk.fits(at, length);
    if (fits !== 1) return fits;
    const end = at + length - BEHIND;
    return crc32(walk.bytes.subarray(at, end)) === walk.view.getUint32(end, true) ? length : -1;
  };
  return {
    walk(walk) {
      let at = walk.start;
      while (at < walk.end) {
        const length = soundAt(walk, at);
        if (length === 0) return at;
        if (length > 0) {
          const kind = walk.bytes[at]!;
          const time = walk.view.getUint32(at + 1, true) + walk.view.getUint32(at + 5, true) * 2 ** 32;
          walk.record(CHANNELS[kind]!, at, at + length);
          walk.message(time, kind, at + BEFORE, at + length - BEHIND);
          at += length;
          continue;
        }
        let next = at + 1;
        while (next < walk.end && soundAt(walk, next) < 0) next++;
        const isEnd = walk.origin + next === walk.limit;
        const message = isEnd ? "the last record is cut off or damaged" : "bytes that are no record";
        walk.damage(at, next, { code: isEnd ? "truncated" : "damaged-bytes", severity: "damage", message });
        at = next;
      }
      return at;
    },
  };
}
