/**
 * Measures the reading speed of each format, beside a raw read of the same bytes in the same process:
 * `npm run bench [-- FORMAT…]`. Without a format, or with `mcap`, it also compares the same payloads with @mcap/core.
 * Makes files in a temporary folder, and removes them. The ratios count; MB/s depend on the machine and on other
 * programs.
 */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CASES } from "./make/cases.ts";
import { comparePeers } from "./peers.ts";

/** The results of `case.mjs`: milliseconds, bytes. */
interface Result {
  readonly bytes: number;
  readonly messages: number;
  readonly raw: number;
  readonly opened: number;
  readonly scanned: number;
  readonly reversed: number;
  readonly decodedPerSecond: number;
  readonly state: number;
  readonly peak: number;
}

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
try {
  for (const { name, file, make, sizes } of CASES) {
    if (wanted.length > 0 && !wanted.some((word) => name.startsWith(word))) continue;
    for (const size of sizes) {
      const path = join(folder, file);
      const fd = openSync(path, "w");
      for (const piece of await make(size)) writeSync(fd, piece);
      closeSync(fd);
      const text = execFileSync(process.execPath, [fileURLToPath(new URL("case.mjs", import.meta.url)), path]);
      const result = JSON.parse(text.toString()) as Result;
      const rate = (milliseconds: number): string => `${Math.round(result.bytes / milliseconds / 1000)} MB/s`;
      console.log(
        [
          `${name} ${Math.round(result.bytes / 1e6)} MB`.padEnd(28),
          `raw ${rate(result.raw)}`.padEnd(16),
          `open ${rate(result.opened)} (${(result.opened / result.raw).toFixed(1)}x raw)`.padEnd(30),
          `scan ${rate(result.scanned)} (${(result.scanned / result.raw).toFixed(1)}x), ${(result.messages / result.scanned / 1000).toFixed(2)} M msg/s`.padEnd(
            46,
          ),
          `reverse ${(result.reversed / result.scanned).toFixed(2)}x scan`.padEnd(20),
          `decode ${(result.decodedPerSecond / 1000).toFixed(0)} k/s`.padEnd(16),
          `state ${result.state.toFixed(0)} ms`.padEnd(14),
          `peak ${Math.round(result.peak / 1e6)} MB`,
        ].join(" "),
      );
    }
  }
  if (wanted.length === 0 || wanted.includes("mcap")) await comparePeers();
} finally {
  rmSync(folder, { recursive: true });
}
