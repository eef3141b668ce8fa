/**
 * Writes the facts of many recordings into a lake, and asks DuckDB questions about all of them:
 * `npm run bench:lake [-- RECORDINGS]`, by default 10,000. The recordings are small logs of CARLA, made in memory, with
 * 100 things each. They begin on 365 different days, and are read in the ordinary way.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import { MAGIC } from "../packages/simtape/src/formats/carla/layout/layout.ts";
import { carla } from "../packages/simtape/src/formats/carla/format.ts";
import { bundleOf } from "../packages/simtape/src/io/source/bundle.ts";
import { memory } from "../packages/simtape/src/io/source/memory.ts";
import { directoryStore } from "../packages/simtape/src/io/node/index.ts";
import { type LakeOptions, type LakeSource, manifestsIn, updateLake } from "../packages/simtape/src/lake/index.ts";
import { openBundle } from "../packages/simtape/src/model/open.ts";
import { makeCarla } from "./make/carla.ts";

const [count = 10_000] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-lake-"));
const lake = directoryStore(folder);
const DAY = 86_400;
/** Offset of the date in a log: it stands behind the version and the text of the magic with its length. */
const DATE_OFFSET = 4 + MAGIC.length;

function source(k: number): LakeSource {
  return {
    file: `town-${k}.log`,
    stamp: String(k),
    open: () => {
      const bytes = Buffer.concat([...makeCarla(16_000 + (k % 7) * 4000)]);
      bytes.writeBigInt64LE(BigInt(1_700_000_000 + (k % 365) * DAY), DATE_OFFSET);
      return openBundle(bundleOf(memory(bytes, `town-${k}.log`)), [carla]);
    },
  };
}

async function timed<T>(work: () => Promise<T>): Promise<[T, milliseconds: number]> {
  const began = performance.now();
  const result = await work();
  return [result, performance.now() - began];
}

async function update(sources: readonly LakeSource[]): Promise<Map<string, number>> {
  const options: LakeOptions = { sets: [] };
  const did = new Map<string, number>();
  for await (const change of updateLake(lake, sources, options)) did.set(change.did, (did.get(change.did) ?? 0) + 1);
  return did;
}

const files = (table: string): string => `read_parquet('${folder}/${table}/**/*.parquet', hive_partitioning = true)`;

const QUESTIONS: readonly (readonly [name: string, sql: string])[] = [
  ["count of recordings", `SELECT count(*) FROM ${files("recordings")}`],
  ["messages by day", `SELECT day, sum(messages), avg(duration) FROM ${files("recordings")} GROUP BY day`],
  ["events by day and kind", `SELECT day, kind, count(*) FROM ${files("events")} GROUP BY ALL`],
  ["events of one day", `SELECT kind, count(*) FROM ${files("events")} WHERE day = DATE '2024-01-01' GROUP BY ALL`],
];

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

try {
  const sources = Array.from({ length: count }, (_, k) => source(k));
  const [first, written] = await timed(() => update(sources));
  let [rows, bytes, parts] = [0, 0, 0];
  for await (const manifest of manifestsIn(lake))
    for (const file of manifest.files) [rows, bytes, parts] = [rows + file.rows, bytes + file.bytes, parts + 1];
  console.log(
    `${first.get("added") ?? 0} recordings: ${rows} rows in ${parts} files, ${(bytes / 1e6).toFixed(1)} MB; written in ${seconds(written)}, ${(written / count).toFixed(1)} ms each`,
  );
  const [second, looked] = await timed(() => update(sources));
  console.log(`  a second run, ${second.get("unchanged") ?? 0} unchanged: ${seconds(looked)}`);
  const [third, changed] = await timed(() =>
    update(sources.map((one, k) => (k === 7 ? { ...one, stamp: "new" } : one))),
  );
  console.log(`  one of them changed, ${third.get("replaced") ?? 0} replaced: ${seconds(changed)}`);
  const duckdb = await DuckDBConnection.create();
  for (const [name, sql] of QUESTIONS) {
    const [found, taken] = await timed(async () => (await duckdb.runAndReadAll(sql)).getRowsJS());
    console.log(`  DuckDB, ${name.padEnd(24)} ${found.length} rows in ${seconds(taken)}`);
  }
  duckdb.closeSync();
} finally {
  rmSync(folder, { recursive: true });
}
