import { mkdirSync, writeFileSync } from "node:fs";
import { manual } from "../packages/simtape/src/cli/program.ts";

/** Writes the page of the manual that comes with the package: `man simtape`. */
const folder = new URL("../packages/simtape/man/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("simtape.1", folder), await manual());
