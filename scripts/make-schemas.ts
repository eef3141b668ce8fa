/** Writes the JSON Schemas into `docs`: `npm run schemas`. */
import { writeFileSync } from "node:fs";
import { JSON_SCHEMAS } from "./json-schemas.ts";

for (const [name, schema] of Object.entries(JSON_SCHEMAS)) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), JSON.stringify(schema, null, 2));
}
