/**
 * Adds to the build what the compiler does not make, with the licences: the WebAssembly of zstd, beside the code that
 * loads it, and one file with the used parts of the parser's library. As separate modules, that library takes longer to
 * load than most commands take to run. In the workspace the package simtape-core has the same build.
 */
import { copyFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const [src, dist] = ["src", "dist"].map((name) => new URL(`../packages/simtape/${name}/`, import.meta.url));
for (const name of ["zstd.wasm", "zstd.LICENSE"])
  copyFileSync(new URL(`codec/${name}`, src), new URL(`codec/${name}`, dist));

const chevrotain = new URL("../..", import.meta.resolve("chevrotain"));
buildSync({
  entryPoints: [fileURLToPath(new URL("ask/chevrotain.ts", src))],
  outfile: fileURLToPath(new URL("ask/chevrotain.js", dist)),
  allowOverwrite: true,
  ...{ bundle: true, format: "esm", target: "es2023", minify: true, legalComments: "none", logLevel: "warning" },
});
const licences = [new URL("LICENSE.txt", chevrotain), new URL("LICENSE", import.meta.resolve("lodash-es"))];
writeFileSync(
  new URL("ask/chevrotain.LICENSE", dist),
  licences.map((file) => readFileSync(fileURLToPath(file), "utf8")).join("\n"),
);

const core = fileURLToPath(new URL("../packages/core/dist", import.meta.url));
rmSync(core, { recursive: true, force: true });
symlinkSync("../simtape/dist", core, "junction");
