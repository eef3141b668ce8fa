import { ByteBuilder } from "../../../bytes/builder.ts";
import type { Value } from "../../../model/values/value.ts";

/** A value as a tape holds it: type name and bytes, numbers in little endian. */
export interface EncodedValue {
  readonly type: string;
  readonly payload: Uint8Array;
}

const INT64 = [-(2n ** 63n), 2n ** 63n] as const;
const UINT64 = 2n ** 64n;

/** Null for values that no type of a tape's catalogue holds: nothing, objects, mixed arrays. */
export function encodeValue(value: Value): EncodedValue | null {
  const out = new ByteBuilder(16);
  switch (typeof value) {
    case "boolean":
      return { type: "bool", payload: out.u8(value ? 1 : 0).take() };
    case "number":
      return { type: "double", payload: out.f64le(value).take() };
    case "string":
      writeText(out, value);
      return { type: "std::string", payload: out.take() };
    case "bigint": {
      if (value >= INT64[0] && value < INT64[1]) return { type: "int64", payload: out.bigI64le(value).take() };
      if (value < 0n || value >= UINT64) return null;
      return { type: "uint64", payload: out.bigI64le(BigInt.asIntN(64, value)).take() };
    }
    default:
      return value === null ? null : encodeItems(value, out);
  }
}

function encodeItems(value: object, out: ByteBuilder): EncodedValue | null {
  if (value instanceof Uint8Array) {
    return { type: "mira::Buffer<uint8>", payload: out.i64le(value.length).raw(value).take() };
  }
  if (value instanceof Float32Array) return encodeNumbers("float", value, out, (item) => out.f32le(item));
  if (value instanceof Float64Array) return encodeNumbers("double", value, out, (item) => out.f64le(item));
  if (value instanceof Uint16Array) return encodeNumbers("uint16", value, out, (item) => out.u16le(item));
  if (value instanceof Int32Array) return encodeNumbers("int", value, out, (item) => out.i32le(item));
  if (value instanceof Uint32Array) return encodeNumbers("uint32", value, out, (item) => out.u32le(item));
  if (!Array.isArray(value)) return null;
  const items: readonly Value[] = value;
  if (items.every((item) => typeof item === "number")) {
    return encodeNumbers("double", items, out, (item) => out.f64le(item));
  }
  if (!items.every((item) => typeof item === "string")) return null;
  out.u32le(items.length);
  for (const item of items) writeText(out, item);
  return { type: "std::vector<std::string>", payload: out.take() };
}

function encodeNumbers(
  item: string,
  numbers: ArrayLike<number>,
  out: ByteBuilder,
  write: (item: number) => unknown,
): EncodedValue {
  out.u32le(numbers.length);
  for (let i = 0; i < numbers.length; i++) write(numbers[i]!);
  return { type: `std::vector<${item}>`, payload: out.take() };
}

function writeText(out: ByteBuilder, text: string): void {
  const at = out.length;
  out.u32le(0).utf8(text);
  out.patchU32le(at, out.length - at - 4);
}
