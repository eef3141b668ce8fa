import type { Value } from "../model/values/value.ts";

/** A difference inside of a value. */
export interface LeafDifference {
  /** Keys that lead to it, with a point before each: `.pose.x`; "": the value itself. */
  readonly keys: string;
  /** The same with `*` for places in lists. */
  readonly all: string;
  readonly a: Value;
  readonly b: Value;
  /** NaN: they are no numbers, or only one has it. */
  readonly error: number;
}

/** Differences of one value that are looked at: behind them it is enough to know that it differs. */
const MOST = 4096;

/** Every number and text in which two values differ, in order. Undefined: there is no value, which is as good as null. */
export function differencesIn(a: Value | undefined, b: Value | undefined): readonly LeafDifference[] {
  const found: LeafDifference[] = [];
  look(a ?? null, b ?? null, "", "", found);
  return found;
}

function look(a: Value, b: Value, keys: string, all: string, found: LeafDifference[]): void {
  if (a === b || found.length >= MOST) return;
  const [isListA, isListB] = [isList(a), isList(b)];
  if (isListA && isListB) {
    const [one, other] = [a as ArrayLike<Value>, b as ArrayLike<Value>];
    const length = Math.max(one.length, other.length);
    for (let i = 0; i < length; i++) {
      const [x, y] = [one[i], other[i]];
      if (!Object.is(x, y)) look(x ?? null, y ?? null, `${keys}.${i}`, `${all}.*`, found);
    }
    return;
  }
  if (isObject(a) && isObject(b) && !isListA && !isListB) {
    for (const [key, item] of Object.entries(a)) look(item, b[key] ?? null, `${keys}.${key}`, `${all}.${key}`, found);
    for (const [key, item] of Object.entries(b))
      if (!Object.hasOwn(a, key)) look(null, item, `${keys}.${key}`, `${all}.${key}`, found);
    return;
  }
  const error = errorOf(a, b);
  if (error !== 0) found.push({ keys, all, a, b, error });
}

function errorOf(a: Value, b: Value): number {
  if (a === null || b === null || typeof a === "object" || typeof b === "object") return Number.NaN;
  if (typeof a === "string" || typeof b === "string") return String(a) === String(b) ? 0 : Number.NaN;
  if (typeof a === "bigint" && typeof b === "bigint") return a === b ? 0 : Math.max(1, Math.abs(Number(a - b)));
  const [x, y] = [Number(a), Number(b)];
  if (Number.isNaN(x) && Number.isNaN(y)) return 0;
  return x === y ? 0 : Math.abs(x - y);
}

function isList(value: Value): boolean {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

function isObject(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === "object" && value !== null;
}
