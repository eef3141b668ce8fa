import type { ExportTarget, TargetOption } from "./exporter.ts";

type Facts = Omit<ExportTarget, "load">;

const carries = "any set of the state, or the messages of any channel";
const takes: readonly TargetOption[] = ["channel", "columns", "ids", "axes", "origin", "units", "time"];

/** What targets of rows are called. */
export const CSV: Facts = {
  ...{ id: "csv", name: "CSV, for spreadsheets and pandas", carries, takes },
  ...{ extensions: ["csv"], mediaType: "text/csv" },
};

export const NDJSON: Facts = {
  ...{ id: "ndjson", name: "NDJSON, one JSON object in each line", carries, takes },
  ...{ extensions: ["ndjson", "jsonl"], mediaType: "application/x-ndjson" },
};

export const PARQUET: Facts = {
  ...{ id: "parquet", name: "Apache Parquet, for DuckDB, pandas and Spark", carries, takes },
  ...{ extensions: ["parquet"], mediaType: "application/vnd.apache.parquet" },
};

export const ARROW: Facts = {
  ...{ id: "arrow", name: "Apache Arrow, for pandas, Polars, R and Julia", carries, takes },
  ...{ extensions: ["arrow", "feather", "arrows"], mediaType: "application/vnd.apache.arrow.file" },
};

export const NPZ: Facts = {
  ...{ id: "npz", name: "NumPy, an array for each column", carries, takes },
  ...{ extensions: ["npz"], mediaType: "application/zip" },
};
