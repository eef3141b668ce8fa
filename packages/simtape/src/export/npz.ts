import type { ByteSink } from "../io/sink/sink.ts";
import { toJson } from "../model/values/json.ts";
import type { Exporter } from "./exporter.ts";
import { ColumnArrays } from "./npz-arrays.ts";
import { exporterOfRows, type Rows } from "./row-exporter.ts";
import { NPZ } from "./row-facts.ts";
import { headersOf, type RowColumn, withoutUnit } from "./rows.ts";
import { StoredZip } from "./stored-zip.ts";

/** Name of the member that says what the arrays are. */
const METADATA = "metadata.json";

/**
 * NumPy: an array for each column (NEP 1), as `numpy.load` takes them. An array states its shape before its numbers, so
 * the recording is read twice: once to count, once to write. Memory grows with a batch of rows.
 */
export const npz: Exporter = exporterOfRows(NPZ, write);

async function write(rows: Rows, sink: ByteSink): Promise<number> {
  const columns = rows.columns.map((column) => new ColumnArrays(column));
  let count = 0;
  for await (const batch of rows.batches()) {
    count += batch.length;
    for (const [k, cells] of batch.columns.entries()) columns[k]!.meet(cells);
  }
  // names of arrays are for programs: units are in the metadata
  const names = memberNames(headersOf(rows.columns, withoutUnit));
  const arrays = columns.map((column, k) => column.arrays(names[k]!, count));
  const metadata = new TextEncoder().encode(metadataOf(rows, names));
  const members = arrays.flat().map(({ name, head, size }) => ({ name: `${name}.npy`, size: head.length + size }));
  const zip = await StoredZip.begin(sink, [{ name: METADATA, size: metadata.length }, ...members]);
  await zip.put(0, metadata);
  // where the arrays of each column begin among the members
  const first: number[] = [];
  let at = 1;
  for (const own of arrays) {
    first.push(at);
    for (const { head } of own) await zip.put(at++, head);
  }
  for await (const batch of rows.batches()) {
    for (const [k, cells] of batch.columns.entries()) {
      for (const [n, { piecesOf }] of arrays[k]!.entries()) {
        for (const piece of piecesOf(cells)) await zip.put(first[k]! + n, piece);
      }
    }
  }
  await zip.end();
  return count;
}

/** JSON: `columns` by the names of their arrays, with name, unit and kind; `axes`. */
function metadataOf(rows: Rows, names: readonly string[]): string {
  const columnOf = ({ name, unit, kind, items, isUtc }: RowColumn): object => ({
    ...{ name, unit, kind: isUtc === true ? "utc" : kind },
    ...(items === undefined ? {} : { items }),
  });
  const columns = Object.fromEntries(rows.columns.map((column, k) => [names[k]!, columnOf(column)]));
  return `${toJson({ of: rows.name, columns, axes: rows.axes })}\n`;
}

/** What a program that unpacks the zip would take for a folder, or cannot write on every system. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029/\\:*?"<>|]/gu;

/** A name of a file for each array, each once also where upper and lower case are the same. */
function memberNames(headers: readonly string[]): string[] {
  const met = new Set<string>([METADATA]);
  return headers.map((header) => {
    const own = header.replace(UNSAFE, "_");
    let name = own;
    const isTaken = (): boolean => ["", ".valid", ".lengths"].some((end) => met.has(`${name}${end}`.toLowerCase()));
    for (let n = 2; isTaken(); n++) name = `${own} (${n})`;
    for (const end of ["", ".valid", ".lengths"]) met.add(`${name}${end}`.toLowerCase());
    return name;
  });
}
