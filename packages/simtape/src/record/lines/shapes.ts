import * as v from "valibot";
import { matching, type Shape, whole } from "../../model/shape.ts";

/** One thing that a line may say: the value behind its key, and what is done with it. */
export interface Command<C> {
  readonly shape: Shape<unknown>;
  readonly act: (context: C, value: unknown) => void;
}

export function command<C, T>(shape: Shape<T>, act: (context: C, value: T) => void): Command<C> {
  return { shape, act: act as (context: C, value: unknown) => void };
}

/** A field that may be left out. */
export function maybe<T>(shape: Shape<T>): v.ExactOptionalSchema<Shape<T>, undefined> {
  return v.exactOptional(shape);
}

export const yes: Shape<true> = v.literal(true, "true");
const A_NAME = "a name";
export const name: Shape<string> = v.pipe(v.string(A_NAME), v.minLength(1, A_NAME), v.maxLength(256, A_NAME));
export const uuid: Shape<string> = matching(/^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$/, "a UUID");
export const base64: Shape<string> = matching(
  /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  "bytes in base64",
);
const AN_ID = "an id: text or a whole number";
/** The sender's own name for a thing. */
export const id: Shape<string | number> = v.union([v.string(AN_ID), v.pipe(v.number(AN_ID), v.safeInteger(AN_ID))]);
export const byte: Shape<number> = whole(0, 255);
export const count: Shape<number> = whole(0, 2 ** 31 - 1);

/** Blocks from the origin at most. */
const FARTHEST = 2 ** 31;
/** Degrees at most. */
const MOST_TURNED = 1e9;
const far = within(FARTHEST);
export const turn: Shape<number> = within(MOST_TURNED);
export const point: Shape<readonly [x: number, y: number, z: number]> = v.strictTuple([far, far, far], so("3 numbers"));
export const look: Shape<readonly [yaw: number, pitch: number]> = v.strictTuple([turn, turn], so("2 numbers"));
const step = v.pipe(far, v.integer("a whole number"));
/** Where a block is. */
export const cell: Shape<readonly [x: number, y: number, z: number]> = v.strictTuple(
  [step, step, step],
  so("3 whole numbers"),
);

/** Numbers no farther than `most` from 0. */
function within(most: number): Shape<number> {
  const expected = `a number from ${-most} to ${most}`;
  return v.pipe(v.number(expected), v.minValue(-most, expected), v.maxValue(most, expected));
}

/** Of a list: too long, or none. */
function so(many: string): (issue: v.StrictTupleIssue) => string {
  return ({ path }) => (path === undefined ? many : `only ${many}`);
}
