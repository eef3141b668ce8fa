/** The part of JSON Schema that the policy's schema is written in. */
interface Schema {
  readonly description?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly const?: number | string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Schema;
  readonly minProperties?: number;
}

type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** A policy that cannot be followed: `path` says where in the JSON. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.path = path;
  }
}

const days = (description: string): Schema => ({ description, type: ["number", "null"], minimum: 0 });
const texts = (description: string): Schema => ({ description, type: "array", items: { type: "string" }, minItems: 1 });
const quotaBytes = (description: string): Schema => ({ description, type: "integer", minimum: 0 });

const CLASS: Schema = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { description: "for people and reports", type: "string", pattern: "^.+$" },
    match: {
      description: "all of these must hold, each by any of its values; absent: every recording",
      type: "object",
      additionalProperties: false,
      properties: {
        world: texts("UUIDs of worlds"),
        key: texts("globs of the recording's id in the store; * stops at /, ** does not"),
        profile: texts("what was recorded: ghost, standard, review, cinema"),
        metadata: {
          description: "values in the metadata by their path, such as server.mode; texts are globs",
          type: "object",
          minProperties: 1,
          additionalProperties: { type: "array", items: { type: ["string", "number", "boolean"] }, minItems: 1 },
        },
      },
    },
    days: days("kept so many days after the end; 30 when absent; null: for ever"),
    outcomeDays: {
      description: "other days by how a recording ended; one that was left open has crashed",
      type: "object",
      additionalProperties: false,
      properties: {
        completed: days("as days"),
        reset: days("as days"),
        abandoned: days("as days"),
        crashed: days("as days"),
      },
    },
    most: {
      description: "the newest so many of each subject, each world, or each subject in each world",
      type: "object",
      required: ["count", "per"],
      additionalProperties: false,
      properties: {
        count: { type: "integer", minimum: 1 },
        per: { type: "array", items: { type: "string", enum: ["subject", "world"] }, minItems: 1 },
      },
    },
    quotaBytes: quotaBytes("of all recordings of the class; the oldest go first"),
    keepTop: {
      description:
        "so many of the shortest duration_ms among the completed runs of each world, for ever; 0 when absent",
      type: "integer",
      minimum: 0,
    },
    keepBest: {
      description: "the shortest duration_ms of each subject in each world, for ever; true when absent",
      type: "boolean",
    },
    keepFlagged: {
      description: "recordings with marks that matter; true when absent",
      type: ["boolean", "object"],
      additionalProperties: false,
      properties: {
        kinds: texts("kinds of marks; report and anticheat when absent"),
        severity: { description: "also marks of this severity or above", type: "integer", minimum: 0 },
        days: days("for ever when absent or null"),
      },
    },
    keepClips: {
      description: "recordings that were cut out of others or saved from a ring; true when absent",
      type: ["boolean", "object"],
      additionalProperties: false,
      properties: { days: days("for ever when absent or null") },
    },
  },
};

/** JSON Schema of a retention policy; published as `docs/retention.schema.json`, and what policies are checked by. */
export const RETENTION_SCHEMA: Schema & { readonly $schema: string; readonly title: string } = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "simtape retention policy",
  type: "object",
  required: ["version", "classes"],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    graceHours: { description: "between the mark and the deletion; 24 when absent", type: "number", minimum: 0 },
    hold: {
      description: "never touched: ids in the store, or UUIDs of recordings",
      type: "array",
      items: { type: "string", pattern: "^[A-Za-z0-9._/-]+$" },
    },
    quotaBytes: quotaBytes("of all recordings of all classes; the oldest go first"),
    classes: { description: "a recording is of the first that it matches", type: "array", items: CLASS, minItems: 1 },
  },
};

/** Throws `PolicyError` at the first place where `value` is not as `schema` says. */
export function checkShape(value: unknown, schema: Schema, path: string): void {
  const refuse = (message: string): never => {
    throw new PolicyError(path, message);
  };
  const { type, minimum, pattern } = schema;
  const found = JSON.stringify(value)?.slice(0, 60);
  if (schema.const !== undefined && value !== schema.const) refuse(`must be ${schema.const}, is ${found}`);
  const types: readonly JsonType[] = type === undefined ? [] : typeof type === "string" ? [type] : type;
  if (types.length > 0 && !types.some((one) => isType(value, one)))
    refuse(`must be ${types.map((one) => ARTICLES[one]).join(" or ")}, is ${found}`);
  if (typeof value === "number" && minimum !== undefined && value < minimum)
    refuse(`must be ${minimum} or more, is ${found}`);
  if (typeof value === "string") {
    if (pattern !== undefined && !new RegExp(pattern).test(value)) refuse(`must match ${pattern}, is ${found}`);
    if (schema.enum !== undefined && !schema.enum.includes(value))
      refuse(`must be one of ${schema.enum.join(", ")}, is ${found}`);
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) refuse("must not be empty");
    if (schema.items !== undefined)
      for (const [i, item] of value.entries()) checkShape(item, schema.items, `${path}[${i}]`);
  } else if (isType(value, "object")) checkFields(value as Readonly<Record<string, unknown>>, schema, path);
}

function checkFields(fields: Readonly<Record<string, unknown>>, schema: Schema, path: string): void {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const at = (key: string): string => (path === "policy" ? key : `${path}.${key}`);
  for (const key of required) if (fields[key] === undefined) throw new PolicyError(path, `needs ${key}`);
  if (Object.keys(fields).length < minProperties) throw new PolicyError(path, "must not be empty");
  for (const [key, field] of Object.entries(fields)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (known === false)
      throw new PolicyError(at(key), `unknown field; there are ${Object.keys(properties).join(", ")}`);
    if (known !== undefined) checkShape(field, known, at(key));
  }
}

const ARTICLES: Readonly<Record<JsonType, string>> = {
  object: "an object",
  array: "an array",
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
};

function isType(value: unknown, type: JsonType): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    default:
      return typeof value === type;
  }
}
