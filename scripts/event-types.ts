/** Makes the types of events, `record/events/live-event.ts`, from the definitions of the events. */
import type { JsonSchema } from "../packages/simtape/src/model/shape.ts";
import { type Definition, EVENTS } from "../packages/simtape/src/record/events/definition.ts";
import { cell, id, look, point, value } from "../packages/simtape/src/record/events/shapes.ts";
import { ENTITIES, SETS } from "../packages/simtape/src/record/events/state-shapes.ts";

/** Shapes whose types have names of their own. */
const NAMED: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    Id: id,
    Point: point,
    Look: look,
    Cell: cell,
    Value: value,
    DeclaredSets: SETS,
    EntityCells: ENTITIES,
  }).map(([name, { schema }]) => [schema, name]),
);
/** Names of the types of some kinds, since another type has the kind's own name. */
const NAMES: Readonly<Record<string, string>> = {
  event: "ChannelMessage",
  state: "StateChange",
  metadata: "EntityMetadata",
  world: "WorldChange",
  mark: "MarkEvent",
  subject: "SubjectEvent",
  versions: "VersionChange",
};

const DEFINITIONS = Object.entries(EVENTS) as [string, Definition<unknown>][];

/** The text of the file. */
export function eventTypes(): string {
  const objects = DEFINITIONS.filter(([, { shape }]) => shape.schema["properties"] !== undefined);
  return `// Made by \`npm run schemas\` of definition.ts: change that.
import type { Value } from "../../model/values/value.ts";
import type { DeclaredSets, EntityCells } from "./state-shapes.ts";

/** The sender's own name for a thing. */
export type Id = string | number;
/** Blocks. */
export type Point = readonly [x: number, y: number, z: number];
/** Degrees. */
export type Look = readonly [yaw: number, pitch: number];
/** Where a block is. */
export type Cell = readonly [x: number, y: number, z: number];

${objects.map(([kind, definition]) => interfaceOf(kind, definition)).join("\n\n")}

/** What each kind of event says. */
export interface LiveEvents {
${DEFINITIONS.map(([kind, { shape, about }]) => `${comment(about)}readonly ${kind}: ${shape.schema["properties"] === undefined ? typeOf(shape.schema) : nameOf(kind)};`).join("\n")}
}

/** Events of these kinds. */
export type LiveEventOf<Kinds extends keyof LiveEvents = keyof LiveEvents> = {
  readonly [Kind in Kinds]: { readonly kind: Kind; readonly value: LiveEvents[Kind] };
}[Kinds];

/** One thing that happens in a recording that is being made. */
export type LiveEvent = LiveEventOf;
`;
}

function interfaceOf(kind: string, { shape, about, notes = {} }: Definition<unknown>): string {
  const { properties, required } = shape.schema as { properties: Record<string, JsonSchema>; required: string[] };
  const fields = Object.entries(properties).map(([name, schema]) => {
    const note = (notes as Record<string, string>)[name];
    return `${note === undefined ? "" : comment(note)}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`;
  });
  return `${comment(about)}interface ${nameOf(kind)} {\n${fields.join("\n")}\n}`;
}

function nameOf(kind: string): string {
  return NAMES[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1);
}

/** A sentence, without the links of Markdown. */
function comment(words: string): string {
  const plain = words.replace(/ \(\[below\]\([^)]+\)\)/, "").replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  return `/** ${plain.charAt(0).toUpperCase()}${plain.slice(1)}. */\n`;
}

/** The keywords of JSON Schema that shapes use. */
interface Keywords {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
}

function typeOf(schema: JsonSchema): string {
  const name = NAMED.get(schema);
  if (name !== undefined) return name;
  const { type, anyOf, items, properties, required = [], additionalProperties, ...rest } = schema as Keywords;
  if (rest.enum !== undefined) return rest.enum.map((each) => JSON.stringify(each)).join(" | ");
  if (rest.const !== undefined) return JSON.stringify(rest.const);
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" | ");
  if (items !== undefined) {
    const item = typeOf(items);
    return `readonly ${item.includes(" | ") ? `(${item})` : item}[]`;
  }
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([key, of]) => `readonly ${key}${required.includes(key) ? "" : "?"}: ${typeOf(of)}`,
    );
    return `{ ${fields.join("; ")} }`;
  }
  if (additionalProperties !== undefined) return `Readonly<Record<string, ${typeOf(additionalProperties)}>>`;
  if (type === "integer") return "number";
  if (type !== undefined && ["string", "number", "boolean", "null"].includes(type)) return type;
  throw new Error(`no type is known for ${JSON.stringify(schema)}`);
}
