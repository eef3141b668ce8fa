/** The JSON Schemas in `docs`, made of what documents are checked by. */
import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
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
} from "../packages/simtape/src/record/lines/shapes.ts";
import { SETS, value } from "../packages/simtape/src/record/lines/state.ts";
import { RETENTION_POLICY } from "../packages/simtape/src/record/retain/schema.ts";

/** What JSON Schema has no word for: it accepts more there. */
const UNTOLD = ["check", "max_bytes", "finite"];

/** By the name of the file. */
export const JSON_SCHEMAS: Readonly<Record<string, object>> = {
  "edit-list.schema.json": made("simtape edit list", EDIT_LIST, { time: TIME }),
  "retention.schema.json": made("simtape retention policy", RETENTION_POLICY, {}),
  "line-protocol.schema.json": made("a line of the simtape line protocol", LINE, {
    ...{ id, name, uuid, base64, byte, count, point, look, turn, value, block: cell, sets: SETS },
  }),
};

function made(title: string, shape: GenericSchema, definitions: Readonly<Record<string, GenericSchema>>): object {
  const options: ConversionConfig = { target: "draft-2020-12", definitions, ignoreActions: UNTOLD };
  const { $schema, ...rest } = toJsonSchema(shape, options);
  return { $schema, title, ...rest };
}
