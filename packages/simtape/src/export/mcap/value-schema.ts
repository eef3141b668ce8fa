import type { Value } from "../../model/values/value.ts";

/** A JSON Schema, as far as it is written here. */
export interface JsonSchema {
  readonly [key: string]: unknown;
}

/** What is known of a value; null: more than one kind of thing, or what viewers have no type for. */
type Shape =
  | { readonly type: "boolean" | "number" | "string" | "bytes" }
  | { readonly type: "array"; readonly items: Shape }
  | { readonly type: "object"; readonly members: ReadonlyMap<string, Shape> }
  | null;

/** Levels of members that a schema names. */
const DEPTH = 6;
/** Members that a schema names in one object: more are keys of a dictionary. */
const MEMBERS = 512;

/**
 * The schema of messages, drawn from some of them. It names members whose type is the same in all of these, and demands
 * none of them: a later message may lack any. The root is an object, as Foxglove wants it ("Custom schema encodings").
 * What is a number may be a string, too ("NaN"), so a number of which that is met gets no type.
 */
export function schemaOf(title: string, values: readonly Value[]): JsonSchema {
  let shape: Shape | undefined;
  for (const value of values) {
    const other = shapeOf(value, DEPTH);
    shape = shape === undefined ? other : common(shape, other);
  }
  return { title, type: "object", ...(shape == null ? {} : membersOf(shape)) };
}

function shapeOf(value: Value | undefined, depth: number): Shape {
  if (typeof value === "boolean" || typeof value === "string") return { type: typeof value as "boolean" | "string" };
  if (typeof value === "number") return Number.isFinite(value) ? { type: "number" } : null;
  if (typeof value === "bigint") return null;
  if (typeof value !== "object" || value === null || depth === 0) return null;
  if (value instanceof Uint8Array) return { type: "bytes" };
  if (ArrayBuffer.isView(value)) return { type: "array", items: everyFinite(value as Float64Array) ? NUMBER : null };
  if (Array.isArray(value)) {
    let items: Shape | undefined;
    for (const item of value as readonly Value[]) {
      const shape = shapeOf(item, depth - 1);
      items = items === undefined ? shape : common(items, shape);
    }
    return { type: "array", items: items ?? null };
  }
  const members = new Map<string, Shape>();
  for (const [key, member] of Object.entries(value as object)) {
    if (member !== undefined) members.set(key, shapeOf(member as Value, depth - 1));
    if (members.size > MEMBERS) return null;
  }
  return { type: "object", members };
}

const NUMBER: Shape = { type: "number" };

function everyFinite(numbers: Float64Array): boolean {
  for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i]!)) return false;
  return true;
}

function common(a: Shape, b: Shape): Shape {
  if (a === null || b === null || a.type !== b.type) return null;
  if (a.type === "array") return { type: "array", items: common(a.items, (b as typeof a).items) };
  if (a.type !== "object") return a;
  const members = new Map(a.members);
  for (const [key, shape] of (b as typeof a).members) {
    members.set(key, members.has(key) ? common(members.get(key)!, shape) : shape);
  }
  return members.size > MEMBERS ? null : { type: "object", members };
}

/** Null for what has no type that every viewer takes: an array of arrays has none. */
function jsonSchema(shape: Shape): JsonSchema | null {
  if (shape === null) return null;
  if (shape.type === "bytes") return { type: "string", contentEncoding: "base64" };
  if (shape.type === "object") return { type: "object", ...membersOf(shape) };
  if (shape.type !== "array") return shape;
  const items = shape.items === null || shape.items.type === "array" ? null : jsonSchema(shape.items);
  return items === null ? null : { type: "array", items };
}

function membersOf(shape: Exclude<Shape, null>): JsonSchema {
  if (shape.type !== "object") return {};
  const properties: Record<string, JsonSchema> = {};
  for (const [key, member] of shape.members) {
    const schema = jsonSchema(member);
    if (schema !== null) Object.defineProperty(properties, key, { value: schema, enumerable: true });
  }
  return { properties };
}
