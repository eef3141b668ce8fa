/**
 * Measures numbers over time, of one path, of a recorded value and of fifty paths, beside `batches()` of the same range
 * in the same process: `npm run bench:series [-- FORMAT…]`. Each measurement has a pass of `batches()` of its own, and
 * the median of the ratios counts: by the clock, and by processor time, which other programs disturb less. 1: as fast
 * as `batches()`.
 */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CASES } from "./make/cases.ts";

/** The results of `series.mjs`: milliseconds, and how many times as fast. */
interface Result {
  readonly bytes: number;
  readonly messages: number;
  readonly path: string;
  readonly paths: number;
  readonly results: readonly {
    readonly name: string;
    readonly taken: number;
    readonly scanned: number;
    readonly wall: number;
    readonly processor: number;
  }[];
}

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
try {
  for (const { name, file, make, sizes } of CASES) {
    if (wanted.length > 0 && !wanted.some((word) => name.startsWith(word))) continue;
    const path = join(folder, file);
    const fd = openSync(path, "w");
    for (const piece of await make(sizes.at(-1)!)) writeSync(fd, piece);
    closeSync(fd);
    const text = execFileSync(process.execPath, [fileURLToPath(new URL("series.mjs", import.meta.url)), path]);
    const { bytes, messages, path: one, paths, results } = JSON.parse(text.toString()) as Result;
    console.log(
      `${name}, ${Math.round(bytes / 1e6)} MB, ${(messages / 1e6).toFixed(1)} M messages; ${one}; ${paths} paths`,
    );
    for (const { name: what, taken, scanned, wall, processor } of results) {
      console.log(
        `  ${what.padEnd(7)} ${taken.toFixed(0)} ms beside ${scanned.toFixed(0)} ms: ${wall.toFixed(2)} times as fast, ${processor.toFixed(2)} by processor time`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
