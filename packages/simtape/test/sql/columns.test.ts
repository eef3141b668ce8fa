import { describe, expect, test } from "vitest";
import { SqlSession, type SqlSource } from "../../src/sql/index.ts";
import { temporaryFile } from "../cli/run.ts";
import { makeMcap } from "../fixtures/mcap/make.ts";
import { rowsOf, source } from "./support.ts";

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

const path = temporaryFile(
  "changing.mcap",
  await makeMcap(
    {
      channels: [{ id: 1, topic: "/data", encoding: "json" }],
      messages: Array.from({ length: COUNT }, (_, k) => ({
        channel: 1,
        time: START + BigInt(k) * 100_000_000n,
        sequence: k,
        data: new TextEncoder().encode(JSON.stringify(valueAt(k))),
      })),
    },
    { chunk: 100, hasIndex: true, hasSummary: true, hasStatistics: true },
  ),
);
const CHANGING: SqlSource = source(path);

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

  test("a column that no message has is an error that names those that exist", async () => {
    await expect(rowsOf([CHANGING], "SELECT nothing FROM data WHERE time < 1")).rejects.toMatchObject({
      code: "no-column",
      message: expect.stringContaining("late"),
    });
  });
});
