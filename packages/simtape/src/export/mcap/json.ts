import type { Value } from "../../model/values/value.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Names of members that are kept as JSON. */
const NAMES = 4096;
const names = new Map<string, string>();
/** Texts that are JSON as they are, between quotes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * A value as JSON: bytes are base64, other typed arrays are arrays, and numbers that JSON has not, NaN or a large bigint,
 * are strings. Members that are undefined are left out.
 */
export function jsonOf(value: Value | undefined): string {
  switch (typeof value) {
    case "number":
      return numberOf(value);
    case "string":
      return textOf(value);
    case "boolean":
      return value ? "true" : "false";
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`;
    case "object":
      return value === null ? "null" : compoundOf(value);
    default:
      return "null";
  }
}

/** A finite number as it is, any other as a string. */
export function numberOf(value: number): string {
  // what is finite leaves 0 of itself
  return value - value === 0 ? `${value}` : `"${value}"`;
}

/** A text as JSON, quotes included. */
export function textOf(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function compoundOf(value: Exclude<Value, null | boolean | number | bigint | string>): string {
  if (value instanceof Uint8Array) return `"${base64(value)}"`;
  if (Array.isArray(value)) {
    const items = value as readonly Value[];
    let text = "[";
    for (let i = 0; i < items.length; i++) text += i === 0 ? jsonOf(items[i]) : `,${jsonOf(items[i])}`;
    return `${text}]`;
  }
  if (ArrayBuffer.isView(value)) {
    const numbers = value as Float64Array;
    let text = "[";
    for (let i = 0; i < numbers.length; i++) text += i === 0 ? numberOf(numbers[i]!) : `,${numberOf(numbers[i]!)}`;
    return `${text}]`;
  }
  let text = "{";
  const members = value as Readonly<Record<string, Value | undefined>>;
  for (const key in members) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === "{" ? "" : ","}${nameOf(key)}:${jsonOf(member)}`;
  }
  return `${text}}`;
}

function nameOf(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = JSON.stringify(key);
  if (names.size < NAMES) names.set(key, name);
  return name;
}

/** RFC 4648 §4, padded. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  const whole = bytes.length - (bytes.length % 3);
  for (let i = 0; i < whole; i += 3) {
    const n = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    text += DIGITS[n >> 18]! + DIGITS[(n >> 12) & 63]! + DIGITS[(n >> 6) & 63]! + DIGITS[n & 63]!;
  }
  if (whole === bytes.length) return text;
  const n = (bytes[whole]! << 16) | ((bytes[whole + 1] ?? 0) << 8);
  const third = whole + 1 < bytes.length ? DIGITS[(n >> 6) & 63]! : "=";
  return `${text}${DIGITS[n >> 18]!}${DIGITS[(n >> 12) & 63]!}${third}=`;
}
