import type { Value } from "../../model/values/value.ts";

type Plain = boolean | number | bigint | string;

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES = new TextEncoder().encode(DIGITS);
/** "=". */
const PADDING = 0x3d;
const UTF8 = new TextDecoder();
/** Names of members that are kept as JSON. */
const NAMES = 4096;
const names = new Map<string, string>();
/** Texts that are JSON as they are, between quotes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Characters from which on a piece is given away. */
const PIECE = 1 << 16;
/** Bytes whose base64 is one piece. */
const PIECE_BYTES = (PIECE / 4) * 3;
/** Bytes of which base64 is put together as a text, one character after the other. */
const SHORT = 96;

/** Takes the next piece of a text. */
export type TakePiece = (text: string) => void;

/**
 * A value as JSON: bytes are base64, other typed arrays are arrays, and numbers that JSON has not, NaN or a large bigint,
 * are strings. Members that are undefined are left out.
 */
export function jsonOf(value: Value | undefined): string {
  return extended("", value, null);
}

/** As `jsonOf`, in pieces, of which the last is the result: a text of many parts takes many times its length. */
export function jsonPieces(value: Value, take: TakePiece): string {
  return extended("", value, take);
}

/** As `jsonOf`; null: it would be longer than `most` characters. */
export function jsonUpTo(value: Value, most: number): string | null {
  const pieces: string[] = [];
  let length = 0;
  const take = (text: string): void => {
    pieces.push(text);
    length += text.length;
    if (length > most) throw TOO_LONG;
  };
  try {
    take(extended("", value, take));
  } catch (error) {
    if (error === TOO_LONG) return null;
    throw error;
  }
  return pieces.join("");
}

const TOO_LONG = new Error("longer than allowed");

/** `text` with the JSON of a value behind it, but for what `take` was given of both. */
function extended(text: string, value: Value | undefined, take: TakePiece | null): string {
  switch (typeof value) {
    case "number":
      return text + numberOf(value);
    case "string":
      return text + textOf(value);
    case "boolean":
      return text + (value ? "true" : "false");
    case "bigint":
      return text + (Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`);
    case "object":
      return value === null ? `${text}null` : extendedByParts(text, value, take);
    default:
      return `${text}null`;
  }
}

/** A finite number as it is, any other as a string. */
function numberOf(value: number): string {
  // what is finite leaves 0 of itself
  return value - value === 0 ? `${value}` : `"${value}"`;
}

/** A text as JSON, quotes included. */
function textOf(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function extendedByParts(text: string, value: Exclude<Value, null | Plain>, take: TakePiece | null): string {
  if (value instanceof Uint8Array) {
    text += '"';
    for (let at = 0; at < value.length; at += PIECE_BYTES) {
      text = shortened(text + base64(value.subarray(at, at + PIECE_BYTES)), take);
    }
    return `${text}"`;
  }
  if (Array.isArray(value)) {
    const items = value as readonly Value[];
    text += "[";
    for (let i = 0; i < items.length; i++)
      text = shortened(extended(i === 0 ? text : `${text},`, items[i], take), take);
    return `${text}]`;
  }
  if (ArrayBuffer.isView(value)) {
    const numbers = value as Float64Array;
    text += "[";
    for (let i = 0; i < numbers.length; i++) {
      text = shortened(i === 0 ? text + numberOf(numbers[i]!) : `${text},${numberOf(numbers[i]!)}`, take);
    }
    return `${text}]`;
  }
  text += "{";
  const members = value as Readonly<Record<string, Value | undefined>>;
  let isFirst = true;
  for (const key in members) {
    const member = members[key];
    if (member === undefined) continue;
    text = shortened(extended(`${text}${isFirst ? "" : ","}${nameOf(key)}:`, member, take), take);
    isFirst = false;
  }
  return `${text}}`;
}

function shortened(text: string, take: TakePiece | null): string {
  if (take === null || text.length < PIECE) return text;
  take(text);
  return "";
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
  return bytes.length > SHORT ? UTF8.decode(base64Codes(bytes)) : shortBase64(bytes);
}

function shortBase64(bytes: Uint8Array): string {
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

function base64Codes(bytes: Uint8Array): Uint8Array {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PADDING);
  let to = 0;
  const whole = bytes.length - (bytes.length % 3);
  for (let i = 0; i < whole; i += 3) {
    const n = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    codes[to++] = CODES[n >> 18]!;
    codes[to++] = CODES[(n >> 12) & 63]!;
    codes[to++] = CODES[(n >> 6) & 63]!;
    codes[to++] = CODES[n & 63]!;
  }
  if (whole === bytes.length) return codes;
  const n = (bytes[whole]! << 16) | ((bytes[whole + 1] ?? 0) << 8);
  codes[to++] = CODES[n >> 18]!;
  codes[to++] = CODES[(n >> 12) & 63]!;
  if (whole + 1 < bytes.length) codes[to] = CODES[(n >> 6) & 63]!;
  return codes;
}
