import type { Budget } from "../bytes/budget.ts";
import type { Axes } from "../model/axes/axes.ts";
import type { Recording } from "../model/recording.ts";
import type { ByteSink, SinkBundle } from "../io/sink/sink.ts";
import type { Lost } from "../model/writer.ts";
import type { Exporter, ExportOptions, ExportReport, ExportTarget } from "./exporter.ts";
import { rowsIn, rowsOf } from "./row-source.ts";
import {
  type HeaderOf,
  type Put,
  type RowBatch,
  type RowColumn,
  type RowWriter,
  withoutUnit,
  withUnit,
  type Written,
} from "./rows.ts";
import { rowTimes } from "./row-times.ts";

/** Rows that were asked for, with their times as files have them. */
export interface Rows {
  readonly name: string;
  readonly columns: readonly RowColumn[];
  readonly axes: Axes | null;
  readonly header: HeaderOf;
  /** Reads the recording, again at each call. */
  batches(): AsyncGenerator<RowBatch>;
  /** What had no rows, or empty ones, so far. */
  lost(): readonly Lost[];
}

/** What a target of rows is given to write to. */
export interface RowPlace {
  readonly written: Written;
  readonly header: HeaderOf;
  readonly put: Put;
  /** Name of the file; null: it has none. */
  readonly fileName: string | null;
  /** Of the recording; null: it has none. */
  readonly budget: Budget | null;
}

/** A target of rows that is written in one go. */
export function rowExporter(
  facts: Omit<ExportTarget, "load">,
  writerFor: (place: RowPlace) => Promise<RowWriter>,
): Exporter {
  return exporterOfRows(facts, async (rows, sink, { name: fileName }, { reader }) => {
    const utf8 = new TextEncoder();
    const put: Put = (piece) => sink.write(typeof piece === "string" ? utf8.encode(piece) : piece);
    const writer = await writerFor({
      written: rows,
      header: rows.header,
      put,
      fileName,
      budget: reader.budget ?? null,
    });
    let count = 0;
    for await (const batch of rows.batches()) {
      await writer.write(batch);
      count += batch.length;
    }
    await writer.end();
    return count;
  });
}

/** A target of rows; `write` writes the file of one set or channel, and gives how many rows it has. */
export function exporterOfRows(
  facts: Omit<ExportTarget, "load">,
  write: (rows: Rows, sink: ByteSink, to: SinkBundle, recording: Recording) => Promise<number>,
): Exporter {
  return {
    ...facts,
    fitting: rowsIn,
    write: async (recording: Recording, to: SinkBundle, options: ExportOptions): Promise<ExportReport> => {
      const rows = await openRows(recording, options);
      const sink = await to.open();
      try {
        const count = await write(rows, sink, to, recording);
        await sink.close();
        return { of: [rows.name], count, unit: "row", lost: rows.lost(), notes: [] };
      } catch (error) {
        await sink.abort();
        throw error;
      }
    },
  };
}

/** Throws `RangeError` for a set, channel, column or thing that is not there. */
async function openRows(recording: Recording, options: ExportOptions): Promise<Rows> {
  const { of, name, undecodable } = await rowsOf(recording, options);
  const table = await recording.table(of, options);
  const times = rowTimes(table.columns, await recording.timeline(), options.time ?? "s");
  // one for the columns
  let readings = 1;
  return {
    name,
    columns: times.columns,
    axes: table.axes,
    header: options.units === false ? withoutUnit : withUnit,
    batches: async function* () {
      readings++;
      for await (const batch of table) {
        yield times.batch(batch);
        options.onProgress?.(Number(batch.columns[0]!.data[batch.length - 1]));
      }
    },
    lost: () => {
      const count = undecodable(readings);
      return count === 0 ? [] : [{ path: name, count, reason: "payloads that do not decode have empty rows" }];
    },
  };
}
