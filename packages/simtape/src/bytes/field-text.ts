import type { Field } from "./fields.ts";

/** Items of a list, and bytes, that are shown. */
const MOST = 8;
const MOST_BYTES = 16;
const MOST_TEXT = 120;

/** What a field says, in one line. */
export function fieldText({ value }: Pick<Field, "value">): string {
  if (typeof value === "string") return pictured(shortened(value));
  if (value instanceof Uint8Array) return bytesText(value);
  return itemText(value);
}

/** One number of an array, or one value. */
function itemText(value: unknown): string {
  switch (typeof value) {
    case "number":
      return numberText(value);
    case "string":
      return JSON.stringify(shortened(value));
    case "bigint":
    case "boolean":
      return String(value);
    case "object":
      return value === null ? "null" : objectText(value);
    default:
      return "";
  }
}

function shortened(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text;
}

/** Unicode has pictures of the control characters. */
function pictured(text: string): string {
  return Array.from(text, (letter) =>
    letter < " " ? String.fromCharCode(0x2400 + letter.charCodeAt(0)) : letter,
  ).join("");
}

function objectText(value: object): string {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = value as unknown as ArrayLike<unknown>;
    const shown = Array.from({ length: Math.min(MOST, list.length) }, (_, i) => itemText(list[i]));
    return list.length > MOST ? `${shown.join(" ")} … ${list.length} in all` : shown.join(" ");
  }
  const entries = Object.entries(value);
  const shown = entries.slice(0, MOST).map(([key, item]) => `${key}: ${itemText(item)}`);
  return `{ ${shown.join(", ")}${entries.length > MOST ? ", …" : ""} }`;
}

/** As text where all of it can be read. */
function bytesText(bytes: Uint8Array): string {
  if (bytes.length >= MOST && bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) {
    return JSON.stringify(shortened(String.fromCharCode(...bytes.subarray(0, MOST_TEXT + 1))));
  }
  const shown = Array.from(bytes.subarray(0, MOST_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return bytes.length > MOST_BYTES ? `${shown} … ${bytes.length} bytes` : shown;
}

/** As few digits as say a float32, at most twelve of any other number. */
export function numberText(value: number): string {
  if (Number.isInteger(value) || !Number.isFinite(value)) return Object.is(value, -0) ? "-0" : String(value);
  if (Math.fround(value) !== value) return String(Number(value.toPrecision(12)));
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}
