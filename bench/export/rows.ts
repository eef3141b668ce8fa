/**
 * Compares the export of rows to Parquet and CSV with DuckDB, which writes the same columns from a table in its memory.
 * Of simtape it measures the writer alone, with rows in memory, and the whole export, which also reads and folds the
 * recording.
 */
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import { open } from "../../packages/simtape/dist/index.js";
import { csv, csvWriter } from "../../packages/simtape/dist/export/csv.js";
import { parquet, parquetWriter } from "../../packages/simtape/dist/export/parquet.js";
import type { Put, RowBatch, RowWriter, Written } from "../../packages/simtape/dist/export/rows.js";
import { withoutUnit } from "../../packages/simtape/dist/export/rows.js";
import { fromFile, toFile } from "../../packages/simtape/dist/io/node/index.js";
import { makeCarla } from "../make/carla.ts";
import { limit, middle, report } from "./measure.ts";

const SET = "vehicles";
const PEER = "DuckDB";

interface Target {
  readonly name: string;
  readonly exporter: typeof csv;
  readonly writerOf: (written: Written, put: Put) => RowWriter | Promise<RowWriter>;
  /** Options with which DuckDB writes the same. */
  readonly copy: string;
}

const TARGETS: readonly Target[] = [
  {
    name: "parquet",
    exporter: parquet,
    writerOf: (written, put) => parquetWriter(written, withoutUnit, put),
    copy: "(FORMAT parquet, COMPRESSION snappy)",
  },
  {
    name: "csv",
    exporter: csv,
    writerOf: (written, put) => csvWriter(written, withoutUnit, put),
    copy: "(FORMAT csv, HEADER)",
  },
];

export async function compareRows(isSmall: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
  const duck = await DuckDBConnection.create();
  try {
    const path = join(folder, "town.log");
    const log = openSync(path, "w");
    for (const piece of makeCarla(isSmall ? 4e6 : 60e6)) writeSync(log, piece);
    closeSync(log);
    const recording = await open(fromFile(path));
    const table = await recording.table(SET, {});
    const batches: RowBatch[] = [];
    let count = 0;
    for await (const batch of table) {
      batches.push(batch);
      count += batch.length;
    }
    const target = (name: string): string => join(folder, name);
    for (const { name, exporter, writerOf, copy } of TARGETS) {
      const file = target(`ours.${name}`);
      const own = await middle(async () => {
        const fd = openSync(file, "w");
        const put: Put = async (piece) =>
          void (typeof piece === "string" ? writeSync(fd, piece) : writeSync(fd, piece));
        const writer = await writerOf(table, put);
        for (const batch of batches) await writer.write(batch);
        await writer.end();
        closeSync(fd);
      });
      // DuckDB writes the rows that simtape has written
      if (name === "parquet") await duck.run(`CREATE TABLE rows AS SELECT * FROM read_parquet('${file}')`);
      const same = await duck.runAndReadAll(`SELECT count(*)::DOUBLE FROM '${file}'`);
      if (same.getRows()[0]![0] !== count) throw new Error(`${name} has other than ${count} rows`);
      const peer = await middle(async () => void (await duck.run(`COPY rows TO '${target(`peer.${name}`)}' ${copy}`)));
      report(`${name}, the writer`, [PEER, peer], own, count);
      const whole = await middle(async () => {
        await exporter.write(recording, toFile(target(`whole.${name}`)), { set: SET });
      });
      report(`${name}, the whole export`, [PEER, peer], whole, count);
      const bytes = Buffer.alloc(1 << 20);
      const { size } = statSync(file);
      const raw = await middle(() => {
        const fd = openSync(target("raw"), "w");
        for (let at = 0; at < size; at += bytes.length) writeSync(fd, bytes);
        closeSync(fd);
      });
      limit(`write its ${(size / 1e6).toFixed(1)} MB`, raw, size);
      console.log(`  bytes: ours ${size}, ${PEER} ${statSync(target(`peer.${name}`)).size}`);
    }
    await recording.close();
  } finally {
    duck.closeSync();
    rmSync(folder, { recursive: true });
  }
}
