import { tmpdir } from "node:os";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import type { Recording } from "../../src/index.ts";
import { loadDuckDB } from "../../src/sql/duckdb.ts";
import { failureOf } from "../../src/sql/failure.ts";
import { query, SqlError, SqlSession } from "../../src/sql/index.ts";
import { safeName } from "../../src/sql/names.ts";
import { sample, samplesDirectory } from "../samples.ts";
import { MADE, opened, REAL, type Row, rowsOf, source } from "./support.ts";

const AXES = "xyzw";
/** Moments of a recording that are looked at, about. */
const MOST_TIMES = 50;

/** The rows of a set at its recorded moments, made of whole states; SQL has no part in it. */
async function statesOf(recording: Recording, set: string): Promise<Row[]> {
  const times = new Set<number>();
  for await (const batch of recording.batches(recording.motion === null ? {} : { channels: [recording.motion] }))
    for (const time of batch.time.slice(0, batch.length)) times.add(time);
  const rows: Row[] = [];
  const all = [...times].sort((a, b) => a - b);
  const step = Math.max(1, Math.floor(all.length / MOST_TIMES));
  for (const time of all.filter((_, k) => k % step === 0)) {
    const found = (await recording.state(time)).sets.get(set);
    for (const [row, id] of (found?.ids ?? []).entries()) {
      const cells: Record<string, unknown> = { time: time / 1e9, id };
      for (const [name, { data, width }] of found!.columns)
        for (let k = 0; k < width; k++) {
          const value = data[row * width + k];
          const isKnown = value !== undefined && !Number.isNaN(value);
          cells[safeName(width === 1 ? name : `${name}.${AXES[k] ?? k}`)] = isKnown ? value : null;
        }
      rows.push(cells);
    }
  }
  return rows;
}

const SETS = {
  carla: "vehicles",
  flightgear: "aircraft",
  hcrp: "players",
  mira: "poses",
  nanover: "particles",
} as const;

describe.each([...Object.values(MADE), ...REAL])("the tables of %s", (path) => {
  test("a set has the values of every state, in the order of time and id", async () => {
    await using recording = await opened(path);
    const set = SETS[recording.info.format as keyof typeof SETS];
    const wanted = await statesOf(recording, set);
    expect(wanted.length).toBeGreaterThan(0);
    const times = new Set(wanted.map(({ time }) => time));
    const all = await rowsOf([recording], `SELECT * EXCLUDE (recording, utc) FROM ${set}`);
    const found = all.filter(({ time }) => times.has(time));
    const names = Object.keys(found[0]!);
    expect(found).toEqual(wanted.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null]))));
  });

  test("events are those of the recording", async () => {
    await using recording = await opened(path);
    const wanted: Row[] = [];
    for await (const events of recording.events())
      for (const { time, kind, text, who, channel, sequence } of events) {
        const ids = who.map(({ set, id }) => (set === null ? String(id) : `${set}/${id}`));
        wanted.push({ time: time / 1e9, kind, text, ids, channel, sequence });
      }
    expect(await rowsOf([recording], "SELECT time, kind, text, ids, channel, sequence FROM events")).toEqual(wanted);
  });

  test("recordings and channels have the statistics of the recording", async () => {
    await using recording = await opened(path);
    const statistics = await recording.statistics();
    const { start, end } = await recording.timeline();
    const messages = statistics.reduce((sum, one) => sum + one.messages, 0);
    expect(await rowsOf([recording], `SELECT format, start, "end", messages, bytes FROM recordings`)).toEqual([
      { format: recording.info.format, start: start / 1e9, end: end / 1e9, messages, bytes: recording.info.bytes },
    ]);
    const channels = await rowsOf([recording], "SELECT channel, messages, bytes, first, last FROM channels");
    const second = (time: number | null): number | null => (time === null ? null : time / 1e9);
    expect(channels).toEqual(
      recording.channels.map(({ id, name }) => {
        const { messages: count, bytes, first, last } = statistics[id]!;
        return { channel: name, messages: count, bytes, first: second(first), last: second(last) };
      }),
    );
  });

  test("every channel is a table with a row for each message or item", async () => {
    await using recording = await opened(path);
    const channels = await rowsOf([recording], `SELECT channel, "table", messages FROM channels`);
    for (const { channel, table, messages } of channels) {
      if (Number(messages) > 2000) continue;
      let items = 0;
      for await (const { value } of recording.messages(channel as string))
        items += Array.isArray(value) ? value.length : 1;
      expect(await rowsOf([recording], `SELECT count(*) AS n FROM "channel_${String(table)}"`)).toEqual([{ n: items }]);
    }
  });
});

describe("questions", () => {
  test("group by: mean and count of each vehicle", async () => {
    await using recording = await opened(MADE.carla);
    const sums = new Map<number, { n: number; sum: number }>();
    for await (const { sets } of recording.states()) {
      const { ids, columns } = sets.get("vehicles")!;
      for (const [row, id] of ids.entries()) {
        const one = sums.get(Number(id)) ?? { n: 0, sum: 0 };
        sums.set(Number(id), { n: one.n + 1, sum: one.sum + Number(columns.get("position")!.data[3 * row]) });
      }
    }
    const found = await rowsOf(
      [recording],
      "SELECT id, count(*) AS n, avg(position_x) AS x FROM vehicles GROUP BY id ORDER BY id",
    );
    expect(found.map(({ id, n }) => ({ id, n }))).toEqual([...sums].map(([id, { n }]) => ({ id, n })));
    for (const { id, x } of found) expect(x).toBeCloseTo(sums.get(Number(id))!.sum / sums.get(Number(id))!.n, 6);
  });

  test.skipIf(samplesDirectory === null)("a join: the least distance of two cars of a real recording", async () => {
    const path = sample("carla/2020-DistanceBetweenVehicles.log");
    await using recording = await opened(path);
    let least = Number.POSITIVE_INFINITY;
    let at = 0;
    const ids = (await rowsOf([recording], "SELECT DISTINCT id FROM vehicles ORDER BY id")).map(({ id }) => Number(id));
    expect(ids.length).toBeGreaterThan(1);
    const [a, b] = ids as [number, number];
    for await (const { time, sets } of recording.states()) {
      const { ids: there, columns } = sets.get("vehicles")!;
      const rows = [there.indexOf(a), there.indexOf(b)];
      if (rows.includes(-1)) continue;
      const [p, q] = rows.map((row) => columns.get("position")!.data.slice(3 * row, 3 * row + 3) as Float64Array);
      const distance = Math.hypot(p![0]! - q![0]!, p![1]! - q![1]!, p![2]! - q![2]!);
      if (distance < least) [least, at] = [distance, time / 1e9];
    }
    const sql = `SELECT a.time, sqrt((a.position_x - b.position_x) ** 2 + (a.position_y - b.position_y) ** 2 + (a.position_z - b.position_z) ** 2) AS distance
      FROM vehicles a JOIN vehicles b USING (recording, time) WHERE a.id = ${a} AND b.id = ${b} ORDER BY distance, a.time LIMIT 1`;
    const [found] = await rowsOf([recording], sql);
    expect(found!["distance"]).toBeCloseTo(least, 6);
    expect(found!["time"]).toBeCloseTo(at, 9);
  });

  test("a count of events by recording, over recordings of all formats", async () => {
    const sources = Object.values(MADE).map((path) => source(path));
    const wanted = new Map<string, number>();
    for (const { name, open } of sources) {
      await using recording = await open();
      for await (const events of recording.events()) wanted.set(name, (wanted.get(name) ?? 0) + events.length);
    }
    const found = await rowsOf(sources, "SELECT recording, count(*) AS n FROM events GROUP BY ALL ORDER BY ALL");
    expect(found).toEqual([...wanted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([recording, n]) => ({ recording, n })));
  });

  test("utc is the epoch and the time", async () => {
    await using recording = await opened(MADE.carla);
    const [row] = await rowsOf([recording], "SELECT epoch_us(max(utc)) AS last FROM vehicles");
    const { epoch, end } = await recording.timeline();
    expect(row).toEqual({ last: Number(epoch! / 1000n) + end / 1000 });
  });

  test("columns are united over recordings, and missing cells are null", async () => {
    const found = await rowsOf(
      [source(MADE.carla), source(MADE.mira)],
      `SELECT recording, count(*) AS n, count(pose_x) AS poses, count(location_0) AS places
       FROM (FROM position UNION ALL BY NAME FROM robot_Odometry) GROUP BY ALL ORDER BY ALL`,
    );
    expect(found).toEqual([
      { recording: "robot.tape", n: 21, poses: 21, places: 0 },
      { recording: "town.log", n: 33, poses: 0, places: 33 },
    ]);
  });

  test("typed columns: doubles, floats, whole numbers, texts, lists", async () => {
    await using recording = await opened(MADE.carla);
    const { columns, length } = await query(
      [recording],
      "SELECT id, time, brake, label, gear, utc FROM vehicles LIMIT 3",
    );
    expect(length).toBe(3);
    expect(columns.map(({ name, type, kind }) => [name, type, kind])).toEqual([
      ["id", "BIGINT", "bigint"],
      ["time", "DOUBLE", "f64"],
      ["brake", "FLOAT", "f32"],
      ["label", "VARCHAR", "string"],
      ["gear", "INTEGER", "i32"],
      ["utc", "TIMESTAMP", "string"],
    ]);
    expect(columns[2]!.data).toBeInstanceOf(Float32Array);
    const lists = await query([source(MADE.mira)], "SELECT range FROM robot_RangeFinder_Front");
    expect(lists.columns[0]).toMatchObject({ type: "FLOAT[]", kind: "list", items: "f32" });
    expect(lists.columns[0]!.data[0]).toHaveLength(91);
  });

  test("SHOW TABLES lists the tables of all recordings", async () => {
    const sources = [source(MADE.carla), source(MADE.mira)];
    await using session = await SqlSession.open(sources);
    const { columns } = await query(sources, "show tables;");
    expect(columns.map(({ name }) => name)).toEqual(["name"]);
    expect(columns[0]!.data).toEqual([...(await session.tables()).keys()]);
    expect(columns[0]!.data).toEqual(expect.arrayContaining(["findings", "vehicles", "poses", "robot_Odometry"]));
  });

  test("a recording that is given open stays open", async () => {
    await using recording = await opened(MADE.mira);
    await query([recording], "SELECT 1 FROM poses");
    expect((await recording.timeline()).end).toBe(1e9);
  });
});

describe("what is wrong", () => {
  const refused = async (sql: string): Promise<SqlError> => {
    const error: unknown = await query([source(MADE.carla)], sql).catch((reason: unknown) => reason);
    if (!SqlError.is(error)) throw error;
    expect(error.message).not.toContain("\n");
    return error;
  };

  test.each([
    ["selec 1", "syntax", /^no SQL: syntax error at or near "selec", at letter 1$/],
    ["select 1\nfrom where", "syntax", /, line 2, letter 6$/],
    ["", "statement", /^there is no statement$/],
    ["select 1; select 2", "statement", /^one statement, not 2$/],
    ["create table x (a int)", "statement", /^only SELECT is allowed/],
    ["show all tables", "statement", /SHOW TABLES lists them/],
    ["from (show tables)", "statement", /SHOW TABLES lists them/],
    ["select table_name from information_schema.tables", "statement", /SHOW TABLES lists them/],
    ["from duckdb_columns()", "statement", /SHOW TABLES lists them/],
    ["select t from vehicles", "no-column", /the nearest is time; /],
    ["copy vehicles to '/tmp/x.csv'", "statement", /^only SELECT is allowed/],
    ["select * from vehicle", "no-table", /^no table "vehicle"; the nearest is vehicles; there are: recordings, /],
    ["select positon_x from vehicles", "no-column", /^no column "positon_x" in vehicles; the nearest is position_x; /],
    [
      "select v.positon_x from vehicles v",
      "no-column",
      /^no column "positon_x" in vehicles; the nearest is position_x; /,
    ],
    // of a subquery its own columns, and of each SELECT those of its FROM
    ["select time from (select id as a from vehicles) s", "no-column", /^no column "time" in s; .*; there are: a$/],
    ["select s.time from (select id as a from vehicles) s", "no-column", /^no column "time" in s; .*; there are: a$/],
    [
      "with w as (select id as a from vehicles) select w.b from w",
      "no-column",
      /^no column "b" in w; .*; there are: a$/,
    ],
    ["select b from (select a from (select id as a, gear from vehicles))", "no-column", /in the subquery; .*: a$/],
    ["select positon_x from (from vehicles)", "no-column", /in the subquery; the nearest is position_x; /],
    ["select b from (select 1 as a union select 2)", "no-column", /^no column "b" where the statement names it$/],
    ["select b from (select max(id) from vehicles)", "no-column", /^no column "b" where the statement names it$/],
    ["select b from range(3) r", "no-column", /^no column "b" where the statement names it$/],
    [
      "select id from vehicles where time in (select idd from events)",
      "no-column",
      /^no column "idd" in events; the nearest is ids; there are: (?!.*position_x)/,
    ],
    [
      "select positon_x from vehicles where time in (select time from events)",
      "no-column",
      /^no column "positon_x" in vehicles; the nearest is position_x; (?!.*sequence)/,
    ],
    [
      "select kindd from vehicles union all select kindd from events",
      "no-column",
      /^no column "kindd" in vehicles; (?!.*sequence)/,
    ],
    [
      "select e.positon_x from vehicles v join events e using (time)",
      "no-column",
      /^no column "positon_x" in events; (?!.*position_x)/,
    ],
    ["select lengthh(label) from vehicles", "invalid", /^no function "lengthh"; the nearest is length$/],
    ["select label + 1 from vehicles", "invalid", /^no operator \+ for VARCHAR and INTEGER; /],
    [
      "select label::int from vehicles",
      "failed",
      /^the text '.*' of the column "label" cannot be converted to INTEGER/,
    ],
  ])("%s", async (sql, code, message) => {
    const error = await refused(sql);
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });

  test.each([
    "select * from read_csv('/etc/passwd')",
    "select * from read_text('/etc/passwd')",
    "select * from '/etc/passwd'",
    "select * from glob('/etc/*')",
    "select * from sqlite_scan('/tmp/x', 'y')",
    "install httpfs",
    "set enable_external_access = true",
    "pragma enable_external_access",
    "attach '/tmp/x.db'",
    "select * from read_parquet('https://example.com/x.parquet')",
  ])("no file and no network: %s", async (sql) => {
    const { code, message } = await refused(sql);
    expect(["invalid", "statement", "no-table"]).toContain(code);
    expect(message).toMatch(/no files|only SELECT|no table|of the extension/i);
  });

  test("a statement that takes too long ends", async () => {
    const sql = "SELECT count(*) FROM range(1000000000) a, range(1000000) b";
    const began = performance.now();
    await expect(query([], sql, { time: 300 })).rejects.toMatchObject({
      code: "limit",
      message: "no answer within 0.3 s",
    });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("a disk without room for what memory cannot hold is one clear error", async () => {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(`SET temp_directory = '${tmpdir()}'; SET max_temp_directory_size = '1KiB'`);
    await connection.run("SET memory_limit = '16MiB'; SET threads = 1");
    const failure = await connection
      .run("CREATE TABLE t AS SELECT hash(range) AS a, hash(range + 1) AS b FROM range(4000000)")
      .then(() => null, failureOf);
    expect(failure).toMatchObject({
      code: "limit",
      message: expect.stringMatching(/memory, and the disk has no room/),
    });
    connection.closeSync();
    instance.closeSync();
  });

  test("a statement that takes too much memory ends", async () => {
    const sql = "SELECT list(a.range) FROM range(100000000) a";
    await expect(query([], sql, { memory: 64 << 20 })).rejects.toMatchObject({ code: "limit" });
  });

  test("one that is stopped rejects with the reason", async () => {
    await expect(
      query([source(MADE.carla)], "SELECT 1 FROM vehicles", { signal: AbortSignal.abort("enough") }),
    ).rejects.toBe("enough");
  });

  test("after one that was stopped while it read, the same is answered", async () => {
    const stop = new AbortController();
    let opened = 0;
    const sources = [source(MADE.carla), source(MADE.hcrp)].map((one) => ({
      ...one,
      open: () => {
        // the rows of the first are in the table then
        if (++opened === 2) stop.abort(new Error("enough"));
        return one.open();
      },
    }));
    await using session = await SqlSession.open(sources);
    const sql = "select count(*)::INT AS n from vehicles";
    await expect(session.query(sql, { signal: stop.signal })).rejects.toThrow("enough");
    for await (const { columns } of await session.query(sql)) expect([...columns[0]!.data]).toEqual([26]);
  });

  test("where DuckDB is not installed, one line says how to get it", async () => {
    const missing = loadDuckDB(() => Promise.reject(new Error("Cannot find package '@duckdb/node-api'")));
    await expect(missing).rejects.toMatchObject({
      code: "missing",
      message: expect.stringMatching(/^SQL needs DuckDB, .*npm install @duckdb\/node-api@1\.5\.5-r\.5/),
    });
  });

  test("names are safe, and two recordings do not share one", async () => {
    expect(["position.x", "/robot/Odometry", "a--b", "3d", "é"].map(safeName)).toEqual([
      "position_x",
      "robot_Odometry",
      "a_b",
      "_3d",
      "value",
    ]);
    await expect(SqlSession.open([source(MADE.carla, "a"), source(MADE.mira, "a")])).rejects.toThrow("same name");
  });
});
