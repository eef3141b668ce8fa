import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { DuckDBConnection } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completions } from "../../src/cli/commands/sql-shell.ts";
import { recordingsInStore } from "../../src/cli/input/store-recordings.ts";
import { folderMains, FORMATS, memoryStore } from "../../src/index.ts";
import { simtape } from "../cli/run.ts";
import { sample, samplesDirectory } from "../samples.ts";
import { bytesOf, MADE } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-sql-test-"));
const runs = join(folder, "runs");
let duckdb: DuckDBConnection;
beforeAll(async () => {
  mkdirSync(join(runs, "deep"), { recursive: true });
  cpSync(MADE.carla, join(runs, "town.log"));
  cpSync(MADE.carla, join(runs, "deep", "town.log"));
  cpSync(MADE.mira, join(runs, "robot.tape"));
  writeFileSync(join(runs, "notes.txt"), "no recording");
  duckdb = await DuckDBConnection.create();
});
afterAll(() => {
  duckdb.closeSync();
  rmSync(folder, { recursive: true });
});

/** What another program makes of a file. */
async function read(sql: string): Promise<Record<string, unknown>[]> {
  return (await duckdb.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[];
}

describe("the same question to the CSV of simtape table", () => {
  const paths = [
    [MADE.carla, "vehicles"],
    [MADE.hcrp, "players"],
    [MADE.mira, "poses"],
    [MADE.nanover, "particles"],
    [MADE.flightgear, "aircraft"],
    ...(samplesDirectory === null ? [] : [[sample("carla/2020-DistanceBetweenVehicles.log"), "vehicles"] as const]),
  ] as const;

  test.each(paths)("%s", async (path, set) => {
    const csv = join(folder, `${set}.csv`);
    expect((await simtape(["table", path, "--set", set, "--no-units", "--time", "s", "-o", csv, "--force"])).exit).toBe(
      0,
    );
    const [header] = readFileSync(csv, "utf8").split("\n") as [string];
    const numeric = header.split(",").filter((name) => /^(position|pose)\.[xy]$/.test(name));
    const sums = (quote: (name: string) => string): string =>
      numeric.map((name) => `sum(CAST(${quote(name)} AS DOUBLE)), min(${quote(name)})`).join(", ") || "1";
    const rest = "GROUP BY id ORDER BY id";
    const wanted = await read(
      `SELECT id, count(*), max("time"), ${sums((name) => `"${name}"`)} FROM read_csv('${csv}', sample_size = -1) WHERE "time" < 20 ${rest}`,
    );
    const sql = `SELECT id, count(*), max(time), ${sums((name) => name.replace(".", "_"))} FROM ${set} WHERE time < 20 ${rest}`;
    const { stdout, exit } = await simtape(["sql", path, sql, "--json"]);
    expect(exit).toBe(0);
    const found = JSON.parse(stdout) as Record<string, unknown>[];
    expect(found.length).toBeGreaterThan(0);
    const plain = (value: unknown): unknown => (Number.isNaN(Number(value)) ? value : Number(value));
    const near = (value: unknown): unknown =>
      typeof value === "number" ? (expect.closeTo(value, 3) as unknown) : value;
    expect(found.map((row) => Object.values(row).map(plain))).toEqual(
      wanted.map((row) => Object.values(row).map(plain).map(near)),
    );
  });
});

describe("how an answer is written", () => {
  const sql = "select id, time, label, utc, brake > 1 as braked from vehicles where id = 24 and time < 0.1";

  test("aligned text", async () => {
    const { stdout } = await simtape(["sql", MADE.carla, sql, "--format", "table"]);
    expect(stdout).toBe(
      [
        "id  time  label  utc                     braked",
        "--  ----  -----  ----------------------  ------",
        "24     0  hero   2023-11-14 22:13:20     false",
        "24  0.05  hero   2023-11-14 22:13:20.05  false",
        "",
      ].join("\n"),
    );
  });

  test("CSV where nothing else is said, and JSON", async () => {
    expect((await simtape(["sql", MADE.carla, sql])).stdout).toBe(
      "id,time,label,utc,braked\n24,0,hero,2023-11-14 22:13:20,false\n24,0.05,hero,2023-11-14 22:13:20.05,false\n",
    );
    const rows = [
      { id: 24, time: 0, label: "hero", utc: "2023-11-14 22:13:20", braked: false },
      { id: 24, time: 0.05, label: "hero", utc: "2023-11-14 22:13:20.05", braked: false },
    ];
    expect(JSON.parse((await simtape(["sql", MADE.carla, sql, "--json"])).stdout)).toEqual(rows);
    const lines = (await simtape(["sql", MADE.carla, sql, "--format", "ndjson"])).stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(rows);
    expect((await simtape(["sql", MADE.carla, "select 1 from vehicles where id = 0", "--json"])).stdout).toBe("[]\n");
  });

  test.each(["csv", "parquet", "ndjson"])("a file of %s, which DuckDB reads", async (ending) => {
    const out = join(folder, `out.${ending}`);
    const ran = await simtape([
      "sql",
      MADE.carla,
      "select id, time, label, gear, parent from vehicles",
      "-o",
      out,
      "--json",
    ]);
    expect(ran.exit, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ rows: 26, files: [{ name: out }], findings: [] });
    const [row] = await read(
      `SELECT count(*)::INT AS n, min(id)::INT AS id, max(time) AS t, min(gear)::INT AS gear, count(parent)::INT AS p FROM '${out}'`,
    );
    expect(row).toEqual({ n: 26, id: 24, t: 0.65, gear: -1, p: 0 });
    expect(await simtape(["sql", MADE.carla, "select 1 as x", "-o", out])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("--force"),
    });
  });

  test("a file of Arrow, with the units of the columns", async () => {
    const out = join(folder, "out.arrow");
    const sql = "select id, time, label, position_x, brake > 1 as braked from vehicles";
    expect((await simtape(["sql", MADE.carla, sql, "-o", out])).exit).toBe(0);
    const table = tableFromIPC(readFileSync(out));
    expect(table.numRows).toBe(26);
    expect(table.schema.fields.map(({ name, metadata }) => [name, metadata.get("unit")])).toEqual([
      ...[
        ["id", undefined],
        ["time", "s"],
        ["label", undefined],
        ["position_x", "cm"],
        ["braked", undefined],
      ],
    ]);
    expect(table.get(0)!.toJSON()).toMatchObject({ id: 24n, time: 0, braked: false });
  });

  test("nothing is left of an answer that fails in the middle", async () => {
    const out = join(folder, "failed.csv");
    const wrong = "select if(time < 0.5, 1, error('late')) from vehicles";
    expect(await simtape(["sql", MADE.carla, wrong, "-o", out])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("late"),
    });
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes("failed"))).toEqual([]);
  });
});

describe("many recordings", () => {
  test("a folder stands for all in it, called by their paths in it", async () => {
    const { stdout, exit } = await simtape(["sql", runs, "select recording, format from recordings order by 1"]);
    expect([exit, stdout]).toEqual([0, "recording,format\ndeep/town.log,carla\nrobot.tape,mira\ntown.log,carla\n"]);
  });

  test("a folder of a bucket stands for the files that are called like recordings, and for folders that are one", async () => {
    const store = memoryStore();
    for (const key of [
      "a.log",
      "deep/b.tape",
      "deep/notes.txt",
      "pair/x.traj",
      "pair/x.state",
      `run/${folderMains(FORMATS)[0]!}`,
      "run/segment.bin",
    ])
      await store.put(key, new Uint8Array(1));
    expect(await recordingsInStore(store, FORMATS)).toEqual(["a.log", "deep/b.tape", "pair/x.traj", "run"]);
    await expect(recordingsInStore(memoryStore(), FORMATS)).rejects.toThrow("a folder without recordings");
  });

  test("one that is named twice is taken once, however it is written", async () => {
    const town = join(runs, "town.log");
    const other = `${folder}/runs/deep/../town.log`;
    const statement = "select recording, file, count(*) as n from recordings group by all order by all";
    for (const words of [
      [town, town],
      [town, other],
      [town, relative(process.cwd(), town)],
    ])
      expect(await simtape(["sql", ...words, statement]), String(words)).toMatchObject({
        exit: 0,
        stdout: `recording,file,n\ntown.log,${town},1\n`,
        stderr: "",
      });
    for (const words of [
      [runs, other],
      [runs, `${folder}/./runs`],
    ])
      expect(await simtape(["sql", ...words, "select count(*) as n from recordings"])).toMatchObject({
        exit: 0,
        stdout: "n\n3\n",
      });
  });

  test("one that is called as another in a folder is called by its path", async () => {
    const before = process.cwd();
    mkdirSync(join(folder, "deep"), { recursive: true });
    cpSync(MADE.carla, join(folder, "deep", "town.log"));
    process.chdir(folder);
    try {
      const statement = "select recording from recordings order by all";
      const ran = await simtape(["sql", "runs", "deep/town.log", statement]);
      expect(ran).toMatchObject({
        exit: 0,
        stdout: "recording\ndeep/town.log\nrobot.tape\nruns/deep/town.log\nruns/town.log\n",
        stderr: "",
      });
    } finally {
      process.chdir(before);
      rmSync(join(folder, "deep"), { recursive: true });
    }
  });

  test("a damaged one is a row of findings, and the exit code is 3", async () => {
    const some = join(folder, "some");
    mkdirSync(some);
    cpSync(MADE.carla, join(some, "town.log"));
    writeFileSync(join(some, "cut.log"), bytesOf(MADE.carla).subarray(0, 5000));
    writeFileSync(join(some, "header.hcrp"), bytesOf(MADE.hcrp).subarray(0, 40));
    const ran = await simtape(["sql", some, "select recording, count(*) as n from vehicles group by all order by all"]);
    expect(ran.exit).toBe(3);
    expect(ran.stdout).toBe("recording,n\ncut.log,18\ntown.log,26\n");
    expect(ran.stderr).toMatch(/cut\.log is damaged: .*\n.*header\.hcrp is damaged: /);
    const found = await simtape(["sql", some, "select recording, severity from findings order by all"]);
    expect([found.exit, found.stdout]).toEqual([3, "recording,severity\ncut.log,loss\nheader.hcrp,loss\n"]);
    const out = join(folder, "some.json");
    const written = await simtape(["sql", some, "select count(*) as n from vehicles", "-o", out, "--json"]);
    const { unread, findings } = JSON.parse(written.stdout) as { unread: number; findings: { file: string }[] };
    expect({ exit: written.exit, unread }).toEqual({ exit: 3, unread: 1 });
    expect(findings.map(({ file }) => file).sort()).toEqual([join(some, "cut.log"), join(some, "header.hcrp")]);
  });

  test("where none can be read, the command fails", async () => {
    const bad = join(folder, "bad.hcrp");
    writeFileSync(bad, bytesOf(MADE.hcrp).subarray(0, 40));
    expect(await simtape(["sql", bad, "select 1 from events"])).toMatchObject({
      exit: 1,
      stdout: "",
      stderr: expect.stringContaining("header"),
    });
    for (const statement of ["select 1 from events", "select 1"])
      expect(await simtape(["sql", join(folder, "none.log"), statement])).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining("no such file"),
      });
  });
});

describe("wrong usage", () => {
  test.each([
    [["select 1"], 2, /say the statement behind the recordings/],
    [[MADE.carla, MADE.mira], 2, /the last word is the statement/],
    [[MADE.carla, "selec 1"], 2, /no SQL: syntax error/],
    [[MADE.carla, "select x from vehicles"], 2, /no column "x" in vehicles/],
    [
      [MADE.carla, "select time from (select id from vehicles) s"],
      2,
      /no column "time" in s; the nearest is id; there are: id$/m,
    ],
    [[MADE.carla, "select 1 from vehicls"], 2, /no table "vehicls"; the nearest is vehicles/],
    [[MADE.carla, "drop table vehicles"], 2, /only SELECT/],
    [[MADE.carla, "select nothing(1)"], 2, /no function "nothing"/],
    [[MADE.carla, "select count(*) from range(100000000000)", "--limit-time", "200ms"], 1, /no answer within 0.2 s/],
    [[MADE.carla, "select 1", "--limit-time", "soon"], 2, /a time such as/],
    [
      [MADE.carla, "select list(range) from range(100000000)", "--limit-memory", "64MiB"],
      1,
      /over the limit of memory|64/,
    ],
    [[MADE.carla, "select 1 as x", "-o", "x.xls"], 2, /cannot tell the format/],
  ])("%j", async (words, exit, message) => {
    const ran = await simtape(["sql", ...words]);
    expect([ran.exit, ran.stdout]).toEqual([exit, ""]);
    expect(ran.stderr).toMatch(message);
    const said = ran.stderr.replace("(add --help for the options)", "");
    expect(said.trim().split("\n"), ran.stderr).toHaveLength(1);
  });
});

test("--explain shows what is read, and reads nothing", async () => {
  const sql =
    "select id, position_x from vehicles v where v.time between 1 and 2 and id = 24 and recording like 'deep%'";
  const { stdout } = await simtape(["sql", runs, sql, "--explain"]);
  expect(stdout).toBe(
    "vehicles: 1 of 3 recordings (deep/town.log); columns id, position_x, time, recording; from 0:01.000 until 0:02.000; id 24\n",
  );
  const [plan] = JSON.parse((await simtape(["sql", runs, sql, "--explain", "--json"])).stdout) as unknown[];
  expect(plan).toMatchObject({
    table: "vehicles",
    recordings: ["deep/town.log"],
    spans: [{ from: 1, until: 2 }],
    ids: ["24"],
  });
});

test("--tables lists tables and columns", async () => {
  const tables = JSON.parse((await simtape(["sql", runs, "--tables", "--json"])).stdout) as Record<string, string[]>;
  expect(tables["vehicles"]).toContain("position_x");
  expect(Object.keys(tables)).toEqual(
    expect.arrayContaining(["recordings", "channels", "events", "findings", "poses", "robot_Odometry"]),
  );
});

test("-q reads the statement of a file", async () => {
  const file = join(folder, "count.sql");
  writeFileSync(file, "select count(*) as n\nfrom vehicles;\n");
  expect((await simtape(["sql", MADE.carla, "-q", file])).stdout).toBe("n\n26\n");
});

describe("the shell", () => {
  const shell = (text: string): ReturnType<typeof simtape> =>
    simtape(["sql", MADE.carla, "--shell"], Buffer.from(text));

  test("answers one statement after the other", async () => {
    const { exit, stdout } = await shell(
      "select count(*) as n\nfrom vehicles;\n\nselect count(*) as m from walkers;\n.quit\nselect 1;\n",
    );
    expect([exit, stdout]).toEqual([0, "n\n26\nm\n7\n"]);
  });

  test("continues after one that is wrong, and says so at the end", async () => {
    const { exit, stdout, stderr } = await shell("select nothing from vehicles;\nselect 1 as one;\n");
    expect([exit, stdout]).toEqual([2, "one\n1\n"]);
    expect(stderr).toContain('no column "nothing"');
  });

  test("lists tables and columns, and explains", async () => {
    const { stdout } = await shell(
      ".tables\n.columns events\n.explain select id from vehicles where time < 1\n.help\n",
    );
    expect(stdout).toContain("\nvehicles\n");
    expect(stdout).toContain("\nsequence\nvalue\n");
    expect(stdout).toContain("vehicles: 1 recording; columns id, time; until 0:01.000\n");
  });

  test("completes tables, columns and words", () => {
    const tables = new Map([["vehicles", ["id", "position_x"]]]);
    expect(completions("select pos", tables)).toEqual([["position_x"], "pos"]);
    expect(completions("select v.POS", tables)).toEqual([["v.position_x"], "v.POS"]);
    expect(completions("from ve", tables)).toEqual([["vehicles"], "ve"]);
    expect(completions("sel", tables)).toEqual([["select"], "sel"]);
    expect(completions(".t", tables)).toEqual([[".tables"], ".t"]);
  });
});
