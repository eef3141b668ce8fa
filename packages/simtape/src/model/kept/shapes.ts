import { LayoutError } from "../../bytes/error.ts";
import type { Value } from "../values/value.ts";

/** A value with named members. */
export type Members = { readonly [name: string]: Value };

export function isRecord(value: Value | undefined): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** Throws `LayoutError` for what has no members. */
export function membersOf(value: Value | undefined): Members {
  if (isRecord(value)) return value;
  throw new LayoutError("malformed", "expected members", 0);
}

/** Throws `LayoutError` for what is no list. */
export function listOf(value: Value | undefined): readonly Value[] {
  if (Array.isArray(value)) return value as readonly Value[];
  throw new LayoutError("malformed", "expected a list", 0);
}

/** Throws `LayoutError` for what is not of that kind of array, or has another length. */
export function numbersOf<A extends Value & ArrayLike<number>>(
  value: Value | undefined,
  Kind: new () => A,
  length?: number,
): A {
  if (value instanceof Kind && (length === undefined || value.length === length)) return value;
  throw new LayoutError("malformed", "expected numbers", 0);
}

/** Throws `LayoutError` for what is no whole number from 0 on. */
export function wholeOf(value: Value | undefined): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new LayoutError("malformed", "expected a whole number", 0);
}

/** Throws `LayoutError` for what is no text. */
export function textIn(value: Value | undefined): string {
  if (typeof value === "string") return value;
  throw new LayoutError("malformed", "expected a text", 0);
}
