import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { DuckDBConnection } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";

/** A row as another program reads it: no time but `ns`, `utc` in microseconds since 1970, and only cells that are there. */
export type ReadRow = Readonly<Record<string, unknown>>;

/** Programs that share no code with what wrote the files. */
export type ReadRows = (path: string) => Promise<readonly ReadRow[]>;

/** Debian's Python, where it has NumPy and pandas: another one may be first on the path. */
export const PYTHON: string | null =
  ["/usr/bin/python3", "python3"].find((program) => spawnSync(program, ["-c", "import numpy, pandas"]).status === 0) ??
  null;

let duckdb: Promise<DuckDBConnection> | null = null;

/** What DuckDB answers. */
export async function query(sql: string): Promise<Record<string, unknown>[]> {
  duckdb ??= DuckDBConnection.create();
  return (await (await duckdb).runAndReadAll(sql)).getRowObjectsJS();
}

/** Nothing of `path` is reported to DuckDB: it finds names and types itself. */
export function tableIn(path: string): string {
  if (path.endsWith(".parquet")) return `read_parquet('${path}')`;
  if (path.endsWith(".csv")) return `read_csv('${path}', sample_size = -1)`;
  return `read_json('${path}', format = 'newline_delimited', sample_size = -1)`;
}

export const byDuckdb: ReadRows = async (path) => {
  const columns = (await query(`describe select * from ${tableIn(path)}`)).map((row) => String(row["column_name"]));
  const utc = columns.includes("utc") ? `replace (epoch_us(utc::timestamptz)::double as utc)` : "";
  return (await query(`select * ${utc} from ${tableIn(path)}`)).map(tidied);
};

export const byApacheArrow: ReadRows = async (path) => {
  const table = tableFromIPC(readFileSync(path));
  const columns = table.schema.fields.map(({ name }, k) => [name, table.getChildAt(k)!] as const);
  return Array.from({ length: table.numRows }, (_, row) =>
    tidied(
      Object.fromEntries(
        // apache-arrow gives milliseconds of a timestamp
        columns.map(([name, column]) => {
          const cell: unknown = column.get(row);
          return [name, name === "utc" ? (cell as number) * 1000 : cell];
        }),
      ),
    ),
  );
};

/** By NumPy: names of arrays have no unit, so the units of the metadata are put behind them. */
export const byNumpy: ReadRows = (path) =>
  python(
    `
import json, sys, numpy
file = numpy.load(sys.argv[1], allow_pickle=False)
meta = json.loads(file["metadata.json"])
columns = {}
rows = 0
for name, about in meta["columns"].items():
    array = file[name]
    rows = len(array)
    cells = array.astype("datetime64[us]").astype("int64").tolist() if array.dtype.kind == "M" else array.tolist()
    if name + ".valid" in file.files:
        cells = [cell if valid else None for cell, valid in zip(cells, file[name + ".valid"].tolist())]
    columns[name + ("" if about["unit"] is None else " [" + about["unit"] + "]")] = cells
for row in range(rows):
    cells = {name: cells[row] for name, cells in columns.items()}
    print(json.dumps({name: None if cell != cell else cell for name, cell in cells.items()}))
`,
    path,
  );

export const byPandas: ReadRows = (path) =>
  python(
    `
import json, sys, pandas
frame = pandas.read_csv(sys.argv[1], float_precision="round_trip", low_memory=False)
if "utc" in frame: frame["utc"] = pandas.to_datetime(frame["utc"]).astype("int64") // 1000
for row in frame.to_dict("records"):
    print(json.dumps({name: None if cell != cell else cell for name, cell in row.items()}))
`,
    path,
  );

async function python(script: string, path: string): Promise<readonly ReadRow[]> {
  const { status, stdout, stderr } = spawnSync(PYTHON!, ["-c", script, path], { maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(stderr.toString());
  const lines = stdout
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => tidied(JSON.parse(line) as Record<string, unknown>));
}

function tidied(row: Record<string, unknown>): ReadRow {
  const cells: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(row)) {
    if (cell === null || cell === "" || (typeof cell === "number" && Number.isNaN(cell))) continue;
    const value = typeof cell === "bigint" ? Number(cell) : cell;
    if (name === "t [s]") cells["ns"] = Math.round((value as number) * 1e9);
    else cells[name] = value;
  }
  return cells;
}
