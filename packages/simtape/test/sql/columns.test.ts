import { describe, expect, test } from "vitest";
import { SqlSession, type SqlSource } from "../../src/sql/index.ts";
import { temporaryFile } from "../cli/run.ts";
import { makeMcap } from "../fixtures/mcap/make.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { counted, rowsOf, source } from "./support.ts";

const START = 1_700_000_000_000_000_000n;
/** More messages than a sample has; ten a second. */
const COUNT = 5000;

/** A channel of JSON. What a message holds changes late: a member is new, a number becomes a text, lists get longer. */
function valueAt(k: number): object {
  return {
    k,
    wheels: k < 4000 ? [k, k + 1] : [k, k + 1, k + 2],
    mixed: k < 4500 ? k / 2 : `text ${k}`,
    ...(k >= 3000 && k < 3500 ? { late: k * 10 } : {}),
  };
}

async function made(name: string, value: (k: number) => object): Promise<SqlSource> {
  const messages = Array.from({ length: COUNT }, (_, k) => ({
    channel: 1,
    time: START + BigInt(k) * 100_000_000n,
    sequence: k,
    data: new TextEncoder().encode(JSON.stringify(value(k))),
  }));
  const channels = [{ id: 1, topic: "/data", encoding: "json" }];
  return source(temporaryFile(name, await makeMcap({ channels, messages }, { chunk: 100 })));
}

const CHANGING = await made("changing.mcap", valueAt);
/** It has from the first message on what the other one has late, and has it otherwise. */
const STEADY = await made("steady.mcap", (k) => ({ k: `k${k}`, late: k / 4, wheels: [k, k, k, k] }));

const LONG_TOWN = source(temporaryFile("long.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 10_000)));

/** The same with everything read. */
async function both(sql: string): Promise<{ pruned: unknown; whole: unknown }> {
  return { pruned: await rowsOf([CHANGING], sql), whole: await rowsOf([CHANGING], sql, { prune: false }) };
}

describe("a channel whose fields change behind the messages that its columns are learned from", () => {
  test.each([
    // in the range, but in no message before it
    ["SELECT k, late FROM data WHERE time BETWEEN 310 AND 310.5 ORDER BY k", 6],
    // elsewhere alone: nulls
    ["SELECT k, late FROM data WHERE time BETWEEN 10 AND 10.5 ORDER BY k", 6],
    ["SELECT k, late FROM data WHERE time >= 290 AND time < 310 AND late > 0 ORDER BY k", 100],
    ["SELECT k, typeof(wheels) AS type, wheels[3] AS third FROM data WHERE time BETWEEN 399.8 AND 400.2 ORDER BY k", 5],
    // of all messages it is a list, of those in the range two numbers
    ["SELECT k, wheels FROM data WHERE time BETWEEN 20 AND 20.3 ORDER BY k", 4],
    ["SELECT k, mixed FROM data WHERE time BETWEEN 449.8 AND 450.2 ORDER BY k", 5],
    ["SELECT count(late) AS late, count(*) AS n FROM data WHERE time < 20", 1],
    ["SELECT max(k) AS k FROM data WHERE time > 600", 1],
  ])("%s: as when everything is read", async (sql, count) => {
    const { pruned, whole } = await both(sql);
    expect(pruned).toHaveLength(count);
    expect(pruned).toEqual(whole);
  });

  test("the columns of * are those of the first messages and of those in the range", async () => {
    const names = async (when: string): Promise<string[]> =>
      Object.keys((await rowsOf([CHANGING], `SELECT * EXCLUDE (recording, utc) FROM data WHERE ${when}`))[0]!);
    expect(await names("time BETWEEN 20 AND 21")).toEqual(["time", "sequence", "k", "wheels_0", "wheels_1", "mixed"]);
    expect(await names("time BETWEEN 310 AND 311")).toContain("late");
    expect(await names("time BETWEEN 410 AND 411")).toContain("wheels");
    expect(await names("time >= 0")).toEqual(["time", "sequence", "k", "wheels", "mixed", "late"]);
  });

  test("one session answers both, in any order", async () => {
    await using session = await SqlSession.open([CHANGING]);
    const ask = async (sql: string): Promise<unknown[]> => {
      const cells: unknown[] = [];
      for await (const { length, columns } of await session.query(sql))
        for (let row = 0; row < length; row++) cells.push(...columns.map(({ data }) => data[row]));
      return cells;
    };
    for (let turn = 0; turn < 2; turn++) {
      expect(await ask("SELECT wheels_1 FROM data WHERE time BETWEEN 20 AND 20.1 ORDER BY time")).toEqual([201, 202]);
      expect(await ask("SELECT wheels[2] FROM data WHERE time BETWEEN 20 AND 20.1 ORDER BY time")).toEqual([201, 202]);
    }
  });

  test.each([
    "SELECT * EXCLUDE (late) FROM data WHERE time < 1 ORDER BY time",
    "SELECT * REPLACE (k AS late) FROM data WHERE time < 1 ORDER BY time",
    "SELECT * RENAME (late AS later) FROM data WHERE time < 1 ORDER BY time",
    "SELECT * RENAME (LATE AS later) FROM data WHERE time < 1 ORDER BY time LIMIT 5",
    "SELECT COLUMNS(['late', 'k']) FROM data WHERE time < 1 ORDER BY time",
    "SELECT late + 1 AS late FROM data WHERE time < 1 ORDER BY time",
    "SELECT count(*) AS n FROM data a JOIN data b USING (late) WHERE a.time < 1 AND b.time < 1",
  ])("a column of other times exists wherever it is named: %s", async (sql) => {
    const rows = await rowsOf([CHANGING], sql);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toEqual(await rowsOf([CHANGING], sql, { prune: false }));
  });

  test("a column that no message has is an error that names those that exist", async () => {
    await expect(rowsOf([CHANGING], "SELECT nothing FROM data WHERE time < 1")).rejects.toMatchObject({
      code: "no-column",
      message: expect.stringContaining("late"),
    });
  });
});

describe("rows that are read with columns that do not hold are read again", () => {
  test.each([
    "SELECT recording, count(late) AS n, sum(late) AS sum, count(k) AS k, min(typeof(wheels)) AS type FROM data GROUP BY ALL ORDER BY ALL",
    "SELECT * FROM data WHERE time >= 299.9 AND time < 450.3 ORDER BY time, recording",
    "SELECT a.time, a.mixed, b.late FROM data a JOIN data b USING (time) WHERE a.recording <> b.recording AND a.time > 448 ORDER BY ALL",
    "DESCRIBE SELECT * FROM data",
  ])("%s", async (sql) => {
    for (const sources of [
      [CHANGING, STEADY],
      [STEADY, CHANGING],
    ]) {
      const rows = await rowsOf(sources, sql);
      expect(rows.length).toBeGreaterThan(1);
      expect(rows).toEqual(await rowsOf(sources, sql, { prune: false }));
    }
  });
});

test.each([
  [STEADY, "SELECT avg(late) AS late, count(k) AS k FROM data"],
  [CHANGING, "SELECT max(k) AS k FROM data"],
  [LONG_TOWN, "SELECT a.* FROM vehicles a ORDER BY a.time DESC LIMIT 9"],
])("a range is read once, where the first messages have all columns: %#", async (given, sql) => {
  const one = counted(given);
  const rows = await rowsOf([one.source], sql);
  const once = one.bytes();
  const other = counted(given);
  expect(rows).toEqual(await rowsOf([other.source], sql, { prune: false }));
  expect(once).toBeLessThan(0.9 * other.bytes());
});
