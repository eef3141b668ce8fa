import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { query, SqlError, SqlSession } from "../../src/sql/index.ts";
import { temporaryFile } from "../cli/run.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { makeMcap } from "../fixtures/mcap/make.ts";
import { counted, MADE, REAL, opened, rowsOf, source } from "./support.ts";

const TABLES: Readonly<Record<string, readonly string[]>> = {
  carla: ["vehicles", "position"],
  flightgear: ["aircraft", "signals"],
  hcrp: ["players", "move"],
  mira: ["poses", "robot_Odometry"],
  nanover: ["particles", "frame"],
};

/** Compares answers of the two ways to some statements about both tables of a recording. */
async function compare(path: string, columns: readonly string[], rests: (middle: number) => string[]): Promise<void> {
  await using recording = await opened(path);
  const { start, end } = await recording.timeline();
  for (const table of TABLES[recording.info.format]!)
    for (const rest of rests((start + end) / 2e9))
      for (const picked of columns) {
        const sql = `SELECT ${picked} FROM ${table} ${rest}`;
        expect(await rowsOf([recording], sql), sql).toEqual(await rowsOf([recording], sql, { prune: false }));
      }
}

describe("one table, row by row, has the rows, columns and types that it has when all is read first", () => {
  test.each(Object.values(MADE))("%s", (path) =>
    compare(path, ["recording, time, round(time * 3, 2) AS more", "*"], (middle) => [
      "",
      `WHERE time >= ${middle}`,
      `WHERE time < ${middle} AND time * 2 > ${middle}`,
      `WHERE time BETWEEN ${middle} AND ${middle} + 0.2`,
      "LIMIT 3",
      `WHERE time > ${middle} LIMIT 20000`,
      "WHERE time < -1",
    ]),
  );

  test.each(REAL)("%s", (path) =>
    compare(path, ["recording, time"], (middle) => [`WHERE time BETWEEN ${middle} AND ${middle} + 0.2`]),
  );
});

describe("what is answered row by row", () => {
  const release = RELEASES.find(({ name }) => name === "0.9.15")!;
  const town = temporaryFile("long.log", makeTown(release, 20_000));
  const short = temporaryFile("short.log", makeTown(release, 40));

  test("a LIMIT ends the reading, and the recording is closed", async () => {
    const part = counted(source(town));
    const whole = counted(source(town));
    const sql = "SELECT time, id, position_x FROM vehicles WHERE time > 1";
    const { length } = await query([part.source], `${sql} LIMIT 7`);
    expect(length).toBe(7);
    await query([whole.source], sql);
    expect(part.bytes()).toBeLessThan(whole.bytes() / 2);
    expect([part.open(), whole.open()]).toEqual([0, 0]);
  });

  test("the first rows are given before the rest is read; a caller that leaves ends the reading", async () => {
    const one = counted(source(town));
    await using session = await SqlSession.open([one.source]);
    for await (const { length } of await session.query("SELECT time, id FROM vehicles")) {
      expect(length).toBeGreaterThan(0);
      break;
    }
    const first = one.bytes();
    expect(one.open()).toBe(0);
    let rows = 0;
    for await (const { length } of await session.query("SELECT time, id FROM vehicles")) rows += length;
    expect(one.bytes() - first).toBeGreaterThan(2 * first);
    const { length } = await query([source(town)], "SELECT time FROM vehicles ORDER BY time");
    expect(rows).toBe(length);
  });

  test("an answer that is not taken is closed by the next statement, and by the end of the session", async () => {
    const one = counted(source(town));
    const session = await SqlSession.open([one.source]);
    await session.query("SELECT time FROM vehicles");
    expect(one.open()).toBe(1);
    await session.query("SELECT count(*) FROM vehicles");
    expect(one.open()).toBe(0);
    await session.query("SELECT id FROM vehicles");
    await session.close();
    expect(one.open()).toBe(0);
  });

  test("* is read once where rows can wait on disk, else twice; the answer is the same", async () => {
    const [whole, once, twice] = [counted(source(town)), counted(source(town)), counted(source(town))];
    const { length } = await query([whole.source], "SELECT count(*) AS n FROM vehicles");
    expect(length).toBe(1);
    const sql = "SELECT * FROM vehicles";
    const answer = await query([once.source], sql, { spill: tmpdir() });
    expect(await query([twice.source], sql)).toEqual(answer);
    expect(answer.length).toBeGreaterThan(20_000);
    expect(once.bytes()).toBeLessThan(1.3 * whole.bytes());
    expect(twice.bytes()).toBeGreaterThan(1.6 * whole.bytes());
  });

  test.each([
    "SELECT DISTINCT id FROM vehicles WHERE time < 1",
    "SELECT count(*) FROM vehicles WHERE time < 1",
    "SELECT id, row_number() OVER () AS n FROM vehicles WHERE time < 1",
    "SELECT time FROM vehicles WHERE time < 1 LIMIT 5 OFFSET 3",
    "SELECT time FROM vehicles WHERE time < 1 LIMIT 10%",
    "SELECT time FROM vehicles WHERE time < 0.3 AND time = (SELECT max(time) FROM vehicles WHERE time < 0.3)",
    "SELECT max(time) FROM vehicles WHERE time < 1 GROUP BY id ORDER BY ALL",
    "SELECT id FROM vehicles WHERE time < 1 QUALIFY row_number() OVER (PARTITION BY id) = 1 ORDER BY id",
  ])("%s: rows that depend on one another are answered together", async (sql) => {
    expect(await rowsOf([source(short)], sql)).toEqual(await rowsOf([source(short)], sql, { prune: false }));
  });
});

describe("a member of a channel that becomes a text late", async () => {
  const COUNT = 40_000;
  const START = 1_700_000_000_000_000_000n;
  const path = temporaryFile(
    "late.mcap",
    await makeMcap(
      {
        channels: [{ id: 1, topic: "/data", encoding: "json" }],
        messages: Array.from({ length: COUNT }, (_, k) => ({
          channel: 1,
          time: START + BigInt(k) * 1_000_000n,
          sequence: k,
          data: new TextEncoder().encode(JSON.stringify({ k, mixed: k < 39_000 ? k : `text ${k}` })),
        })),
      },
      { chunk: 500, hasIndex: true, hasSummary: true, hasStatistics: true },
    ),
  );

  test("does not matter to a statement that does not name it", async () => {
    const rows = await rowsOf([source(path)], "SELECT k FROM data WHERE time >= 1");
    expect(rows.map(({ k }) => k)).toEqual(Array.from({ length: COUNT - 1000 }, (_, k) => k + 1000));
  });

  test("does not matter to rows before it", async () => {
    const rows = await rowsOf([source(path)], "SELECT mixed FROM data WHERE time >= 1 LIMIT 5");
    expect(rows.map(({ mixed }) => mixed)).toEqual([1000, 1001, 1002, 1003, 1004]);
  });

  test("is an error that names it and the way around, when rows were given already", async () => {
    await expect(rowsOf([source(path)], "SELECT mixed FROM data WHERE time >= 1")).rejects.toMatchObject({
      code: "failed",
      message: expect.stringMatching(/^mixed of data .* from 39 s on.* ORDER BY time/),
    });
    const rows = await rowsOf([source(path)], "SELECT mixed FROM data WHERE time >= 1 ORDER BY time");
    expect([rows.length, rows[0]!["mixed"], rows.at(-1)!["mixed"]]).toEqual([COUNT - 1000, "1000", "text 39999"]);
  });

  test("a value that has no number fails in plain words, when rows were given already", async () => {
    const sql = "SELECT k, CASE WHEN k > 38000 THEN concat('text ', k)::INT END AS n FROM data WHERE time >= 1";
    await using session = await SqlSession.open([source(path)]);
    const answer = await session.query(sql);
    let rows = 0;
    const error: unknown = await (async () => {
      for await (const { length } of answer) rows += length;
    })().catch((reason: unknown) => reason);
    expect(rows).toBeGreaterThan(1000);
    expect(SqlError.is(error) && [error.code, error.message]).toEqual([
      "failed",
      "the text 'text 38001.0' cannot be converted to INTEGER",
    ]);
  });

  test.each([undefined, tmpdir()])("of * all columns are known before the first row (spill: %s)", async (spill) => {
    const rows = await rowsOf([source(path)], "SELECT * FROM data WHERE time >= 1", { spill });
    expect([rows.length, rows[0]!["mixed"], rows.at(-1)!["mixed"]]).toEqual([COUNT - 1000, "1000", "text 39999"]);
  });
});
