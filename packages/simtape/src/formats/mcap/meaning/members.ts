import type { Value } from "../../../model/values/value.ts";

/** A value with members. */
export type Members = { readonly [key: string]: Value };

const NOTHING: Members = {};

/** The members of a value; none where it has none. */
export function membersIn(value: Value | undefined): Members {
  return isMembers(value) ? value : NOTHING;
}

export function isMembers(value: Value | undefined): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** The items of a list; none where it is no list. */
export function itemsIn(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? (value as readonly Value[]) : [];
}

export function numberIn(value: Value | undefined): number {
  if (typeof value === "number") return value;
  return typeof value === "bigint" ? Number(value) : Number.NaN;
}

export function textIn(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The frame that a message is in: Foxglove's member, or that of the header of ROS. */
export function frameIn(value: Members): string {
  return textIn(value["frame_id"]) || textIn(membersIn(value["header"])["frame_id"]);
}
