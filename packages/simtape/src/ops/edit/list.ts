import type { Time } from "../../model/time.ts";

/** One step of an edit. Times are nanoseconds since the start of what the step is applied to; ranges are `[from, until)`. */
export type Operation =
  /** Keeps a range; its first moment carries what was true before it. Time 0 is then `from`. */
  | { readonly op: "trim"; readonly from?: Time | undefined; readonly until?: Time | undefined }
  /** Moves every message by so much; the wall clock stays what it was. */
  | { readonly op: "shift"; readonly by: Time }
  /** Keeps channels that match any of `channels` (globs; absent: all) and none of `exclude`. */
  | {
      readonly op: "filter";
      readonly channels?: readonly string[] | undefined;
      readonly exclude?: readonly string[] | undefined;
    }
  /** New names for channels, where the format keeps names. */
  | { readonly op: "rename"; readonly channels: Readonly<Record<string, string>> }
  /** Takes out messages of the channels that match, in the range; absent bounds are open. */
  | {
      readonly op: "redact";
      readonly channels: readonly string[];
      readonly from?: Time | undefined;
      readonly until?: Time | undefined;
    }
  /** A note at a moment, kept with the provenance. */
  | { readonly op: "annotate"; readonly at: Time; readonly text: string; readonly kind?: string | undefined }
  /** Other recordings of the same format behind this one, `gap` apart; each begins with what holds at its own start. */
  | { readonly op: "join"; readonly files: readonly string[]; readonly gap?: Time | undefined };

/** What is written down: a source and what is done to it, in order. */
export interface EditList {
  readonly version: 1;
  /** Path or URL, from where the list is. */
  readonly source?: string | undefined;
  readonly operations: readonly Operation[];
}

/** A list that cannot be carried out: `path` says where in the JSON. */
export class EditError extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.name = "EditError";
    this.path = path;
  }
}

/** JSON Schema of an edit list; published as `docs/edit-list.schema.json`. Times may also be texts such as `"12.5s"`. */
export const EDIT_LIST_SCHEMA: object = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "simtape edit list",
  type: "object",
  required: ["version", "operations"],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    source: { type: "string", description: "path or URL of the recording, from where the list is" },
    operations: { type: "array", items: { oneOf: operationSchemas() } },
  },
  $defs: {
    time: {
      description: "nanoseconds since the start, or a duration such as 12.5s, 1m30s, 250ms",
      oneOf: [{ type: "integer" }, { type: "string", pattern: "^-?(\\d+(\\.\\d+)?(ns|us|ms|s|m|h|d))+$" }],
    },
  },
};

function operationSchemas(): object[] {
  const time = { $ref: "#/$defs/time" };
  const texts = { type: "array", items: { type: "string" }, minItems: 1 };
  const of = (op: string, properties: object, required: readonly string[] = []): object => ({
    type: "object",
    required: ["op", ...required],
    additionalProperties: false,
    properties: { op: { const: op }, ...properties },
  });
  return [
    of("trim", { from: time, until: time }),
    of("shift", { by: time }, ["by"]),
    of("filter", { channels: texts, exclude: texts }),
    of("rename", { channels: { type: "object", additionalProperties: { type: "string" } } }, ["channels"]),
    of("redact", { channels: texts, from: time, until: time }, ["channels"]),
    of("annotate", { at: time, text: { type: "string" }, kind: { type: "string" } }, ["at", "text"]),
    of("join", { files: texts, gap: time }, ["files"]),
  ];
}

/** Checks a parsed JSON document; `time` reads a time. Throws `EditError` with the place of what is wrong. */
export function parseEditList(document: unknown, time: (text: string) => Time | null): EditList {
  const root = objectAt(document, "list", ["version", "source", "operations"]);
  if (root["version"] !== 1) throw new EditError("version", `must be 1, is ${JSON.stringify(root["version"])}`);
  const source = root["source"];
  if (source !== undefined && typeof source !== "string") throw new EditError("source", "must be a path or URL");
  if (!Array.isArray(root["operations"])) throw new EditError("operations", "must be an array");
  const operations = root["operations"].map((item, i) => parseOperation(item, `operations[${i}]`, time));
  return { version: 1, source, operations };
}

function parseOperation(item: unknown, path: string, time: (text: string) => Time | null): Operation {
  const op = typeof item === "object" && item !== null ? (item as { op?: unknown }).op : undefined;
  const timeAt = (fields: Record<string, unknown>, key: string): Time | undefined => {
    const value = fields[key];
    if (value === undefined) return undefined;
    const parsed =
      typeof value === "string" ? time(value) : typeof value === "number" && Number.isFinite(value) ? value : null;
    if (parsed === null) throw new EditError(`${path}.${key}`, `not a time: ${JSON.stringify(value)}`);
    return parsed;
  };
  const needed = <T>(value: T | undefined, key: string): T => {
    if (value === undefined) throw new EditError(path, `${String(op)} needs ${key}`);
    return value;
  };
  const textsAt = (fields: Record<string, unknown>, key: string): readonly string[] | undefined => {
    const value = fields[key];
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || value.length === 0 || !value.every((text) => typeof text === "string")) {
      throw new EditError(`${path}.${key}`, "must be an array of texts");
    }
    return value;
  };
  switch (op) {
    case "trim": {
      const fields = objectAt(item, path, ["op", "from", "until"]);
      return { op, from: timeAt(fields, "from"), until: timeAt(fields, "until") };
    }
    case "shift":
      return { op, by: needed(timeAt(objectAt(item, path, ["op", "by"]), "by"), "by") };
    case "filter": {
      const fields = objectAt(item, path, ["op", "channels", "exclude"]);
      return { op, channels: textsAt(fields, "channels"), exclude: textsAt(fields, "exclude") };
    }
    case "rename": {
      const names = objectAt(objectAt(item, path, ["op", "channels"])["channels"], `${path}.channels`, null);
      for (const [name, to] of Object.entries(names)) {
        if (typeof to !== "string" || to === "") throw new EditError(`${path}.channels.${name}`, "must be a name");
      }
      return { op, channels: names as Record<string, string> };
    }
    case "redact": {
      const fields = objectAt(item, path, ["op", "channels", "from", "until"]);
      const channels = needed(textsAt(fields, "channels"), "channels");
      return { op, channels, from: timeAt(fields, "from"), until: timeAt(fields, "until") };
    }
    case "annotate": {
      const fields = objectAt(item, path, ["op", "at", "text", "kind"]);
      const { text, kind } = fields;
      if (typeof text !== "string") throw new EditError(`${path}.text`, "must be a text");
      if (kind !== undefined && typeof kind !== "string") throw new EditError(`${path}.kind`, "must be a text");
      return { op, at: needed(timeAt(fields, "at"), "at"), text, kind };
    }
    case "join": {
      const fields = objectAt(item, path, ["op", "files", "gap"]);
      return { op, files: needed(textsAt(fields, "files"), "files"), gap: timeAt(fields, "gap") };
    }
    default:
      throw new EditError(
        `${path}.op`,
        `unknown operation ${JSON.stringify(op)}; there are trim, shift, filter, rename, redact, annotate, join`,
      );
  }
}

function objectAt(value: unknown, path: string, keys: readonly string[] | null): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new EditError(path, "must be an object");
  for (const key of Object.keys(value)) {
    if (keys !== null && !keys.includes(key))
      throw new EditError(`${path}.${key}`, `unknown field; there are ${keys.join(", ")}`);
  }
  return value as Record<string, unknown>;
}
