/**
 * Compares questions in SQL to recordings with the same questions to an earlier export to Parquet, in one run:
 * `npm run bench:sql [-- RECORDINGS MEGABYTES EACH EXPORTED]`, by default 30 recordings of 1 MB (`EACH`) and one of 20
 * MB (`MEGABYTES`). The ratio is how many times as long the question to the recordings themselves takes. `EXPORTED`:
 * how many recordings are exported, by default all. 0 leaves out Parquet, for instance for 300 recordings of 1 GB in
 * all (`-- 300 100 3.4 0`), whose export takes longest. `-- 5 5` is short.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import { parquetWriter } from "../packages/simtape/src/export/parquet.ts";
import { withoutUnit } from "../packages/simtape/src/export/rows.ts";
import { FORMATS } from "../packages/simtape/src/formats.ts";
import { fromFile } from "../packages/simtape/src/io/node/index.ts";
import { openBundle } from "../packages/simtape/src/model/open.ts";
import { SqlSession, type SqlSource } from "../packages/simtape/src/sql/index.ts";
import { makeCarla } from "./make/carla.ts";

const [count = 30, megabytes = 20, each = 1, toExport = count] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));

const QUESTIONS: readonly (readonly [name: string, sql: string])[] = [
  [
    "collisions by recording",
    "SELECT recording, count(*) AS n FROM events WHERE kind = 'collision' GROUP BY ALL ORDER BY ALL",
  ],
  ["events by recording", "SELECT recording, kind, count(*) AS n FROM events GROUP BY ALL ORDER BY ALL"],
  [
    "group by",
    "SELECT recording, id, avg(position_x) AS x, max(position_y) AS y FROM vehicles GROUP BY ALL ORDER BY ALL",
  ],
  [
    "distance of two by a join",
    "SELECT recording, min(sqrt((a.position_x - b.position_x) ** 2 + (a.position_y - b.position_y) ** 2)) AS least FROM vehicles a JOIN vehicles b USING (recording, time) WHERE a.id = 3 AND b.id = 4 GROUP BY ALL ORDER BY ALL",
  ],
  [
    "a second of each",
    "SELECT recording, count(*) AS n FROM vehicles WHERE time BETWEEN 1 AND 2 GROUP BY ALL ORDER BY ALL",
  ],
];

/** `collideEvery`: frames from one collision to the next. */
function made(name: string, size: number, collideEvery: number): SqlSource {
  const path = join(folder, name);
  const fd = openSync(path, "w");
  for (const piece of makeCarla(size, collideEvery)) writeSync(fd, piece);
  closeSync(fd);
  return { name, file: path, open: () => openBundle(fromFile(path), FORMATS) };
}

/** All rows of a table of one recording as a file of Parquet. */
async function exported(source: SqlSource, table: string): Promise<void> {
  await using session = await SqlSession.open([source]);
  const answer = await session.query(`SELECT * FROM ${table}`);
  mkdirSync(join(folder, table), { recursive: true });
  const fd = openSync(join(folder, table, `${source.name}.parquet`), "w");
  const put = async (piece: string | Uint8Array): Promise<void> => void writeSync(fd, piece as Uint8Array);
  const columns = answer.columns.map((column) => ({ ...column, isFree: true }));
  const writer = parquetWriter({ columns, axes: null }, withoutUnit, put);
  for await (const batch of answer) await writer.write(batch);
  await writer.end();
  closeSync(fd);
}

async function timed<T>(work: () => Promise<T>): Promise<[T, milliseconds: number]> {
  const began = performance.now();
  const result = await work();
  return [result, performance.now() - began];
}

/** The answer of simtape as text, which can be compared. */
async function ours(sources: readonly SqlSource[], sql: string): Promise<string> {
  await using session = await SqlSession.open(sources);
  const lines: string[] = [];
  for await (const { length, columns } of await session.query(sql))
    for (let row = 0; row < length; row++) lines.push(columns.map(({ data }) => shown(data[row])).join());
  return lines.join("\n");
}

function shown(value: unknown): string {
  return typeof value === "number" ? value.toPrecision(9) : String(value);
}

try {
  const sources = Array.from({ length: count }, (_, k) => made(`town-${k}.log`, each * 1e6, 10 + (k % 7)));
  const large = made("large.log", megabytes * 1e6, 10);
  const [, export_] = await timed(async () => {
    for (const source of sources.slice(0, toExport))
      for (const table of ["vehicles", "events"]) await exported(source, table);
  });
  console.log(
    `${count} recordings of ${each} MB${toExport > 0 ? `; ${toExport} exported to Parquet in ${(export_ / 1000).toFixed(1)} s` : ""}`,
  );
  const duckdb = await DuckDBConnection.create();
  for (const table of toExport > 0 ? ["vehicles", "events"] : [])
    await duckdb.run(`CREATE VIEW ${table} AS FROM read_parquet('${join(folder, table)}/*.parquet')`);
  for (const [name, sql] of QUESTIONS) {
    if (toExport === 0) {
      const [answer, taken] = await timed(() => ours(sources, sql));
      console.log(`  ${name.padEnd(26)} ${(taken / 1000).toFixed(1)} s, ${answer.split("\n").length} rows`);
      continue;
    }
    const [answer, taken] = await timed(() => ours(sources.slice(0, toExport), sql));
    const [rows, beside] = await timed(async () => (await duckdb.runAndReadAll(sql)).getRowsJS());
    const isSame = rows.map((row) => row.map(shown).join()).join("\n") === answer;
    console.log(
      `  ${name.padEnd(26)} ${taken.toFixed(0)} ms beside ${beside.toFixed(0)} ms of Parquet: ${(taken / beside).toFixed(1)} times as long, ${(export_ / taken).toFixed(1)} times as fast as exporting first${isSame ? "" : ", ANOTHER ANSWER"}${rows.length > 0 ? "" : ", NOTHING FOUND"}`,
    );
  }
  const [, first] = await timed(async () => {
    await using session = await SqlSession.open([large]);
    for await (const _ of await session.query("SELECT id, position_x FROM vehicles WHERE time BETWEEN 5 AND 5.5"))
      break;
  });
  console.log(
    `${megabytes} MB without an index: first row of half a second after ${first.toFixed(0)} ms, opening included`,
  );
  const recording = await large.open();
  const [, again] = await timed(async () => {
    await using session = await SqlSession.open([{ ...large, open: async () => recording, closes: false }]);
    for await (const _ of await session.query("SELECT id, position_x FROM vehicles WHERE time BETWEEN 5 AND 5.5"))
      break;
  });
  console.log(`  of one that is open: ${again.toFixed(0)} ms`);
  await recording.close();
  duckdb.closeSync();
} finally {
  rmSync(folder, { recursive: true });
}
