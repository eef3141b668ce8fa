import { RecordingError } from "../model/error.ts";
import type { ItemKind } from "../model/query/table-cells.ts";
import { jsonOf } from "../model/query/value-text.ts";
import type { Value } from "../model/values/value.ts";

const HIGH = 2 ** 32;

/** Whole numbers that are held as doubles, as integers of 64 bits; what is not known, which is NaN, is 0. */
export function int64Of(numbers: Float64Array): BigInt64Array<ArrayBuffer> {
  const whole = new BigInt64Array(numbers.length);
  // a bigint for each would take ten times as long
  const halves = new Int32Array(whole.buffer);
  for (let k = 0; k < numbers.length; k++) {
    const number = Math.round(numbers[k]!);
    halves[2 * k] = number;
    halves[2 * k + 1] = Math.floor(number / HIGH);
  }
  return whole;
}

/**
 * A value as one of its kind in files that have typed columns. Throws `RecordingError`, code `unsupported`, for a whole
 * number of more than 64 bits.
 */
export function itemOf(value: Value, kind: ItemKind, name: string): Value {
  if (value === null) return null;
  if (kind === "string") return typeof value === "string" ? value : jsonOf(value);
  if (kind !== "bigint") return value;
  const whole = BigInt(value as number | bigint);
  if (BigInt.asIntN(64, whole) === whole) return whole;
  throw new RecordingError(
    "unsupported",
    `column ${name} has ${whole}, and such a file 64 bits: write CSV or NDJSON, or leave the column out`,
  );
}
