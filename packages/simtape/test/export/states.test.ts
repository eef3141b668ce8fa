import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type EntitySet, exportTo, MemoryFiles, open, seconds, type State } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { sample, samplesDirectory } from "../samples.ts";
import { byApacheArrow, byDuckdb, byNumpy, byPandas, PYTHON, type ReadRow, type ReadRows } from "./readers.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-export-"));
afterAll(() => rmSync(folder, { recursive: true }));

const corpus = (path: string): string => new URL(`../../../corpus/cases/${path}`, import.meta.url).pathname;

/** Made and real recordings; of long ones the first seconds. */
const RECORDINGS: readonly (readonly [file: string, seconds: number])[] = [
  [corpus("carla/0.9.15/town.log"), 1e3],
  [corpus("flightgear/continuous/flight.fgtape"), 1e3],
  [corpus("hcrp/walk/run.hcrp"), 1e3],
  [corpus("mira/recommended/robot.tape"), 1e3],
  [corpus("nanover/zip/run.nanover.zip"), 1e3],
  ...(samplesDirectory === null
    ? []
    : (
        [
          ["carla/2020-DistanceBetweenVehicles.log", 5],
          ["flightgear/c172p-continuous-full-compressed.fgtape", 20],
          ["hypercube/golden-v1.hcrp", 1e3],
          ["nanover/17-ala-multiple.nanover.zip", 0.5],
        ] as const
      ).map(([name, length]) => [sample(name), length] as const)),
];

const READERS: readonly (readonly [target: string, reader: string, ReadRows, isThere: boolean])[] = [
  ["csv", "DuckDB", byDuckdb, true],
  ["csv", "pandas", byPandas, PYTHON !== null],
  ["ndjson", "DuckDB", byDuckdb, true],
  ["parquet", "DuckDB", byDuckdb, true],
  ["arrow", "apache-arrow", byApacheArrow, true],
  ["npz", "NumPy", byNumpy, PYTHON !== null],
];

const TIMES = 50;

/** Some of many, the same each time. */
function some<T>(items: readonly T[], count: number): T[] {
  let seed = 30;
  const random = (): number => {
    seed = (seed * 48271) % 0x7fffffff;
    return seed / 0x7fffffff;
  };
  return items.length <= count
    ? [...items]
    : Array.from({ length: count }, () => items[Math.floor(random() * items.length)]!);
}

/** The rows of a set as the state has them, with the headers of a file. */
function rowsIn({ ids, columns }: EntitySet): Record<string, unknown>[] {
  return Array.from(ids, (id, row) => {
    const cells: Record<string, unknown> = { id };
    for (const [column, { unit, width, data }] of columns) {
      if (column.startsWith(".")) continue;
      const units = unit?.split(" ") ?? [];
      for (let k = 0; k < width; k++) {
        const own = units.length === width ? units[k]! : unit;
        const cell = data[row * width + k]!;
        const header = `${width === 1 ? column : `${column}.${"xyzw"[k] ?? k}`}${own === null ? "" : ` [${own}]`}`;
        if (cell !== "" && !Number.isNaN(cell)) cells[header] = cell;
      }
    }
    return cells;
  });
}

/** A reader that guesses types takes a text of digits for a number. */
function texts(row: ReadRow): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, String(cell)]));
}

describe.each(RECORDINGS)("%s", (file, length) => {
  test.each(READERS.filter(([, , , isThere]) => isThere))(
    "as %s is what the state is, to %s",
    async (target, _, read) => {
      await using recording = await open(fromFile(file));
      const files = new MemoryFiles(`x.${target}`);
      const { of, count, lost } = await exportTo(recording, target, files, { end: seconds(length) });
      expect(lost).toEqual([]);
      const path = join(mkdtempSync(join(folder, "x-")), files.name);
      writeFileSync(path, files.bytes);
      const rows = await read(path);
      expect(rows.length).toBe(count);
      expect(count).toBeGreaterThan(0);
      const byTime = new Map<number, ReadRow[]>();
      for (const row of rows) {
        const time = row["ns"] as number;
        const others = byTime.get(time);
        if (others === undefined) byTime.set(time, [row]);
        else others.push(row);
      }
      const { epoch } = await recording.timeline();
      for (const time of some([...byTime.keys()], TIMES)) {
        const state: State = await recording.state(time);
        const utc = epoch === null ? {} : { utc: Number((epoch + BigInt(time)) / 1000n) };
        const expected = rowsIn(state.sets.get(of[0]!)!).map((row) => texts({ ns: time, ...utc, ...row }));
        expect(byTime.get(time)!.map(texts)).toEqual(expected);
      }
    },
    60_000,
  );
});

test.skipIf(PYTHON !== null)("NumPy and pandas are not installed: apt-get install python3-numpy python3-pandas", () => {
  expect(PYTHON).toBeNull();
});
