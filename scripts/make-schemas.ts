/** Writes every file that is made from shapes and from the definitions of events: `npm run schemas`. */
import { writeFileSync } from "node:fs";
import { GENERATED } from "./generated.ts";

for (const [path, text] of Object.entries(GENERATED)) writeFileSync(new URL(`../${path}`, import.meta.url), text());
