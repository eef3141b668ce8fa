/**
 * Runs a statement by DuckDB alone, in a process of its own: node bench/sql-parquet.mjs STATEMENT. Writes rows as
 * lines.
 */
import { createRequire } from "node:module";

const { DuckDBConnection } = createRequire(import.meta.url)("@duckdb/node-api");
const connection = await DuckDBConnection.create();
const result = await connection.stream(process.argv[2]);
process.stdout.write(`${result.columnNames().join()}\n`);
for (;;) {
  const chunk = await result.fetchChunk();
  if (chunk === null || chunk.rowCount === 0) break;
  process.stdout.write(
    chunk
      .getRows()
      .map((row) => row.map(String).join() + "\n")
      .join(""),
  );
}
connection.closeSync();
