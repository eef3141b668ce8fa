/**
 * Measures `compare` of a recording with itself and with a copy that has one changed byte, beside `batches()` of both
 * files in the same process, and its memory from 100 MB to 1 GB: `npm run bench:compare [-- FORMAT…]`. With
 * `-- --find 200 [FORMAT…]` it changes so many bytes, which a seed chooses, one at a time. `compare` must find each at
 * its time and path; code that shares nothing with `compare` reads the states and says which paths these are.
 * `--bytes N` makes recordings of that size.
 */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CASES } from "./make/cases.ts";

const words = process.argv.slice(2);
const at = words.indexOf("--find");
const find = at < 0 ? null : Number(words.splice(at, 2)[1]);
const bytesAt = words.indexOf("--bytes");
const bytes = bytesAt < 0 ? null : Number(words.splice(bytesAt, 2)[1]);
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
const script = fileURLToPath(new URL("compare.mjs", import.meta.url));
try {
  for (const { name, file, make, sizes } of CASES) {
    if (words.length > 0 && !words.some((word) => name.startsWith(word))) continue;
    for (const size of bytes !== null ? [bytes] : find === null ? sizes : sizes.slice(0, 1)) {
      const path = join(folder, file);
      const fd = openSync(path, "w");
      for (const piece of await make(size)) writeSync(fd, piece);
      closeSync(fd);
      const mode = find === null ? ["speed"] : ["find", String(find)];
      const text = execFileSync(process.execPath, [script, path, ...mode], { maxBuffer: 1 << 26 });
      console.log(`${name}: ${text.toString().trim()}`);
      rmSync(path);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
