import { describe, expect, test } from "vitest";
import { query, SqlError, SqlSession } from "../../src/sql/index.ts";
import { corpus, MADE, opened, rowsOf, source } from "./support.ts";

const corpusReadme = corpus("../README.md");

const refusal = async (sql: string): Promise<SqlError> => {
  const error: unknown = await query([source(MADE.carla)], sql).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!SqlError.is(error)) throw new Error(`no SqlError: ${String(error)}`);
  return error;
};

describe("the place of an error", () => {
  const long = `select '${"é".repeat(200)}' as word, ${"1 + ".repeat(40)}`;
  test.each([
    ["  \n select id\n from vehicles\n wher id = 1", "syntax", "id = 1"],
    ["selec id from vehicles", "syntax", "selec"],
    ["select 'é', id from vehiclez", "no-table", "vehiclez"],
    ["select 'é', idd from vehicles", "no-column", "idd"],
    [" select id,\n  nosuch(id) from vehicles;", "invalid", "nosuch"],
    ["select 1, 'a'::int from vehicles", "invalid", "::int"],
    [`${long}nosuch(1) from vehicles`, "invalid", "nosuch"],
  ] as const)("%s", async (sql, code, word) => {
    const error = await refusal(sql);
    expect([error.code, sql.slice(error.at ?? -1)]).toEqual([code, sql.slice(sql.indexOf(word))]);
  });

  test("is null where there is none", async () => {
    expect((await refusal("select 1; select 2")).at).toBeNull();
    expect((await refusal("")).at).toBeNull();
  });
});

test("findings of a recording that does not open are rows, also where it is the only one", async () => {
  const broken = { name: "x", open: () => opened(corpusReadme) };
  const rows = await rowsOf([broken], "select recording, severity from findings");
  expect(rows).toEqual([{ recording: "x", severity: "loss" }]);
  await expect(rowsOf([broken], "select * from events")).rejects.toThrow("not a recording");
});

test("one that does not open is left out where the rows of all others are known without opening", async () => {
  const known = { start: 0, end: 1, epoch: null, duration: 1, bytes: 9, messages: 2, metadata: "{}" };
  const never = (): Promise<never> => Promise.reject(new Error("it was opened"));
  const one = { name: "a", known: { format: "carla", version: "1", ...known }, open: never };
  const broken = { name: "x", open: () => opened(corpusReadme) };
  expect(await rowsOf([one, broken], "select recording from recordings")).toEqual([{ recording: "a" }]);
  await expect(rowsOf([broken], "select recording from recordings")).rejects.toThrow("not a recording");
});

test("columns of an answer have the units of the columns that they are", async () => {
  const unitsOf = async (sql: string): Promise<Record<string, string | null>> => {
    const { columns } = await query([source(MADE.carla)], sql);
    return Object.fromEntries(columns.map(({ name, unit }) => [name, unit]));
  };
  const sql = "position_x, max(position_x) over () as most, time::float as t, position_x / 100 as m, id, label as time";
  expect(await unitsOf(`select ${sql} from (select *, 'a' as label from vehicles)`)).toEqual({
    ...{ position_x: "cm", most: "cm", t: null, m: null, id: null, time: null },
  });
  expect(await unitsOf("select time, position_x from vehicles")).toEqual({ time: "s", position_x: "cm" });
  expect(await unitsOf("select * from (select time, position_x * 2 as position_x from vehicles)")).toEqual({
    ...{ time: "s", position_x: null },
  });
  expect(await unitsOf("select id, avg(position_x) from vehicles group by id")).toEqual({
    ...{ id: null, "avg(position_x)": "cm" },
  });
});

describe("what is known of a recording", () => {
  const known = {
    ...{ format: "carla", version: "1", start: 0, end: 2, epoch: null, duration: 2 },
    ...{ messages: 7, bytes: 9, metadata: "{}" },
  };
  const closed = { ...source("", "a.log"), file: "there/a.log", tags: ["night"], known, more: { id: "x1" } };
  const unopened = { ...closed, open: () => Promise.reject(new Error("it was opened")) };

  test("is a row of recordings, and it is not opened for that", async () => {
    const [row] = await rowsOf([unopened], "select * from recordings where format = 'carla'", { more: ["id", "name"] });
    expect(row).toEqual({ recording: "a.log", file: "there/a.log", tags: ["night"], ...known, id: "x1", name: null });
    expect(await rowsOf([unopened], "select count(*) as n from recordings")).toEqual([{ n: 1 }]);
  });

  test("is read where a part of it is not known, and with the tables beside it", async () => {
    const { version: _, ...less } = known;
    const open = source(MADE.carla, "a.log");
    const one = { ...open, known: less, more: { id: "x1" } };
    const [row] = await rowsOf([one], "select version, messages, id from recordings", { more: ["id"] });
    expect(row?.["id"]).toBe("x1");
    expect(row?.["messages"]).not.toBe(7);
    const sql = "select r.id, count(*) as n from recordings r join vehicles v using (recording) group by all";
    const joined = await rowsOf([{ ...open, known, more: { id: "x1" } }], sql, { more: ["id"] });
    expect(joined).toEqual([{ id: "x1", n: expect.any(Number) }]);
  });

  test("columns are named without opening it", async () => {
    const error: unknown = await query([unopened], "select formt from recordings").catch((reason: unknown) => reason);
    expect(SqlError.is(error) && error.message).toContain("the nearest is format");
    await using session = await SqlSession.open([], { more: ["id"] });
    expect((await session.tables()).get("recordings")).toContain("id");
  });
});
