/** Copies what the compiler does not: WebAssembly, beside the code that loads it, and its licence. */
import { copyFileSync } from "node:fs";

for (const name of ["zstd.wasm", "zstd.LICENSE"]) {
  const from = new URL(`../packages/simtape/src/codec/${name}`, import.meta.url);
  copyFileSync(from, new URL(`../packages/simtape/dist/codec/${name}`, import.meta.url));
}
