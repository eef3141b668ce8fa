import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parquetWriter } from "../../src/export/parquet.ts";
import { withUnit } from "../../src/export/rows.ts";
import { CellBuilder } from "../../src/model/query/table-cells.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { sample, samplesDirectory } from "../samples.ts";
import { MAIN, simtape, temporaryFile } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-table-"));
let duckdb: DuckDBConnection;
beforeAll(async () => {
  duckdb = await DuckDBConnection.create();
});
afterAll(() => {
  duckdb.closeSync();
  rmSync(folder, { recursive: true });
});

/** What another program makes of a file: it shares no code with what wrote it. */
async function query(sql: string): Promise<Record<string, unknown>[]> {
  return (await duckdb.runAndReadAll(sql)).getRowObjectsJS();
}

const read = (path: string): string =>
  path.endsWith(".parquet")
    ? `read_parquet('${path}')`
    : path.endsWith(".csv")
      ? `read_csv('${path}', sample_size = -1, header = true)`
      : `read_json('${path}', format = 'newline_delimited')`;

const corpus = (path: string): string => new URL(`../../../corpus/cases/${path}`, import.meta.url).pathname;
const town = temporaryFile("town.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30));

const MADE = [
  corpus("carla/0.9.15/town.log"),
  corpus("flightgear/continuous/flight.fgtape"),
  corpus("hcrp/walk/run.hcrp"),
  corpus("mira/recommended/robot.tape"),
  corpus("nanover/zip/run.nanover.zip"),
  town,
];
const REAL =
  samplesDirectory === null
    ? []
    : [
        "carla/2020-DistanceBetweenVehicles.log",
        "nanover/17-ala-multiple.nanover.zip",
        "flightgear/c172p-continuous-full-compressed.fgtape",
        "hypercube/golden-v1.hcrp",
      ].map(sample);

interface StateJson {
  readonly sets: Readonly<
    Record<
      string,
      {
        readonly ids: readonly (number | string)[];
        readonly columns: Readonly<
          Record<string, { readonly unit: string | null; readonly width: number; readonly data: readonly unknown[] }>
        >;
      }
    >
  >;
}

/** Rows of a set as `simtape state` has them, by the headers of a table. */
function rowsOf(state: StateJson, name: string): Record<string, unknown>[] {
  const set = state.sets[name]!;
  return set.ids.map((id, row) => {
    const cells: Record<string, unknown> = { id };
    for (const [column, { unit, width, data }] of Object.entries(set.columns)) {
      const units = unit?.split(" ") ?? [];
      for (let k = 0; k < width; k++) {
        const own = units.length === width ? units[k] : unit;
        const header = `${width === 1 ? column : `${column}.${"xyzw"[k] ?? k}`}${own === null ? "" : ` [${own}]`}`;
        const cell = data[row * width + k];
        if (cell !== "NaN" && cell !== "") cells[header] = cell;
      }
    }
    return cells;
  });
}

/** What a row says beside its time; what it does not is not there. */
function said(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const cells = Object.entries(row).filter(([key, cell]) => key !== "time [ns]" && cell !== null && cell !== "");
  return Object.fromEntries(cells.map(([key, cell]) => [key, typeof cell === "bigint" ? Number(cell) : cell]));
}

describe("the trajectory of a recording, in one command", () => {
  test.each([...MADE, ...REAL])("is what the state is, to another program too: %s", async (file) => {
    const files: string[] = [];
    let name = "";
    for (const format of ["parquet", "csv", "ndjson"]) {
      const path = join(mkdtempSync(join(folder, "all-")), `x.${format}`);
      const { exit, stdout, stderr } = await simtape(["table", file, "-o", path, "--json"]);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      const report = JSON.parse(stdout) as { of: string; rows: number; columns: unknown[] };
      name = report.of;
      const [counted] = await query(`select count(*)::int as rows from ${read(path)}`);
      expect(counted).toEqual({ rows: report.rows });
      expect(report.rows).toBeGreaterThan(0);
      files.push(path);
    }
    const times = await query(`select distinct "time [ns]" as time from ${read(files[0]!)} order by 1`);
    const some = times.filter((_, n) => n % Math.ceil(times.length / 5) === 0 || n === times.length - 1);
    for (const { time } of some) {
      const { stdout } = await simtape(["state", file, "--at", `${time as bigint}ns`, "--json"]);
      const expected = rowsOf(JSON.parse(stdout) as StateJson, name);
      for (const path of files) {
        const rows = await query(`select * from ${read(path)} where "time [ns]" = ${time as bigint}`);
        const found = rows.map(said);
        const byId = (a: Record<string, unknown>, b: Record<string, unknown>): number =>
          String(a["id"]) < String(b["id"]) ? -1 : 1;
        expect(found.toSorted(byId), `${path} at ${time as bigint}`).toEqual(expected.toSorted(byId));
      }
    }
  });
});

async function table(...words: readonly string[]): Promise<string[]> {
  const { exit, stdout, stderr } = await simtape(["table", ...words]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
}

describe("a table", () => {
  test("has the columns, things and times that are asked for", async () => {
    const lines = await table(town, "--columns", "position, gear", "--id", "24", "--from", "0.5s", "--until", "0.6s");
    expect(lines[0]).toBe("time [ns],id,position.x [cm],position.y [cm],position.z [cm],gear");
    expect(lines.slice(1).map((line) => line.split(",").slice(0, 2).join())).toEqual(["500000000,24", "550000000,24"]);
  });

  test("is at steps, in seconds and without units where that is asked for", async () => {
    const words = ["--columns", "gear", "--id", "24", "--every", "500ms", "--time", "s", "--no-units"];
    const lines = await table(town, ...words);
    expect(lines.map((line) => line.split(",").slice(0, 2).join())).toEqual([
      "time,id",
      "0,24",
      "0.5,24",
      "1,24",
      "1.5,24",
    ]);
  });

  test("has the axes of the source, unless others are asked for", async () => {
    const words = ["--columns", "position", "--id", "24", "--until", "1ms"];
    const [, recorded] = await table(town, ...words);
    const [header, turned] = await table(town, ...words, "--axes", "standard");
    expect(header).toBe("time [ns],id,position.x [m],position.y [m],position.z [m]");
    const [x, y, z] = recorded!.split(",").slice(2).map(Number) as [number, number, number];
    expect(turned!.split(",").slice(2).map(Number)).toEqual([x * 0.01, -(y * 0.01), z * 0.01]);
    const path = join(folder, "turned.csv");
    const [report] = await table(town, ...words, "--axes", "right-y", "-o", path, "--json");
    expect(JSON.parse(report!)).toMatchObject({ of: "vehicles", rows: 1, axes: { handed: "right", up: "y" } });
  });

  test("of a channel has a row for each message, or item of one", async () => {
    const lines = await table(town, "-c", "collision", "--format", "ndjson");
    expect(lines.length).toBeGreaterThan(1);
    const row = JSON.parse(lines[0]!) as Record<string, unknown>;
    expect(Object.keys(row).slice(0, 3)).toEqual(["time [ns]", "sequence", "record"]);
    expect(await table(town, "-c", "collis*", "--json")).toEqual(lines);
  });

  test("has the lists of a channel as lists in Parquet, and as arrays in NDJSON", async () => {
    const patrol = fileURLToPath(new URL("../../../../examples/patrol.tape", import.meta.url));
    const path = join(folder, "scan.parquet");
    const words = ["-c", "/robot/RangeFinder/Front", "--columns", "range,valid"];
    await table(patrol, ...words, "-o", path);
    const lines = (await table(patrol, ...words, "--json")).map((line) => JSON.parse(line) as Record<string, unknown>);
    const types = await query(`select typeof("range [m]") as range, typeof(valid) as valid from ${read(path)} limit 1`);
    expect(types).toEqual([{ range: "FLOAT[]", valid: "UINTEGER[]" }]);
    const rows = await query(
      `select "range [m]"::json::varchar as range, valid::json::varchar as valid from ${read(path)}`,
    );
    expect(rows).toHaveLength(lines.length);
    for (const [k, { range, valid }] of rows.entries()) {
      expect(Float32Array.from(JSON.parse(range as string) as number[])).toEqual(
        Float32Array.from(lines[k]!["range [m]"] as number[]),
      );
      expect(JSON.parse(valid as string)).toEqual(lines[k]!["valid"]);
    }
    const [axes] = await query(
      `select decode(value) as axes from parquet_kv_metadata('${path}') where decode(key) = 'axes'`,
    );
    expect(JSON.parse(axes!["axes"] as string)).toMatchObject({ handed: "right", up: "z" });
  });

  test("has types and units in Parquet, and no more than a row group at a time in memory", async () => {
    const path = join(folder, "typed.parquet");
    await table(town, "--columns", "position,gear,kind", "-o", path);
    expect(await query(`select column_name, column_type from (describe select * from ${read(path)})`)).toEqual(
      Object.entries({
        ...{ "time [ns]": "BIGINT", id: "BIGINT", kind: "VARCHAR" },
        ...{ "position.x [cm]": "DOUBLE", "position.y [cm]": "DOUBLE", "position.z [cm]": "DOUBLE", gear: "INTEGER" },
      }).map(([column_name, column_type]) => ({ column_name, column_type })),
    );
    const [units] = await query(
      `select decode(value) as units from parquet_kv_metadata('${path}') where key = 'units'`,
    );
    const [axes] = await query(`select decode(value) as axes from parquet_kv_metadata('${path}') where key = 'axes'`);
    expect(JSON.parse(String(axes!["axes"]))).toMatchObject({ handed: "left", up: "z" });
    expect(JSON.parse(String(units!["units"]))).toMatchObject({ "time [ns]": "ns", "position.x [cm]": "cm" });
  });

  test("in Parquet is in pieces of a row group, with every kind of cell as it was", async () => {
    const columns = (["f64", "f32", "i32", "u32", "u8", "bool", "string", "bigint"] as const).map((kind) => ({
      ...{ name: kind, unit: null, kind },
    }));
    const values = [-0.1, Math.fround(1.1), -(2 ** 31), 2 ** 32 - 1, 255, true, "é\u0000=1", -(2n ** 63n)];
    const pieces: Uint8Array[] = [];
    const writer = parquetWriter(
      { columns, axes: null },
      withUnit,
      async (piece) => void pieces.push(Buffer.from(piece as Uint8Array)),
    );
    const length = 4096;
    for (let n = 0; n < 80; n++) {
      const cells = columns.map((column, k) => {
        const builder = new CellBuilder(column, length);
        for (let row = 0; row < length; row += 2) builder.put(row, values[k]!);
        return builder.take(length);
      });
      await writer.write({ length, columns: cells });
    }
    await writer.end();
    const path = join(folder, "kinds.parquet");
    writeFileSync(path, Buffer.concat(pieces));
    const [groups] = await query(
      `select count(distinct row_group_id)::int as groups, max(row_group_num_rows)::int as most from parquet_metadata('${path}')`,
    );
    expect(groups).toEqual({ groups: 3, most: 131_072 });
    expect(pieces.length).toBe(4);
    const all = await query(
      `select *, count(*)::int as rows from ${read(path)} group by all order by rows, f64 nulls last`,
    );
    const kinds = columns.map(({ kind }, k) => [kind, values[k]] as const);
    expect(all).toEqual([
      { ...Object.fromEntries(kinds), rows: 163_840 },
      { ...Object.fromEntries(kinds.map(([kind]) => [kind, null])), rows: 163_840 },
    ]);
  });

  test("is of the only channel of a recording without sets, and else names what there is", async () => {
    const tape = corpus("mira/recommended/robot.tape");
    const one = join(folder, "one.tape");
    expect((await simtape(["filter", tape, one, "-c", "/robot/Mileage"])).exit).toBe(0);
    expect(await table(one)).toEqual(await table(one, "-c", "/robot/Mileage"));
    const two = join(folder, "two.tape");
    expect((await simtape(["filter", tape, two, "--exclude", "/robot/Odometry"])).exit).toBe(0);
    const { exit, stderr } = await simtape(["table", two]);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringMatching(/the sets \(none\) and the channels .*\/robot\/Mileage, /),
    ]);
  });

  test("without rows has its headers", async () => {
    const [from, until] = ["--from=0.51s", "--until=0.52s"];
    expect(await table(town, "-c", "position", from, until)).toEqual(["time [ns],sequence"]);
    const path = join(folder, "empty.parquet");
    await table(town, "-c", "position", from, until, "-o", path);
    expect(await query(`select count(*)::int as rows from ${read(path)}`)).toEqual([{ rows: 0 }]);
  });

  test("goes to standard output in every format", async () => {
    const { exit, bytes } = await simtape(["table", town, "--format", "parquet"]);
    expect(exit).toBe(0);
    const path = join(folder, "poured.parquet");
    writeFileSync(path, bytes);
    const [counted] = await query(`select count(*)::int as rows from ${read(path)}`);
    expect(counted).toEqual({ rows: (await table(town)).length - 1 });
  });

  test("says what it wrote, and overwrites nothing without --force", async () => {
    const path = join(mkdtempSync(join(folder, "out-")), "x.csv");
    const [line] = await table(town, "-o", path);
    expect(line).toMatch(/x\.csv: \d+ rows of 31 columns, vehicles, \d+ kB$/);
    const before = readFileSync(path, "utf8");
    const refused = await simtape(["table", town, "--set", "walkers", "-o", path]);
    expect(refused).toMatchObject({ exit: 2, stdout: "" });
    expect(refused.stderr).toContain("--force overwrites it");
    expect(readFileSync(path, "utf8")).toBe(before);
    await table(town, "--set", "walkers", "-o", path, "--force");
    expect(readFileSync(path, "utf8")).not.toBe(before);
  });

  test("is refused, with what there is, and leaves no file", async () => {
    const out = mkdtempSync(join(folder, "none-"));
    const path = join(out, "x.csv");
    const refusals: readonly (readonly [words: readonly string[], reported: string])[] = [
      [["--set", "cars"], 'no set "cars"; there are: vehicles, walkers'],
      [["--set", "vehicles", "--columns", "colour"], 'no column "colour"; there are: time, id, kind'],
      [["--id", "24", "--id", "3"], "nothing in vehicles has the id 3; there are: "],
      [["--axes", "up"], "Allowed choices are source, standard"],
      [["--axes", "standard", "--origin", "north"], "--origin takes LAT,LON"],
      [["-c", "nosuch"], "no channel is called nosuch; there are: "],
      [["-c", "event-*"], "matches several: event-add"],
      [["-c", "position", "--every", "1s"], "every"],
      [["--every", "soon"], "--every takes a time"],
      [["--every", "1ns"], "--every 1ns would be "],
      [["--set", "vehicles", "-c", "position"], "cannot be used with"],
      [["--format", "xlsx"], "Allowed choices are csv, ndjson, parquet"],
    ];
    for (const [words, reported] of refusals) {
      const { exit, stderr } = await simtape(["table", town, ...words, "-o", path]);
      expect(stderr).toContain(reported);
      expect({ exit, words }).toEqual({ exit: 2, words });
    }
    expect((await simtape(["table", town, "-o", join(out, "x.xlsx")])).stderr).toContain("say --format");
    expect((await simtape(["table", town, "-o", out])).stderr).toContain("a folder");
    expect(readdirSync(out)).toEqual([]);
  });

  test("of a file from a stranger is text to a terminal and to a spreadsheet", async () => {
    const evil = new URL("../fixtures/hcrp/evil-names.hcrp", import.meta.url).pathname;
    for (const format of ["csv", "ndjson"]) {
      const text = (await table(evil, "--format", format)).join("");
      expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
      expect(text).not.toMatch(/,[=+@]/);
    }
  });

  test("takes the place of no pipe or device, whatever is forced", async () => {
    const pipe = join(mkdtempSync(join(folder, "pipe-")), "x.csv");
    execFileSync("mkfifo", [pipe]);
    const { exit, stderr } = await simtape(["table", town, "-o", pipe, "--force"]);
    expect([exit, stderr]).toEqual([1, expect.stringContaining("a pipe or device")]);
    expect(statSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(join(pipe, ".."))).toEqual(["x.csv"]);
  });

  test("whose output is full fails", () => {
    if (!existsSync("/dev/full")) return;
    const { status } = spawnSync("sh", ["-c", `node ${MAIN} table ${town} > /dev/full`]);
    expect(status).toBe(1);
  });
});
