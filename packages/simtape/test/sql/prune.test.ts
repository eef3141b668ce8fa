import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { query, SqlError, SqlSession, type SqlSource } from "../../src/sql/index.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { temporaryFile } from "../cli/run.ts";
import { tries } from "../soak.ts";
import { MADE, source } from "./support.ts";

const town = temporaryFile("long.log", makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30));
const SOURCES: readonly SqlSource[] = [source(MADE.carla), source(town), source(MADE.mira), source(MADE.hcrp)];

/** What an answer is, or how it fails. */
async function answerOf(sql: string, prune: boolean): Promise<unknown> {
  try {
    const { length, columns } = await query(SOURCES, sql, { prune });
    return { length, columns: columns.map(({ name, type, data, valid }) => ({ name, type, data: [...data], valid })) };
  } catch (error) {
    if (SqlError.is(error)) return { code: error.code, message: error.message.replace(/;.*/, "") };
    throw error;
  }
}

const TABLES = ["vehicles", "walkers", "poses", "players", "events", "position", "robot_Odometry", "recordings"];

const number = fc.oneof(
  fc.constantFrom(
    "0",
    "0.05",
    "0.1",
    "0.15000000000000002",
    "0.3",
    "1e0",
    "12",
    "-1",
    "0.1 * 3",
    "1 / 4",
    "NULL",
    "'0.2'",
    "2 - 1.9",
    "24",
    "25",
    "26",
  ),
  fc.double({ min: -0.2, max: 1.7, noNaN: true }).map((value) => String(value)),
);
const compared = fc.constantFrom("<", "<=", ">", ">=", "=", "<>");

/** A term; those about columns that a table lacks are errors, and errors are compared, too. */
const term = (alias: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.tuple(compared, number).map(([is, value]) => `${alias}time ${is} ${value}`) },
    { weight: 1, arbitrary: fc.tuple(compared, number).map(([is, value]) => `${value} ${is} ${alias}time`) },
    { weight: 2, arbitrary: fc.tuple(number, number).map(([a, b]) => `${alias}time BETWEEN ${a} AND ${b}`) },
    { weight: 2, arbitrary: fc.tuple(number, number).map(([a, b]) => `NOT (${alias}time BETWEEN ${a} AND ${b})`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("24", "25", "99", "24.0", "'24'", "'024'", "0").map((id) => `${alias}id = ${id}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom("24, 25", "24, 99", "24, NULL", "0, 1").map((ids) => `${alias}id IN (${ids})`),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("'town.log'", "'long.log'", "'x'", "NULL")
        .map((name) => `${alias}recording = ${name}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("LIKE '%.log'", "NOT LIKE 't%'", "IN ('town.log', 'run.hcrp')", "IS NOT NULL", "> 'r'")
        .map((rest) => `${alias}recording ${rest}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          "'2023-11-14 22:13:20.3'",
          "TIMESTAMP '2023-11-14 22:13:20' + INTERVAL 200 MILLISECOND",
          "'2026-05-04'",
        )
        .map((at) => `${alias}utc >= ${at}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("kind = 'collision'", "kind IN ('spawn', 'join')", "kind > 'm'")
        .map((rest) => `${alias}${rest}`),
    },
  );

const where = (alias: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(term(alias), { maxLength: 3 }), fc.constantFrom(" AND ", " AND ", " OR "))
    .map(([terms, joined]) => (terms.length === 0 ? "" : ` WHERE ${terms.join(joined)}`));

const table = fc.constantFrom(...TABLES);
const columns = fc.constantFrom(
  "*",
  "count(*)",
  "recording, time",
  "count(*), min(time), max(time)",
  "time, id",
  "recording, count(*)",
);
const ordered = (picked: string): string =>
  picked === "recording, count(*)" ? " GROUP BY ALL ORDER BY ALL" : picked.includes("count") ? "" : " ORDER BY ALL";

const STATEMENT: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(columns, table, where(""))
    .map(([picked, of, rest]) => `SELECT ${picked} FROM ${of}${rest}${ordered(picked)}`),
  fc.tuple(table, where("a."), where("b.")).map(([of, a, b]) => {
    const rest = [a, b].map((one) => one.replace(" WHERE ", "")).filter((one) => one !== "");
    return `SELECT a.time, count(*) FROM ${of} a LEFT JOIN ${of} b ON a.time = b.time${rest.length === 0 ? "" : ` WHERE ${rest.map((one) => `(${one})`).join(" AND ")}`} GROUP BY ALL ORDER BY ALL`;
  }),
  fc
    .tuple(fc.constantFrom("ASOF JOIN", "ASOF LEFT JOIN"), fc.constantFrom(">=", "<="), where("b."))
    .map(
      ([join, is, rest]) =>
        `SELECT a.time, b.time FROM vehicles a ${join} walkers b ON a.recording = b.recording AND a.time ${is} b.time${rest} ORDER BY ALL`,
    ),
  where("b.").map((rest) => `SELECT a.time, b.time FROM vehicles a POSITIONAL JOIN walkers b${rest}`),
  fc
    .tuple(table, where(""), where(""))
    .map(
      ([of, inner, outer]) =>
        `WITH ${of} AS (SELECT * FROM ${of}${inner}) SELECT count(*), max(time) FROM ${of}${outer}`,
    ),
  fc
    .tuple(table, where(""), where(""))
    .map(
      ([of, inner, outer]) =>
        `WITH d AS (SELECT recording, time, time + 1 AS later FROM ${of}${inner}) SELECT count(later) AS time FROM d${outer}`,
    ),
  fc
    .tuple(table, table, where("v."))
    .map(
      ([a, b, rest]) =>
        `SELECT count(*) FROM ${a} v${rest === "" ? " WHERE" : `${rest} AND`} EXISTS (SELECT 1 FROM ${b} w WHERE w.time = v.time AND w.time < 0.3)`,
    ),
  fc
    .tuple(table, where(""))
    .map(([of, rest]) => `SELECT t, count(*) FROM ${of} v(r, t)${rest} GROUP BY ALL ORDER BY ALL`),
  fc
    .tuple(table, where(""))
    .map(
      ([of, rest]) =>
        `(SELECT time FROM ${of}${rest}) UNION ALL (SELECT time FROM ${of} WHERE time > 0.4) ORDER BY ALL`,
    ),
);

describe("what a statement filters by is not read, and the answer is the same", () => {
  test("for any statement", async () => {
    let failed = 0;
    let all = 0;
    await fc.assert(
      fc.asyncProperty(STATEMENT, async (sql) => {
        const whole = await answerOf(sql, false);
        expect(await answerOf(sql, true), sql).toEqual(whole);
        all++;
        if ("code" in (whole as object)) failed++;
      }),
      { numRuns: tries(60, 600) },
    );
    // most have an answer
    expect(failed).toBeLessThan(all * 0.6);
  }, 400_000);

  test.each([
    ["SELECT time FROM vehicles WHERE rpm_ratio > 0 AND time < -5", { length: 0 }],
    ["SELECT count(*) AS n FROM vehicles WHERE time > 100", { length: 1 }],
  ])("%s", async (sql, wanted) => {
    expect(await answerOf(sql, true)).toMatchObject(wanted);
    expect(await answerOf(sql, true)).toEqual(await answerOf(sql, false));
  });
});

describe("what is read", () => {
  let session: SqlSession;
  beforeAll(async () => {
    session = await SqlSession.open(SOURCES);
  });
  afterAll(() => session.close());

  test.each([
    ["SELECT id FROM vehicles WHERE time >= 1 AND time < 2", [{ from: 1, until: 2 }], null],
    ["SELECT id FROM vehicles v WHERE v.time BETWEEN 1 AND 2 * 3 AND id = 24", [{ from: 1, until: 6 }], ["24"]],
    ["SELECT id FROM vehicles WHERE 3 > time", [{ until: 3 }], null],
    ["SELECT id FROM vehicles WHERE time > 1 OR id = 24", null, null],
    ["SELECT id FROM vehicles WHERE time + 1 > 2", null, null],
    ["SELECT id FROM vehicles WHERE time > random()", null, null],
    ["SELECT a.id FROM vehicles a, vehicles b WHERE a.time < 1 AND b.time > 5", [{ until: 1 }, { from: 5 }], null],
    ["SELECT a.id FROM vehicles a, vehicles b WHERE a.time < 1", null, null],
    [
      "SELECT a.id FROM vehicles a ASOF JOIN vehicles b ON a.time >= b.time WHERE a.time < 1 AND b.time < 1",
      null,
      null,
    ],
    ["SELECT id FROM vehicles USING SAMPLE 5 ROWS", null, null],
    [
      "SELECT id FROM vehicles WHERE time BETWEEN 0.74575000000000005 AND -7.4575000000000005",
      [{ from: expect.closeTo(0.74575, 12) as number, until: expect.closeTo(-7.4575, 12) as number }],
      null,
    ],
    ["SELECT id FROM vehicles WHERE time < 1 AND id = 12345678901234567.5", [{ until: 1 }], null],
    ["SELECT id FROM vehicles WHERE time < 1 AND id = 12345678901234567", [{ until: 1 }], null],
    ["SELECT id FROM (SELECT id, time FROM vehicles WHERE time < 1) WHERE id = 24", [{ until: 1 }], null],
  ])("%s", async (sql, spans, ids) => {
    const [plan, ...others] = await session.explain(sql);
    expect(others).toEqual([]);
    expect(plan!.wanted.spans).toEqual(spans === null ? null : spans.map((span) => expect.objectContaining(span)));
    expect(plan!.wanted.ids?.map(({ id }) => id) ?? null).toEqual(ids);
  });

  test.each([
    ["SELECT count(*) FROM vehicles", []],
    ["SELECT id, a.position_x AS x FROM vehicles a ORDER BY x", ["id", "position_x"]],
    ["SELECT id, count(*) FROM vehicles GROUP BY ALL ORDER BY ALL", ["id"]],
    ["SELECT * FROM vehicles", null],
    ["SELECT v FROM vehicles v", null],
    ["SELECT COLUMNS('position_.*') FROM vehicles", null],
    ["SELECT * FROM (SELECT id FROM vehicles)", ["id"]],
    ["WITH d AS (SELECT max(time) AS t FROM vehicles) SELECT t FROM d", ["time"]],
    ["SELECT a.id FROM vehicles a NATURAL JOIN walkers b", null],
    ["SELECT a.id FROM vehicles a JOIN walkers b USING (time)", ["time", "id"]],
    ["DESCRIBE vehicles", null],
  ])("columns of %s", async (sql, columns) => {
    const [plan] = await session.explain(sql);
    const found = plan!.wanted.columns;
    expect(found === null ? null : [...found].sort()).toEqual(columns === null ? null : [...columns].sort());
  });

  test("recordings that a term about their names leaves out are not opened", async () => {
    const opened: string[] = [];
    const counted = SOURCES.map((one) => ({
      ...one,
      open: () => {
        opened.push(one.name);
        return one.open();
      },
    }));
    const { length } = await query(
      counted,
      "SELECT DISTINCT recording FROM events WHERE recording LIKE '%.log' AND recording <> 'long.log'",
    );
    expect([length, opened]).toEqual([1, ["town.log"]]);
  });

  test("a time at the end of a recording reads a small part of it", async () => {
    await using recording = await source(town).open();
    let read = 0;
    const reader = recording.reader as { batches: typeof recording.reader.batches };
    const batches = reader.batches.bind(reader);
    reader.batches = (...given) => {
      const [{ start = -Infinity, end = Infinity }] = given as [{ start?: number; end?: number }];
      read = Math.max(read, Math.min(end, 1.5e9) - Math.max(start, 0));
      return batches(...given);
    };
    await query([recording], "SELECT id, steering FROM vehicles WHERE time BETWEEN 0.2 AND 0.3");
    expect(read).toBeLessThan(0.4e9);
  });
});
