/** Makes the JSON Schemas in `docs` from the shapes that check the documents. */
import type { JsonSchema, Shape } from "../packages/simtape/src/model/shape.ts";
import { EDIT_LIST, TIME } from "../packages/simtape/src/ops/edit/list.ts";
import { LINE } from "../packages/simtape/src/record/lines/commands.ts";
import {
  base64,
  byte,
  cell,
  count,
  id,
  look,
  name,
  point,
  turn,
  uuid,
  value,
} from "../packages/simtape/src/record/events/shapes.ts";
import { SETS } from "../packages/simtape/src/record/events/state-shapes.ts";
import { RETENTION_POLICY } from "../packages/simtape/src/record/retain/schema.ts";

/** The schemas, by the name of the file. */
export const JSON_SCHEMAS: Readonly<Record<string, object>> = {
  "edit-list.schema.json": made("simtape edit list", EDIT_LIST, { time: TIME }),
  "retention.schema.json": made("simtape retention policy", RETENTION_POLICY, {}),
  "line-protocol.schema.json": made("a line of the simtape line protocol", LINE, {
    ...{ id, name, uuid, base64, byte, count, point, look, turn, value, block: cell, sets: SETS },
  }),
};

function made(title: string, shape: Shape<unknown>, named: Readonly<Record<string, Shape<unknown>>>): object {
  const names = new Map(Object.entries(named).map(([name, { schema }]) => [schema, name]));
  const definitions = Object.entries(named).map(([name, { schema }]) => [name, within(schema, names)]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...(within(shape.schema, names) as JsonSchema),
    ...(definitions.length === 0 ? {} : { $defs: Object.fromEntries(definitions) }),
  };
}

/** The schema with a reference in the place of each shape that has a name. */
function within(part: unknown, names: ReadonlyMap<unknown, string>): unknown {
  if (typeof part !== "object" || part === null) return part;
  const inner = (item: unknown): unknown => {
    const name = names.get(item);
    return name === undefined ? within(item, names) : { $ref: `#/$defs/${name}` };
  };
  if (Array.isArray(part)) return part.map(inner);
  return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, inner(item)]));
}
