import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { RecordingError } from "../model/error.ts";
import type { TableBatch, TableCells, TableColumn, TableKind } from "../model/query/table-cells.ts";
import { type HeaderOf, OWN, type Put, type RowWriter, type Written } from "./table-rows.ts";

/** Cells of a row group, about; and rows at most. */
const CELLS = 1 << 20;
const ROWS = 1 << 17;

type Data = unknown[] | TableCells["data"];

/** Parquet, compressed by snappy. The file is written in one go, and no more than a row group is in memory. */
export function parquetWriter({ columns, axes }: Written, header: HeaderOf, put: Put): RowWriter {
  const bytes = new ByteWriter();
  const names = namesOf(columns, header);
  const schema: SchemaElement[] = columns.map((column, k) => ({ name: names[k]!, ...typeOf(column) }));
  const units = columns.flatMap(({ unit }, k) => (unit === null ? [] : [[names[k]!, unit]]));
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: "table", num_children: columns.length }, ...schema],
    createdBy: "simtape",
    kvMetadata: Object.entries({ units: Object.fromEntries(units), axes }).map(([key, value]) => ({
      ...{ key, value: JSON.stringify(value) },
    })),
  });
  const most = Math.max(1, Math.min(ROWS, Math.floor(CELLS / columns.length)));
  let batches: TableBatch[] = [];
  let rows = 0;
  const drain = async (): Promise<void> => {
    const piece = bytes.getBytes().slice();
    bytes.index = 0;
    await put(piece);
  };
  const flush = async (): Promise<void> => {
    if (rows === 0) return;
    const group = batches;
    const columnData = columns.map((column, k) => ({
      name: names[k]!,
      data: joined(
        column,
        group.map((batch) => batch.columns[k]!),
        rows,
      ) as unknown[],
      offsetIndex: false,
    }));
    await writer.write({ columnData, rowGroupSize: rows });
    batches = [];
    rows = 0;
    await drain();
  };
  return {
    write: async (batch) => {
      batches.push(batch);
      rows += batch.length;
      if (rows >= most) await flush();
    },
    end: async () => {
      await flush();
      await writer.finish();
      await drain();
    },
  };
}

/** Each name once: readers of Parquet do not tell upper from lower case. */
function namesOf(columns: readonly TableColumn[], header: HeaderOf): string[] {
  const met = new Set<string>();
  return columns.map((column) => {
    const own = header(column);
    let name = own;
    for (let n = 2; met.has(name.toLowerCase()); n++) name = `${own} (${n})`;
    met.add(name.toLowerCase());
    return name;
  });
}

function typeOf(column: TableColumn): Omit<SchemaElement, "name"> {
  const repetition_type = OWN.includes(column.name) && column.name !== "record" ? "REQUIRED" : "OPTIONAL";
  return { repetition_type, ...(isWhole(column) ? { type: "INT64" } : TYPES[column.kind]) };
}

/** A column of its own whose numbers are whole. */
function isWhole({ name, kind, unit }: TableColumn): boolean {
  return kind === "f64" && OWN.includes(name) && unit !== "s";
}

const TYPES: Readonly<Record<TableKind, Omit<SchemaElement, "name">>> = {
  f64: { type: "DOUBLE" },
  f32: { type: "FLOAT" },
  i32: { type: "INT32" },
  u32: { type: "INT32", converted_type: "UINT_32" },
  u8: { type: "INT32", converted_type: "UINT_8" },
  bool: { type: "BOOLEAN" },
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  bigint: { type: "INT64" },
};

/** The cells of a column in some batches; null where one is not valid. */
function joined(column: TableColumn, parts: readonly TableCells[], rows: number): Data {
  if (isWhole(column)) return wholeNumbers(parts, rows);
  const { kind, name } = column;
  const cells = new Array<unknown>(rows).fill(null);
  let at = 0;
  for (const { data, valid } of parts) {
    for (let row = 0; row < valid.length; row++, at++) {
      if (valid[row] === 0) continue;
      const value = data[row]!;
      if (kind === "bigint") mustFit(value as bigint, name);
      cells[at] = kind === "bool" ? value === 1 : value;
    }
  }
  return cells;
}

function wholeNumbers(parts: readonly TableCells[], rows: number): Data {
  const cells = new BigInt64Array(rows);
  let at = 0;
  for (const { data } of parts) for (const value of data as Float64Array) cells[at++] = BigInt(Math.round(value));
  return cells as unknown as Data;
}

function mustFit(value: bigint, name: string): void {
  if (BigInt.asIntN(64, value) === value) return;
  throw new RecordingError("unsupported", `column ${name} has ${value}, and Parquet 64 bits: write CSV or NDJSON`);
}
