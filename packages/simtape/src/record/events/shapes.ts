import {
  anything,
  between,
  checked,
  literal,
  matching,
  type Shape,
  shape,
  sized,
  tuple,
  whole,
} from "../../model/shape.ts";
import type { Value } from "../../model/values/value.ts";

export const yes: Shape<true> = literal(true);
export const name: Shape<string> = sized(1, 256, "a name");
export const uuid: Shape<string> = matching(/^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$/, "a UUID");
export const base64: Shape<string> = matching(
  /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  "bytes in base64",
);
const SAFE = Number.MAX_SAFE_INTEGER;
/** The sender's own name for a thing. */
export const id: Shape<string | number> = shape(
  { anyOf: [{ type: "string" }, { type: "integer", minimum: -SAFE, maximum: SAFE }] },
  "an id: text or a whole number",
  (value) => typeof value === "string" || Number.isSafeInteger(value),
);
export const byte: Shape<number> = whole(0, 255);
export const count: Shape<number> = whole(0, 2 ** 31 - 1);

/** Blocks from the origin at most. */
const FARTHEST = 2 ** 31;
/** Degrees at most. */
const MOST_TURNED = 1e9;
const far = within(FARTHEST);
export const turn: Shape<number> = within(MOST_TURNED);
export const point: Shape<readonly [x: number, y: number, z: number]> = tuple([far, far, far], "3 numbers");
export const look: Shape<readonly [yaw: number, pitch: number]> = tuple([turn, turn], "2 numbers");
const step = shape<number>(
  { type: "integer", minimum: -FARTHEST, maximum: FARTHEST },
  "a whole number",
  (value) => Number.isInteger(value) && Math.abs(value as number) <= FARTHEST,
);
/** Where a block is. */
export const cell: Shape<readonly [x: number, y: number, z: number]> = tuple([step, step, step], "3 whole numbers");

/** Numbers no farther than `most` from 0. */
function within(most: number): Shape<number> {
  return between(-most, most, `a number from ${-most} to ${most}`);
}

/** Values inside values at most. */
const MOST_DEPTH = 64;

/** Anything that JSON has, within reason. */
export const value: Shape<Value> = checked(
  anything as Shape<Value>,
  `at most ${MOST_DEPTH} values inside each other`,
  (found) => !isDeeper(found, MOST_DEPTH),
);

function isDeeper(found: unknown, depth: number): boolean {
  if (typeof found !== "object" || found === null) return false;
  if (depth === 0) return true;
  for (const item of Object.values(found)) if (isDeeper(item, depth - 1)) return true;
  return false;
}
