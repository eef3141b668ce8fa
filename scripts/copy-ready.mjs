/**
 * Copies what the compiler does not make, and its licences: WebAssembly, beside the code that loads it; and the parser's
 * library as the one file that it comes in, too, because the modules that it imports by its name take longer to load than
 * most commands to run.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [src, dist] = ["src", "dist"].map((name) => new URL(`../packages/simtape/${name}/`, import.meta.url));
for (const name of ["zstd.wasm", "zstd.LICENSE"])
  copyFileSync(new URL(`codec/${name}`, src), new URL(`codec/${name}`, dist));

const chevrotain = new URL("../..", import.meta.resolve("chevrotain"));
copyFileSync(new URL("lib/chevrotain.mjs", chevrotain), new URL("ask/chevrotain.js", dist));
const licences = [new URL("LICENSE.txt", chevrotain), new URL("LICENSE", import.meta.resolve("lodash-es"))];
writeFileSync(
  new URL("ask/chevrotain.LICENSE", dist),
  licences.map((file) => readFileSync(fileURLToPath(file), "utf8")).join("\n"),
);
