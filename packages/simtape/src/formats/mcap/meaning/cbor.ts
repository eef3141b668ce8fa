import type { TagDecoder } from "cborg/interface";
import { LayoutError } from "../../../bytes/error.ts";
import { exact } from "../../../bytes/field-parts.ts";
import type { Value } from "../../../model/values/value.ts";
import type { Decode } from "./schema.ts";

/** How deep values may nest. */
const DEPTH = 128;

/**
 * Decodes CBOR (RFC 8949, spec §6). Maps are objects whose keys are texts or numbers, `undefined` is null; a typed array (RFC 8746)
 * is one where there is one for its numbers, else a list. Other tags are left out, but what they are about is kept.
 */
export async function cborDecoder(): Promise<Decode> {
  const { decode } = await import("cborg");
  return (payload) => {
    let value: unknown;
    try {
      value = decode(payload, { useMaps: true, tags: TAGS });
    } catch (error) {
      // the library throws plain errors, of any kind
      const why = error instanceof Error ? error.message : String(error);
      throw new LayoutError("malformed", `the payload is no CBOR: ${why}`, 0);
    }
    return plain(value, DEPTH);
  };
}

/** What the library gives, as a value: it has maps where objects may stand. */
function plain(value: unknown, depth: number): Value {
  if (depth === 0) throw new LayoutError("malformed", "CBOR nested too deep", 0);
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") return exact(value);
  if (Array.isArray(value)) return value.map((item) => plain(item, depth - 1));
  if (!(value instanceof Map)) return value as Value;
  const object: { [key: string]: Value } = {};
  for (const [key, item] of value as Map<unknown, unknown>) {
    const name = nameOf(key);
    if (name === "__proto__") Object.defineProperty(object, name, { value: plain(item, depth - 1), enumerable: true });
    else object[name] = plain(item, depth - 1);
  }
  return object;
}

/** Names of members are texts; a number is its digits. */
function nameOf(key: unknown): string {
  if (typeof key === "string") return key;
  if (typeof key === "number" || typeof key === "bigint" || typeof key === "boolean") return `${key}`;
  throw new LayoutError("malformed", "a key of CBOR that is no text and no number", 0);
}

type Numbers = (view: DataView, length: number, isLittle: boolean) => Value;

/** Kinds of numbers of a typed array, by the bits of its tag without the byte order: bytes of each, and how they are read. */
const KINDS: Readonly<Record<number, readonly [size: number, read: Numbers]>> = {
  64: [1, (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength)],
  65: [2, (view, length, is) => Uint16Array.from({ length }, (_, i) => view.getUint16(2 * i, is))],
  66: [4, (view, length, is) => Uint32Array.from({ length }, (_, i) => view.getUint32(4 * i, is))],
  67: [8, (view, length, is) => Array.from({ length }, (_, i) => exact(view.getBigUint64(8 * i, is)))],
  72: [1, (view, length) => Array.from({ length }, (_, i) => view.getInt8(i))],
  73: [2, (view, length, is) => Array.from({ length }, (_, i) => view.getInt16(2 * i, is))],
  74: [4, (view, length, is) => Int32Array.from({ length }, (_, i) => view.getInt32(4 * i, is))],
  75: [8, (view, length, is) => Array.from({ length }, (_, i) => exact(view.getBigInt64(8 * i, is)))],
  81: [4, (view, length, is) => Float32Array.from({ length }, (_, i) => view.getFloat32(4 * i, is))],
  82: [8, (view, length, is) => Float64Array.from({ length }, (_, i) => view.getFloat64(8 * i, is))],
};

/** Decoders by their tags; the library asks for one it does not have by any number. */
const TAGS = new Proxy<Record<number, TagDecoder>>({}, { get: (_, tag) => decoderOf(Number(tag)) });

const keep: TagDecoder = (decode) => decode() as unknown;
const natural: TagDecoder = (decode) => bigOf(decode());
const negative: TagDecoder = (decode) => -1n - BigInt(bigOf(decode()));
const numbers = new Map<number, TagDecoder>();
for (const [tag, [size, read]] of Object.entries(KINDS)) {
  for (const order of [0, 4]) {
    const isLittle = order === 4;
    numbers.set(Number(tag) | order, (decode) => {
      const bytes = decode() as unknown;
      if (!(bytes instanceof Uint8Array) || bytes.length % size !== 0) return bytes;
      return read(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes.length / size, isLittle);
    });
  }
}

function decoderOf(tag: number): TagDecoder {
  if (tag === 2) return natural;
  if (tag === 3) return negative;
  return numbers.get(tag) ?? keep;
}

/** A natural number of any length, its highest byte first. */
function bigOf(bytes: unknown): bigint {
  if (!(bytes instanceof Uint8Array) || bytes.length > 1024) return 0n;
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}
