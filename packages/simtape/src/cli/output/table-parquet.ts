import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { RecordingError } from "../../model/error.ts";
import type { ItemKind, TableBatch, TableCells, TableColumn, TableList } from "../../model/query/table-cells.ts";
import { jsonOf } from "../../model/query/value-text.ts";
import type { Value } from "../../model/value.ts";
import { type HeaderOf, OWN, type Put, type RowWriter, type Written } from "./table-rows.ts";

/** Cells of a row group, about; and rows at most. */
const CELLS = 1 << 20;
const ROWS = 1 << 17;

type Data = unknown[] | TableCells["data"];

/** Parquet, compressed by snappy. The file is written in one go, and no more than a row group is in memory. */
export function parquetWriter(
  { columns, axes }: Written,
  header: HeaderOf,
  put: Put,
  /** Columns that every row has, and whose numbers are whole. */
  own: readonly string[] = OWN,
): RowWriter {
  const bytes = new ByteWriter();
  const names = namesOf(columns, header);
  const schema = columns.flatMap((column, k) => elementsOf(column, names[k]!, own));
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
  let [rows, cells] = [0, 0];
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
        own,
      ) as unknown[],
      offsetIndex: false,
    }));
    await writer.write({ columnData, rowGroupSize: rows });
    batches = [];
    rows = cells = 0;
    await drain();
  };
  return {
    write: async (batch) => {
      batches.push(batch);
      rows += batch.length;
      for (const { kind, data } of batch.columns)
        if (kind === "list") for (const list of data as readonly TableList[]) cells += list.length;
      if (rows >= most || cells >= CELLS) await flush();
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

/** A column, or the three levels of a list (Parquet format, LogicalTypes, "Lists"). */
function elementsOf(column: TableColumn, name: string, own: readonly string[]): SchemaElement[] {
  if (column.kind === "list")
    return [
      { name, repetition_type: "OPTIONAL", converted_type: "LIST", num_children: 1 },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", repetition_type: "OPTIONAL", ...TYPES[column.items ?? "string"] },
    ];
  const repetition_type = own.includes(column.name) && column.name !== "record" ? "REQUIRED" : "OPTIONAL";
  return [{ name, repetition_type, ...(isWhole(column, own) ? { type: "INT64" } : TYPES[column.kind]) }];
}

/** A column of its own whose numbers are whole. */
function isWhole({ name, kind, unit }: TableColumn, own: readonly string[]): boolean {
  return kind === "f64" && own.includes(name) && unit !== "s";
}

const TYPES: Readonly<Record<ItemKind, Omit<SchemaElement, "name">>> = {
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
function joined(column: TableColumn, parts: readonly TableCells[], rows: number, own: readonly string[]): Data {
  if (isWhole(column, own)) return wholeNumbers(parts, rows);
  const { kind, name, items = "string" } = column;
  const cells = new Array<unknown>(rows).fill(null);
  let at = 0;
  for (const { data, valid } of parts) {
    for (let row = 0; row < valid.length; row++, at++) {
      if (valid[row] === 0) continue;
      const value = data[row]!;
      if (kind === "list") cells[at] = Array.from(value as ArrayLike<Value>, (item) => itemOf(item, items, name));
      else cells[at] = kind === "bool" ? value === 1 : itemOf(value as Value, kind, name);
    }
  }
  return cells;
}

/** A value as one of its kind; throws `RecordingError` for a whole number that Parquet has no room for. */
function itemOf(value: Value, kind: ItemKind, name: string): Value {
  if (value === null) return null;
  if (kind === "string") return typeof value === "string" ? value : jsonOf(value);
  if (kind !== "bigint") return value;
  const whole = BigInt(value as number | bigint);
  mustFit(whole, name);
  return whole;
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
