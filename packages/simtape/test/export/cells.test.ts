import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromIPC, Vector } from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import { afterAll, describe, expect, test } from "vitest";
import {
  exportTo,
  MemoryFiles,
  open,
  type Recording,
  type TableBatch,
  type TableColumn,
  type Value,
} from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { CellBuilder } from "../../src/model/query/table-cells.ts";
import { PYTHON, query, tableIn } from "./readers.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-cells-"));
afterAll(() => rmSync(folder, { recursive: true }));

const KINDS = ["f64", "f32", "i32", "u32", "u8", "bool", "string", "bigint"] as const;

const time: TableColumn = { name: "time", unit: "ns", kind: "f64" };
const KIND_COLUMNS: readonly TableColumn[] = [
  time,
  ...KINDS.map((kind) => ({ name: kind, unit: kind === "f64" ? "m/s" : null, kind })),
  ...KINDS.map((items) => ({ name: `${items}s`, unit: null, kind: "list" as const, items })),
];

/** What every third row has, its lists in two lengths; others have half of it, or nothing. */
const VALUES: readonly Value[] = [
  -0.1,
  Math.fround(1.1),
  -(2 ** 31),
  2 ** 32 - 1,
  255,
  true,
  "é\u{1f680}",
  -(2n ** 63n),
];
const LISTS: readonly Value[] = [
  [0.1, -2],
  Float32Array.of(1.5, 2.5, 3.5),
  Int32Array.of(-7),
  Uint32Array.of(2 ** 32 - 1),
  Uint8Array.of(1, 2),
  [true, false],
  ["a", "longer \u{1f680}"],
  [1n, -(2n ** 63n)],
];

const START = 1_700_000_000_123_456_789n;

/** Rows of every kind of cell, as a recording has them. */
function recordingOf(columns: readonly TableColumn[], rows: readonly (readonly Value[])[], size = 7): Recording {
  const batches: TableBatch[] = [];
  for (let from = 0; from < rows.length; from += size) {
    const some = rows.slice(from, from + size);
    const cells = columns.map((column, k) => {
      const builder = new CellBuilder(column, some.length);
      for (const [n, row] of some.entries()) builder.put(n, row[k] ?? null);
      return builder.take(some.length);
    });
    batches.push({ length: some.length, columns: cells });
  }
  const timeline = { start: 0, end: 1e9 * rows.length, epoch: START, tick: null };
  return {
    info: { format: "made" },
    reader: {},
    channels: [],
    traits: async () => ({}),
    timeline: async () => timeline,
    state: async () => ({ sets: new Map([["things", { ids: [1] }]]) }),
    table: async () => ({
      columns,
      axes: null,
      async *[Symbol.asyncIterator]() {
        yield* batches;
      },
    }),
  } as unknown as Recording;
}

const ROWS = Array.from({ length: 20 }, (_, n): readonly Value[] => {
  if (n % 3 === 0) return [n * 1e9 + 1, ...VALUES, ...LISTS];
  if (n % 3 === 1)
    return [n * 1e9 + 1, ...VALUES.map((value, k) => (k % 2 === 0 ? value : null)), ...KINDS.map(() => [])];
  return [n * 1e9 + 1];
});

async function exported(target: string, recording: Recording, name = `x.${target}`): Promise<string> {
  const files = new MemoryFiles(name);
  await exportTo(recording, target, files);
  const path = join(mkdtempSync(join(folder, "x-")), name);
  writeFileSync(path, files.bytes);
  return path;
}

/** As JSON has it, so that programs can be compared. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Vector || Array.isArray(value) || ArrayBuffer.isView(value))
    return Array.from(value as Iterable<unknown>, plain);
  return value ?? null;
}

const EXPECTED = ROWS.map((row) =>
  Object.fromEntries(KIND_COLUMNS.slice(1).map(({ name }, k) => [name, plain(row[k + 1])])),
);

describe("cells of every kind, and those that are not there", () => {
  test.each(["x.arrow", "x.arrows", "x.feather"])("are in Arrow, to apache-arrow: %s", async (name) => {
    const table = tableFromIPC(readFileSync(await exported("arrow", recordingOf(KIND_COLUMNS, ROWS), name)));
    expect(table.numRows).toBe(ROWS.length);
    expect(table.batches.length).toBe(3);
    const types = Object.fromEntries(table.schema.fields.map(({ name: field, type }) => [field, String(type)]));
    expect(types).toMatchObject({
      ...{ "t [s]": "Float64", utc: "Timestamp<MICROSECOND, UTC>", "f64 [m/s]": "Float64", f32: "Float32" },
      ...{ i32: "Int32", u32: "Uint32", u8: "Uint8", bool: "Bool", string: "Utf8", bigint: "Int64" },
      ...{ f32s: "List<Float32>", strings: "List<Utf8>", bigints: "List<Int64>", bools: "List<Bool>" },
    });
    expect(table.schema.fields[2]!.metadata.get("unit")).toBe("m/s");
    const rows = ROWS.map((_, n) =>
      Object.fromEntries(
        table.schema.fields
          .slice(2)
          .map((field, k) => [field.name.split(" ")[0], plain(table.getChildAt(k + 2)!.get(n))]),
      ),
    );
    expect(rows).toEqual(EXPECTED);
    // the library gives milliseconds
    expect(ROWS.map((_, n) => Math.round((table.getChild("utc")!.get(n) as number) * 1000))).toEqual(
      ROWS.map((row) => Number((START + BigInt(row[0] as number)) / 1000n)),
    );
  });

  test("without rows are an Arrow file and stream with the same columns", async () => {
    for (const name of ["x.arrow", "x.arrows"]) {
      const table = tableFromIPC(readFileSync(await exported("arrow", recordingOf(KIND_COLUMNS, []), name)));
      expect([table.numRows, table.schema.fields.length]).toEqual([0, KIND_COLUMNS.length + 1]);
    }
  });

  test("are in Parquet, to DuckDB and hyparquet", async () => {
    const path = await exported("parquet", recordingOf(KIND_COLUMNS, ROWS));
    const types = await query(
      `select column_name as name, column_type as type from (describe select * from ${tableIn(path)})`,
    );
    expect(Object.fromEntries(types.map(({ name, type }) => [name, type]))).toMatchObject({
      ...{ "t [s]": "DOUBLE", utc: "TIMESTAMP WITH TIME ZONE", "f64 [m/s]": "DOUBLE", f32: "FLOAT", i32: "INTEGER" },
      ...{ u32: "UINTEGER", u8: "UTINYINT", bool: "BOOLEAN", string: "VARCHAR", bigint: "BIGINT", f32s: "FLOAT[]" },
    });
    const rows = await query(`select * replace (epoch_us(utc) as utc) from ${tableIn(path)}`);
    const read = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .slice(2)
          .map(([name, cell]) => [name.split(" ")[0], plain(cell)]),
      ),
    );
    expect(read).toEqual(EXPECTED);
    expect(rows.map(({ utc }) => utc)).toEqual(ROWS.map((row) => (START + BigInt(row[0] as number)) / 1000n));
    const bytes = readFileSync(path);
    const metadata = parquetMetadata(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
    );
    expect(metadata.schema.find(({ name }) => name === "utc")).toMatchObject({
      type: "INT64",
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
    });
    const units = metadata.key_value_metadata!.find(({ key }) => key === "units")!.value!;
    expect(JSON.parse(units)).toEqual({ "t [s]": "s", "f64 [m/s]": "m/s" });
  });

  test("are in CSV and NDJSON, to DuckDB", async () => {
    const simple = KIND_COLUMNS.slice(0, 9);
    for (const target of ["csv", "ndjson"]) {
      const path = await exported(target, recordingOf(simple, ROWS));
      const types = await query(
        `select column_name as name, column_type as type from (describe select * from ${tableIn(path)})`,
      );
      const byName = Object.fromEntries(types.map(({ name, type }) => [name, type]));
      expect(byName).toMatchObject({ "t [s]": "DOUBLE", i32: "BIGINT", bool: "BOOLEAN", string: "VARCHAR" });
      expect(["TIMESTAMP WITH TIME ZONE", "TIMESTAMP"]).toContain(byName["utc"]);
      const rows = await query(
        `select * replace (epoch_us(utc::timestamptz) as utc, "bigint"::varchar as "bigint") from ${tableIn(path)}`,
      );
      expect(rows.map(({ utc }) => utc)).toEqual(ROWS.map((row) => (START + BigInt(row[0] as number)) / 1000n));
      for (const [n, row] of rows.entries())
        for (const { name } of simple.slice(1))
          expect(`${plain(row[name === "f64" ? "f64 [m/s]" : name]) as string}`, name).toBe(
            `${(EXPECTED[n]![name] ?? null) as string}`,
          );
    }
  });

  test.skipIf(PYTHON === null)("are in arrays, to NumPy", async () => {
    const path = await exported("npz", recordingOf(KIND_COLUMNS, ROWS));
    const script = `
import json, sys, numpy
file = numpy.load(sys.argv[1], allow_pickle=False)
assert file.zip.testzip() is None
print(json.dumps({name: [file[name].dtype.str, file[name].shape, [str(x) if name in ("bigint", "bigints") else None if x != x else x for x in file[name].ravel().tolist()]] for name in file.files if name not in ("utc", "metadata.json")}))
`;
    const { stdout, stderr } = spawnSync(PYTHON!, ["-c", script, path]);
    expect(stderr.toString()).toBe("");
    const arrays = JSON.parse(stdout.toString()) as Record<string, [string, number[], unknown[]]>;
    const types = Object.fromEntries(Object.entries(arrays).map(([name, [type]]) => [name, type]));
    expect(types).toMatchObject({
      ...{
        t: "<f8",
        f64: "<f8",
        f32: "<f4",
        i32: "<i4",
        u32: "<u4",
        u8: "|u1",
        bool: "|b1",
        string: "<U2",
        bigint: "<i8",
      },
      ...{ f64s: "<f8", f32s: "<f4", u8s: "|u1", bools: "|b1", strings: "<U8", bigints: "<i8", "f32s.lengths": "<i8" },
    });
    for (const [name, [, shape, cells]] of Object.entries(arrays)) {
      if (name === "t" || name.includes(".")) continue;
      const own = EXPECTED.map((row) => row[name] ?? null);
      const valid = arrays[`${name}.valid`]?.[2] ?? own.map((cell) => cell !== null);
      expect(valid, name).toEqual(own.map((cell) => cell !== null));
      if (`${name}.lengths` in arrays) {
        const lists = own.map((list) => (list ?? []) as unknown[]);
        expect(arrays[`${name}.lengths`]![2], name).toEqual(lists.map((list) => list.length));
        expect(cells, name).toEqual(lists.flat());
      } else {
        expect(shape).toEqual([ROWS.length]);
        expect(
          cells.map((cell, n) => (own[n] === null ? null : cell)),
          name,
        ).toEqual(own);
      }
    }
    expect(
      Object.keys(arrays)
        .filter((name) => name.endsWith(".valid"))
        .sort(),
    ).toEqual([...KINDS.slice(2), ...KINDS.map((kind) => `${kind}s`)].map((name) => `${name}.valid`).sort());
  });

  test.skipIf(PYTHON === null)("without rows are empty arrays", async () => {
    const path = await exported("npz", recordingOf(KIND_COLUMNS, []));
    const script =
      "import sys, numpy; f = numpy.load(sys.argv[1]); print([len(f[n]) for n in f.files if n != 'metadata.json'])";
    const { stdout } = spawnSync(PYTHON!, ["-c", script, path]);
    expect(JSON.parse(stdout.toString())).toEqual(new Array(KIND_COLUMNS.length + 1).fill(0));
  });
});

test.skipIf(PYTHON === null)("lists of one length are an array of two dimensions", async () => {
  await using recording = await open(
    fromFile(new URL("../../../corpus/cases/mira/recommended/robot.tape", import.meta.url).pathname),
  );
  const files = new MemoryFiles("x.npz");
  await exportTo(recording, "npz", files, { channel: "/robot/RangeFinder/Front" });
  const path = join(folder, "scan.npz");
  writeFileSync(path, files.bytes);
  const script =
    "import sys, json, numpy; f = numpy.load(sys.argv[1]); print(json.dumps([f['range'].dtype.str, f['range'].tolist()]))";
  const [type, ranges] = JSON.parse(spawnSync(PYTHON!, ["-c", script, path]).stdout.toString()) as [string, number[][]];
  const expected: number[][] = [];
  for await (const message of recording.messages<{ range: Float32Array }>("/robot/RangeFinder/Front"))
    expected.push([...message.value.range]);
  expect(type).toBe("<f4");
  expect(ranges).toEqual(expected);
});

describe("names from a stranger", () => {
  const evil = [
    "../../etc/passwd",
    "a/b",
    "a\\b",
    "A",
    "a",
    "con:",
    "\u202eabc",
    "metadata.json",
    "t",
    "utc",
    "x",
    "x.valid",
  ];
  const columns: readonly TableColumn[] = [time, ...evil.map((name) => ({ name, unit: null, kind: "i32" as const }))];
  const recording = recordingOf(columns, [[1e9, ...evil.map((_, k) => k)], [2e9]]);

  test.skipIf(PYTHON === null)("lead out of no folder, and are each once", async () => {
    const script =
      "import sys, json, numpy; f = numpy.load(sys.argv[1]); print(json.dumps([f.zip.namelist(), json.loads(f['metadata.json'])]))";
    const { stdout } = spawnSync(PYTHON!, ["-c", script, await exported("npz", recording)]);
    const [names, metadata] = JSON.parse(stdout.toString()) as [
      string[],
      { columns: Record<string, { name: string }> },
    ];
    expect(names.filter((name) => /[/\\:\u202e]/.test(name))).toEqual([]);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    expect(Object.values(metadata.columns).map(({ name }) => name)).toEqual(["t#2", "utc#2", ...evil]);
  });

  test("are columns of their own in Parquet and Arrow", async () => {
    const [row] = await query(`select * from ${tableIn(await exported("parquet", recording))}`);
    expect(Object.keys(row!).slice(2)).toEqual(evil.map((name) => (name === "a" ? "a (2)" : name)));
    const table = tableFromIPC(readFileSync(await exported("arrow", recording)));
    expect(table.schema.fields.map(({ name }) => name).slice(2)).toEqual(
      evil.map((name) => (name === "a" ? "a (2)" : name)),
    );
  });
});

test.each([1, 3])(
  "a recording that has %i rows when it is read again, and had 2, is no file of arrays",
  async (rows) => {
    const made = recordingOf([time], [[0], [1]]);
    const [before, now] = await Promise.all([
      made.table("things"),
      recordingOf([time], [[0], [1], [2]].slice(0, rows)).table("things"),
    ]);
    let readings = 0;
    const table = {
      ...{ columns: [time], axes: null },
      [Symbol.asyncIterator]: () => (readings++ === 0 ? before : now)[Symbol.asyncIterator](),
    };
    const files = new MemoryFiles("x.npz");
    const changing = Object.assign(made, { table: async () => table });
    await expect(exportTo(changing as unknown as Recording, "npz", files)).rejects.toMatchObject({
      code: "source-changed",
    });
    expect(files.files.size).toBe(0);
  },
);

describe("what a file cannot hold", () => {
  const column = (kind: "string" | "bigint"): readonly TableColumn[] => [time, { name: "x", unit: null, kind }];

  test("is refused where texts would take more than a gigabyte of zeros", async () => {
    const rows = Array.from({ length: 1024 }, (_, n) => [n, n === 5 ? "x".repeat(300_000) : "y"]);
    const files = new MemoryFiles("x.npz");
    await expect(exportTo(recordingOf(column("string"), rows), "npz", files)).rejects.toThrow(
      "column x has texts of up to 300000 letters",
    );
    expect(files.files.size).toBe(0);
  });

  test.each(["parquet", "arrow", "npz"])(
    "is refused by %s where a whole number has more than 64 bits",
    async (target) => {
      const files = new MemoryFiles("x");
      const made = recordingOf(column("bigint"), [
        [0, 1n],
        [1, 2n ** 63n],
      ]);
      await expect(exportTo(made, target, files)).rejects.toMatchObject({ code: "unsupported" });
      expect(files.files.size).toBe(0);
    },
  );

  test("of time has no utc where the file says a year that no reader knows", async () => {
    const made = recordingOf([time], [[0]]);
    const timeline = await made.timeline();
    for (const epoch of [2n ** 64n, -(2n ** 70n), null]) {
      const files = new MemoryFiles("x.csv");
      await exportTo(Object.assign(made, { timeline: async () => ({ ...timeline, epoch }) }), "csv", files);
      expect(new TextDecoder().decode(files.bytes)).toBe("t [s]\n0\n");
    }
  });

  test.each([
    [0n, 0, "1970-01-01T00:00:00.000000Z"],
    [-1n, 0, "1969-12-31T23:59:59.999999Z"],
    [-1_000_000_001n, -1, "1969-12-31T23:59:58.999999Z"],
    [1_700_000_000_123_456_789n, 211, "2023-11-14T22:13:20.123457Z"],
  ] as const)("of %s and %s nanoseconds is %s", async (epoch, at, text) => {
    const made = recordingOf([time], [[at]]);
    const timeline = await made.timeline();
    const files = new MemoryFiles("x.csv");
    await exportTo(Object.assign(made, { timeline: async () => ({ ...timeline, epoch }) }), "csv", files);
    expect(new TextDecoder().decode(files.bytes).split(/[\n,]/)[3]).toBe(text);
  });
});
