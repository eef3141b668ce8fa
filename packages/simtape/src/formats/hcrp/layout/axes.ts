import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { transformOf } from "../../../model/axes/axes-transform.ts";
import type { Axes } from "../../../model/axes/axes.ts";
import { completeAxes, standardAxes } from "../../../model/axes/standard-axes.ts";
import { isSameValue } from "../../../model/values/same-value.ts";
import type { Value } from "../../../model/values/value.ts";
import { readValue, writeValue } from "./values.ts";

/*
 * A byte says how sets are handed, what is up and whether they are geodetic; all else they mean follows from it
 * (`standardAxes`, spec §16.2). Only behind axes that mean something else there is a value: a record of what is otherwise.
 */
const BITS = { stated: 1, left: 2, zUp: 4, geodetic: 8, more: 16 } as const;

export function writeAxes(builder: ByteBuilder, axes: Axes | null): void {
  if (axes === null) {
    builder.u8(0);
    return;
  }
  let bits: number = BITS.stated;
  if (axes.handed === "left") bits |= BITS.left;
  if (axes.up !== "y") bits |= BITS.zUp;
  if (axes.kind === "geodetic") bits |= BITS.geodetic;
  const standard = ofBits(bits);
  const other = Object.entries(completeAxes(axes)).filter(
    ([key, value]) => !isSameValue(value, standard[key as keyof Axes]),
  ) as [string, Value][];
  builder.u8(other.length === 0 ? bits : bits | BITS.more);
  if (other.length > 0) writeValue(builder, Object.fromEntries(other));
}

/** Throws `LayoutError` for axes that no set can have. */
export function readAxes(cursor: ByteCursor): Axes | null {
  const at = cursor.offset;
  const bits = cursor.u8();
  if ((bits & BITS.stated) === 0) return null;
  if (!hasMore(bits)) return ofBits(bits);
  const other = readValue(cursor);
  if (!isStatement(other)) throw new LayoutError("malformed", "axes that say nothing", at);
  const axes = { ...ofBits(bits), ...other } as Axes;
  try {
    transformOf(axes);
  } catch (error) {
    throw new LayoutError("malformed", `axes: ${(error as Error).message}`, at);
  }
  return axes;
}

/** Whether a value follows the byte. */
export function hasMore(bits: number): boolean {
  return (bits & BITS.stated) !== 0 && (bits & BITS.more) !== 0;
}

/** For people. */
export function axesNote(bits: number): string {
  if ((bits & BITS.stated) === 0) return "none";
  const { handed, up } = ofBits(bits);
  return `${handed}-handed, ${up} up`;
}

function ofBits(bits: number): Axes {
  const handed = (bits & BITS.left) === 0 ? "right" : "left";
  return standardAxes(handed, (bits & BITS.zUp) === 0 ? "y" : "z", (bits & BITS.geodetic) === 0 ? "local" : "geodetic");
}

/** Members that may be in the value, and of those that are records the texts that must be in there. */
const MEMBERS: Readonly<Record<string, "text" | "number" | readonly string[]>> = {
  up: "text",
  angles: ["order", "roll", "pitch", "yaw", "zero"],
  own: ["forward", "up"],
  velocities: "text",
  tickRate: "number",
};

function isStatement(value: Value): value is Record<string, Value> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([key, member]) => {
    const kind = Object.hasOwn(MEMBERS, key) ? MEMBERS[key]! : null;
    if (kind === "text") return typeof member === "string";
    if (kind === "number") return typeof member === "number";
    return kind !== null && isRecord(member) && kind.every((name) => typeof member[name] === "string");
  });
}

function isRecord(value: Value): value is Record<string, Value> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
