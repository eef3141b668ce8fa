/**
 * Compares exports with other writers and readers in the same run: `npm run bench:export [-- --small] [FILE…]`. Rows as
 * Parquet and CSV beside DuckDB; MCAP written and read beside @mcap/core; and for each FILE the whole export to MCAP,
 * decoding and JSON included. It measures processor time. The ratios count; the rates depend on the machine and on
 * other programs.
 */
import { compareMcap, compareRecording } from "./export/mcap.ts";
import { compareRows } from "./export/rows.ts";

const words = process.argv.slice(2);
const isSmall = words.includes("--small");
await compareRows(isSmall);
await compareMcap(isSmall);
for (const path of words.filter((word) => !word.startsWith("--"))) await compareRecording(path);
