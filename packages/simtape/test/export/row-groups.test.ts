import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import { parquetWriter } from "../../src/export/parquet.ts";
import { type RowBatch, type RowColumn, withUnit } from "../../src/export/rows.ts";
import { Budget } from "../../src/kit.ts";

const TIME: RowColumn = { name: "time", unit: "s", kind: "f64" };
const TEXT: RowColumn = { name: "text", unit: null, kind: "string" };
const LIST: RowColumn = { name: "list", unit: null, kind: "list", items: "u8" };

/** Some rows at times from `first` on. */
function batchOf<T>(first: number, column: RowColumn, data: readonly T[]): RowBatch {
  const valid = new Uint8Array(data.length).fill(1);
  const times = Float64Array.from(data, (_, n) => first + n);
  return {
    length: data.length,
    columns: [
      { ...TIME, data: times, valid },
      { ...column, data: data as never, valid },
    ],
  };
}

async function written(column: RowColumn, batches: readonly RowBatch[], budget?: Budget): Promise<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  const put = (piece: string | Uint8Array): Promise<void> => Promise.resolve(void pieces.push(piece as Uint8Array));
  const writer = parquetWriter({ columns: [TIME, column], axes: null }, withUnit, put, budget);
  for (const batch of batches) await writer.write(batch);
  await writer.end();
  const bytes = Buffer.concat(pieces);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

describe("row groups of Parquet", () => {
  test("end where their texts are long, so that memory grows with a group and not with the file", async () => {
    const texts = Array.from({ length: 3000 }, (_, n) => `${n} `.padEnd(10_000, "é"));
    const batches = Array.from({ length: 30 }, (_, k) => batchOf(100 * k, TEXT, texts.slice(100 * k, 100 * k + 100)));
    const file = await written(TEXT, batches);
    const groups = parquetMetadata(file).row_groups.map(({ num_rows }) => Number(num_rows));
    expect(groups.reduce((sum, rows) => sum + rows, 0)).toBe(3000);
    // 8 letters count as a cell, of which a group has a million
    expect(Math.max(...groups)).toBeLessThanOrEqual(Math.ceil((8 << 20) / 10_000) + 100);
    expect((await parquetReadObjects({ file })).map(({ text }) => text as string)).toEqual(texts);
  });

  test("are one where rows are short", async () => {
    const file = await written(TEXT, [batchOf(0, TEXT, ["a", "b"]), batchOf(2, TEXT, ["c"])]);
    expect(parquetMetadata(file).row_groups).toHaveLength(1);
  });

  test("of a list for which there is no memory are over budget, and of a shorter one they are not", async () => {
    const of = (items: number): Promise<ArrayBuffer> =>
      written(LIST, [batchOf(0, LIST, [new Uint8Array(items)])], new Budget(2 ** 20));
    await expect(of(20_000)).rejects.toThrow(/^over budget: rows of Parquet would take/);
    expect((await parquetReadObjects({ file: await of(2000) }))[0]!["list"]).toHaveLength(2000);
  });
});
