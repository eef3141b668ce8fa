import { type Field, fieldText } from "simtape";
import type { NamedBytes, NamedField } from "../protocol.ts";

/** Fields that are named; what is behind them is one. */
export const MOST_FIELDS = 50_000;
/** Bytes that are handed out. */
const MOST_BYTES = 1 << 20;

/** Bytes and fields as the page's own, nothing of it a view of more. */
export function named(bytes: Uint8Array, fields: readonly Field[]): NamedBytes {
  const shown = bytes.slice(0, MOST_BYTES);
  const within = fields.filter(({ start }) => start < shown.length);
  return { bytes: shown, length: bytes.length, fields: within.map((field) => plain(field, shown.length)) };
}

function plain(field: Field, length: number): NamedField {
  const { name, start, end, role, note } = field;
  return { name, start, end: Math.min(end, length), role, text: fieldText(field), note, items: itemsOf(field) };
}

function itemsOf({ value, start, end }: Field): ArrayLike<number> | null {
  const isArray = ArrayBuffer.isView(value) && !(value instanceof DataView) && !(value instanceof Uint8Array);
  return isArray && value.byteLength === end - start ? (value as unknown as ArrayLike<number>) : null;
}
