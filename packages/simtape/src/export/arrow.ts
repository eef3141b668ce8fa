import {
  Batch,
  bool,
  Column,
  columnFromArray,
  type DataType,
  field,
  float32,
  float64,
  int32,
  int64,
  list,
  Table,
  tableToIPC,
  timestamp,
  TimeUnit,
  type TypedArray,
  uint32,
  uint8,
  utf8,
  Version,
} from "@uwdata/flechette";
import type { ItemKind, TableList } from "../model/query/table-cells.ts";
import type { Value } from "../model/values/value.ts";
import { ArrowFile, type Put as PutBytes } from "./arrow-file.ts";
import type { Exporter } from "./exporter.ts";
import { int64Of, itemOf } from "./row-cells.ts";
import { rowExporter } from "./row-exporter.ts";
import { ARROW } from "./row-facts.ts";
import {
  type HeaderOf,
  headersOf,
  isInEveryRow,
  isWhole,
  type RowCells,
  type RowColumn,
  type RowWriter,
  type Written,
} from "./rows.ts";

/** The file format of Arrow; a stream under a name that ends in `.arrows`. */
export const arrow: Exporter = rowExporter(ARROW, async ({ written, header, put, fileName }) =>
  arrowWriter(written, header, put, fileName?.toLowerCase().endsWith(".arrows") === true ? "stream" : "file"),
);

/**
 * Arrow IPC, a record batch for each batch of rows. Fields have their unit, and the schema has the axes as JSON, in their
 * metadata under `unit` and `axes`.
 */
export function arrowWriter(
  { columns, axes }: Written,
  header: HeaderOf,
  put: PutBytes,
  format: "stream" | "file",
): RowWriter {
  const names = headersOf(columns, header);
  const types = columns.map(typeOf);
  const fields = columns.map((column, k) =>
    field(names[k]!, types[k]!, !isInEveryRow(column), column.unit === null ? null : new Map([["unit", column.unit]])),
  );
  const schema = {
    ...{ version: Version.V5, endianness: 0 as const, fields },
    metadata: new Map([
      ["writer", "simtape"],
      ["axes", JSON.stringify(axes)],
    ]),
  };
  const encoded = (data: readonly Column<unknown>[], as: "stream" | "file"): Uint8Array =>
    tableToIPC(new Table(schema, [...data]), { format: as })!;
  const none = types.map((type) => new Column([], type));
  const file = new ArrowFile(put, format, encoded(none, "stream"));
  return {
    write: ({ columns: all }) => {
      const data = all.map((cells, k) => columnOf(cells, types[k]!));
      return file.batch((as) => encoded(data, as));
    },
    end: () => file.end(() => encoded(none, "file")),
  };
}

function typeOf(column: RowColumn): DataType {
  if (column.isUtc === true) return timestamp(TimeUnit.MICROSECOND, "UTC");
  if (isWhole(column)) return int64();
  if (column.kind === "list") return list(TYPES[column.items ?? "string"]());
  return TYPES[column.kind]();
}

const TYPES: Readonly<Record<ItemKind, () => DataType>> = {
  f64: float64,
  f32: float32,
  i32: int32,
  u32: uint32,
  u8: uint8,
  bool,
  string: utf8,
  bigint: int64,
};

/** A batch of a column: cells that are not valid are null. */
function columnOf(cells: RowCells, type: DataType): Column<unknown> {
  const { name, kind, items = "string", data, valid } = cells;
  const length = valid.length;
  if (kind === "string" || kind === "bigint" || kind === "list") {
    const values = new Array<unknown>(length).fill(null);
    for (let row = 0; row < length; row++) {
      if (valid[row] === 0) continue;
      const value = data[row]!;
      values[row] =
        kind === "list"
          ? Array.from(value as TableList as ArrayLike<Value>, (item) => itemOf(item, items, name))
          : itemOf(value as Value, kind, name);
    }
    return columnFromArray(values, type);
  }
  let nullCount = 0;
  for (let row = 0; row < length; row++) if (valid[row] === 0) nullCount++;
  const validity = nullCount === 0 ? new Uint8Array(0) : bitsOf(valid);
  const values = valuesOf(cells);
  return new Column([new Batch<unknown>({ length, nullCount, type, validity, values })], type);
}

function valuesOf(cells: RowCells): TypedArray {
  const { kind, data } = cells;
  if (kind === "bool") return bitsOf(data as Uint8Array);
  return cells.isUtc === true || isWhole(cells) ? int64Of(data as Float64Array) : (data as TypedArray);
}

/** A bit for each byte that is not 0, the lowest first (Arrow columnar format, "Validity bitmaps"). */
function bitsOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array(Math.ceil(bytes.length / 8));
  for (let k = 0; k < bytes.length; k++) if (bytes[k] !== 0) bits[k >> 3]! |= 1 << (k & 7);
  return bits;
}
