import { LayoutError } from "../../../bytes/error.ts";

/**
 * Records of a ROS 1 bag, version 2.0 (<http://wiki.ros.org/Bags/Format/2.0>, spec §8). All
 * numbers are little-endian.
 */
export const BAG_MAGIC = "#ROSBAG V2.0\n";

/** Kinds of records, by their field `op`. */
export const BAG_OP: Readonly<Record<"message" | "header" | "index" | "chunk" | "chunkInfo" | "connection", number>> = {
  message: 2,
  header: 3,
  index: 4,
  chunk: 5,
  chunkInfo: 6,
  connection: 7,
};

/** The longest header of a record: that of the file is 4096 bytes with its padding, all others are short. */
export const LONGEST_HEADER: number = 1 << 16;

/** Fields of a header by their names. */
export type BagFields = ReadonlyMap<string, Uint8Array>;

/** A record whose header is in `bytes`; the data may reach beyond them. */
export interface BagRecord {
  readonly op: number;
  readonly fields: BagFields;
  /** Where the data begin, in the same bytes. */
  readonly start: number;
  /** Bytes of data. */
  readonly length: number;
}

const NAME = new TextDecoder("latin1");

/** The record that begins at `at`; null where none does, or its header is not wholly there. */
export function recordAt(bytes: Uint8Array, at: number): BagRecord | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (at + 4 > bytes.length) return null;
  const size = view.getUint32(at, true);
  const end = at + 4 + size;
  if (size > LONGEST_HEADER || end + 4 > bytes.length) return null;
  const fields = fieldsIn(bytes, at + 4, end);
  const op = fields?.get("op");
  if (fields === null || op?.length !== 1 || !isWhole(op[0]!, fields)) return null;
  return { op: op[0]!, fields, start: end + 4, length: view.getUint32(end, true) };
}

/** Fields `u32 length, name=value` that fill a range; null where they do not. */
export function fieldsIn(bytes: Uint8Array, from: number, end: number): BagFields | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = new Map<string, Uint8Array>();
  for (let at = from; at < end; ) {
    if (at + 4 > end) return null;
    const length = view.getUint32(at, true);
    const next = at + 4 + length;
    if (next > end) return null;
    const equals = bytes.subarray(at + 4, next).indexOf(0x3d);
    if (equals < 1) return null;
    fields.set(NAME.decode(bytes.subarray(at + 4, at + 4 + equals)), bytes.subarray(at + 5 + equals, next));
    at = next;
  }
  return fields;
}

/** Fields that a record must have, with their sizes; null: of any size. */
const NEEDED: Readonly<Record<number, readonly (readonly [name: string, size: number | null])[]>> = {
  [BAG_OP.message]: [
    ["conn", 4],
    ["time", 8],
  ],
  [BAG_OP.header]: [
    ["index_pos", 8],
    ["conn_count", 4],
    ["chunk_count", 4],
  ],
  [BAG_OP.index]: [
    ["conn", 4],
    ["count", 4],
  ],
  [BAG_OP.chunk]: [
    ["compression", null],
    ["size", 4],
  ],
  [BAG_OP.chunkInfo]: [
    ["chunk_pos", 8],
    ["count", 4],
  ],
  [BAG_OP.connection]: [
    ["conn", 4],
    ["topic", null],
  ],
};

function isWhole(op: number, fields: BagFields): boolean {
  const needed = NEEDED[op];
  if (needed === undefined) return false;
  return needed.every(([name, size]) => fields.has(name) && (size === null || fields.get(name)!.length === size));
}

/** A number of 4 bytes in a field. */
export function numberOf(fields: BagFields, name: string, at = 0): number {
  const bytes = fields.get(name);
  if (bytes === undefined || bytes.length < at + 4) throw new LayoutError("malformed", `a record without ${name}`, 0);
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
}

const UTF8 = new TextDecoder();

/** Text of a field; empty where there is none. */
export function textOf(fields: BagFields, name: string): string {
  return UTF8.decode(fields.get(name));
}
