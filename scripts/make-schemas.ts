/** Writes what is made of shapes and of the definition of events: `npm run schemas`. */
import { writeFileSync } from "node:fs";
import { GENERATED } from "./generated.ts";

for (const [path, text] of Object.entries(GENERATED)) writeFileSync(new URL(`../${path}`, import.meta.url), text());
