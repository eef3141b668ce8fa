import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { query, SqlError, type SqlErrorCode, SqlSession } from "../../src/sql/index.ts";
import { simtape } from "../cli/run.ts";
import { MADE, source } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-wrong-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Words of DuckDB, names of its inside, and places in a statement that the user did not write. */
const JARGON =
  /\b(Binder|Catalog|Parser|Syntax|Conversion|Invalid Input|Out of Range|Permission|Not implemented) Error|\bLINE \d|\^|memory\.main|\bkept\b|pg_|_LITERAL|\bINT\d|list_filter|Candidate|explicit|Did you mean|\bSET \w+ *=|INSTALL|stored_secrets/;

async function refused(path: string, sql: string, session: SqlSession | null = null): Promise<SqlError> {
  const answered: Promise<unknown> =
    session === null ? query([source(path)], sql, { time: 20_000 }) : session.query(sql);
  const error: unknown = await answered.then(
    () => new Error(`answered: ${sql}`),
    (reason: unknown) => reason,
  );
  if (!SqlError.is(error)) throw error;
  expect(error.message, sql).not.toMatch(JARGON);
  expect(error.message, sql).toMatch(/^[^\n]{10,900}[^\s.!]$/);
  if (error.at !== null) expect(sql.length, sql).toBeGreaterThanOrEqual(error.at);
  return error;
}

/** Everywhere a statement may name a column of the table `t`. */
const PLACES: readonly string[] = [
  "select nope from t",
  "select t.nope from t",
  "select id, nope from t",
  "select upper(nope) from t",
  "select nope::int from t",
  "select case when nope then 1 end from t",
  "select case nope when 1 then 2 end from t",
  "select count(distinct nope) from t",
  "select count(*) filter (where nope) from t",
  "select list(id order by nope) from t",
  "select distinct on (nope) id from t",
  "select * exclude (nope) from t",
  "select * exclude (nope, id) from t",
  "select x.* exclude (nope) from t x",
  "select * exclude (x.nope) from t x",
  "select * replace (id as nope) from t",
  "select * rename (nope as b) from t",
  "select x.* rename (nope as b) from t x limit 3",
  "select * replace (nope + 1 as id) from t",
  "select columns(['nope']) from t",
  "select columns(* exclude (nope)) from t",
  "select nope + 1 as nope from t",
  "select id from t where nope = 1",
  "select id from t where nope is null",
  "select id from t where nope in (1, 2)",
  "select id from t where time between nope and 2",
  "select count(*) from t group by nope",
  "select max(time), nope from t group by all",
  "select count(*) from t group by rollup (nope)",
  "select id from t group by id having max(nope) > 1",
  "select id from t order by nope",
  "select id from t order by nope limit 3",
  "select row_number() over (partition by nope) from t",
  "select row_number() over (order by nope) from t",
  "select sum(id) over w from t window w as (order by nope)",
  "select id from t qualify row_number() over (partition by nope) = 1",
  "select a.id from t a join t b on a.nope = b.id",
  "select a.id from t a join t b on nope = b.id",
  "select a.id from t a join t b using (nope)",
  "select a.id from t a left join t b using (id, nope)",
  "select a.id from events a join t b using (time) join t c using (nope)",
  "select * from t a asof join t b using (id, nope)",
  "select id from t a semi join events b on a.nope = b.time",
  "select * from t pivot (count(*) for nope in (1, 2))",
  "select * from t pivot (sum(nope) for id in (1, 2))",
  "select * from t pivot (count(*) for id in (1, 2) group by nope)",
  "unpivot t on nope into name n value v",
  "select * from t unpivot (v for n in (nope))",
  "select unnest(nope) from t",
  "select * from t x, lateral (select x.nope) s",
  "with a as (select nope from t) select * from a",
  "select (select max(nope) from t)",
  "select id from t where time in (select nope from t)",
  "select id from t union select nope from t",
  "select id from t union by name select nope from t",
  "describe select nope from t",
  "summarize select nope from t",
];

describe.each([
  ["vehicles", MADE.carla],
  ["players", MADE.hcrp],
])("a column that %s lacks is named, with what there is", (table, path) => {
  let session: SqlSession;
  beforeAll(async () => {
    session = await SqlSession.open([source(path)]);
  });
  afterAll(() => session.close());

  test.each(PLACES)("%s", async (statement) => {
    const { code, message } = await refused(path, statement.replace(/\bt\b/g, table), session);
    expect(code).toBe("no-column");
    // of a join the columns of both sides may be meant, or those of one
    expect(message).toMatch(/^no column "nope" in [\w ]+; the nearest is \w+; (of \d+ )?there are: /);
    expect(message).toContain(table);
    expect(message).not.toMatch(/there are:.*\bnope\b/);
  });
});

/** What is no message of a missing column of a table. */
const WRONG: readonly (readonly [sql: string, code: SqlErrorCode, message: RegExp | string])[] = [
  // columns
  ["select a.id from vehicles a join events b using (id)", "no-column", /^no column "id" in events; /],
  ["select * from (select id as a from vehicles) s join events using (b)", "no-column", /in s; .* there are: a$/],
  ["with w as (select id as a from vehicles) select * exclude (b) from w", "no-column", /in w; .* there are: a$/],
  ["with w as (select id as a from vehicles) select * rename (id as b) from w", "no-column", /in w; .* there are: a$/],
  ["with w as (select id as a from vehicles) select * exclude (id) from w", "no-column", /in w; .* there are: a$/],
  ["select columns('nope.*') from vehicles", "no-column", /^no column matches "nope\.\*" in vehicles; the nearest/],
  ["select columns(c -> c = 'nope') from vehicles", "invalid", "* or COLUMNS leaves no column"],
  ["select id from vehicles limit id", "no-column", 'no column "id" where the statement names it'],
  ["select * from vehicles v, lateral (select nope) t", "no-column", 'no column "nope" where the statement names it'],
  [
    'select id from vehicles where label = "hero"',
    "no-column",
    /^no column "hero" in .*; a text has single quotes: 'hero'; /,
  ],
  ["select id from vehicles a, vehicles b", "invalid", 'several tables have a column "id"; write a.id or b.id'],
  ["select id, max(time) from vehicles", "invalid", /^the column "id" is not in GROUP BY, .*any_value\(id\)$/],
  ["select id from vehicles having id > 1", "invalid", /^the column "id" is not in GROUP BY/],
  ["select grouping(time) from vehicles group by id", "invalid", /"time" of GROUPING is not in GROUP BY$/],
  ["select id.x from vehicles", "invalid", 'id has no members, so there is no "x"'],
  ["select {'a': 1}.b", "invalid", 'the value has no member "b"'],
  ["select id from vehicles order by 3", "invalid", /^ORDER BY has the number of a column/],
  ["select id from vehicles group by 3", "invalid", /^GROUP BY has the number of a column/],
  // tables
  ["select w.id from vehicles v", "no-table", 'no table is called "w" where the statement names it; there are: v'],
  ["select w.* from vehicles v", "no-table", 'no table is called "w" where the statement names it; there are: v'],
  ["select * from nope.vehicles", "no-table", 'no table "nope.vehicles"; tables of recordings have no schema'],
  ["select * from nope.main.vehicles", "no-table", 'no schema "nope"; tables of recordings have none'],
  ["select * from information_schema.nope", "statement", /SHOW TABLES lists them/],
  ["select * from pragma_table_info('nope')", "statement", /SHOW TABLES lists them/],
  ["select v.id from vehicles v join vehicles v using (id)", "invalid", /^two tables are called v; /],
  ["select * from (select id from vehicles) s(x, y)", "invalid", "s has 1 column, and the statement names 2"],
  ["describe nope", "no-table", /^no table "nope"; the nearest is /],
  // functions and types
  ["select avgg(id) from vehicles", "invalid", 'no function "avgg"; the nearest is avg'],
  ["select * from nope(3)", "invalid", /^no function "nope" that gives rows; the nearest is /],
  ["select id from vehicles where id == == 3", "invalid", /^no operator "=="/],
  ["select * from sqrt(3)", "invalid", "sqrt gives a value and no rows; it cannot stand in FROM"],
  ["select st_point(1, 2)", "invalid", 'no "st_point"; it is of the extension spatial of DuckDB, which is not loaded'],
  ["select sqrt(id, 2) from vehicles", "invalid", "sqrt does not take (BIGINT, INTEGER); it takes (DOUBLE)"],
  ["select sqrt() from vehicles", "invalid", "sqrt needs arguments; it takes (DOUBLE)"],
  ["select avg(label) from vehicles", "invalid", /^avg does not take \(VARCHAR\); a cast makes/],
  ["select list_sum(who) from events", "invalid", /^sum does not take \(VARCHAR\)/],
  ["select time + interval '1 day' from vehicles", "invalid", "no operator + for DOUBLE and INTERVAL"],
  ["select 'a' + 'b'", "invalid", "+ does not tell (VARCHAR, VARCHAR) apart; a cast says what is meant"],
  ["select sqrt(id) filter (where id > 1) from vehicles", "invalid", /^sqrt is no aggregate; /],
  ["select id::nope from vehicles", "invalid", /^no type "nope"; some are: BOOLEAN, /],
  ["select utc::int from vehicles", "invalid", 'TIMESTAMP of the column "utc" cannot be converted to INTEGER'],
  ["select utc from vehicles union select true", "invalid", "BOOLEAN cannot be converted to TIMESTAMP"],
  ["select id from vehicles where utc > 5", "invalid", "TIMESTAMP and INTEGER cannot be compared without a cast"],
  ["select [utc, 1] from vehicles", "invalid", "a list: TIMESTAMP and INTEGER need a cast to one type"],
  ["select label collate nope from vehicles", "invalid", /^no collation "nope"; the nearest is nocase$/],
  ["select current_setting('nope')", "invalid", 'no setting "nope"'],
  ["select * from read_csv('/etc/passwd')", "invalid", "a statement reads recordings and no files: /etc/passwd"],
  ["select * from duckdb_secrets()", "invalid", "a statement reads recordings and no folders"],
  // clauses
  [
    "select id from vehicles where max(time) > 1",
    "invalid",
    "an aggregate cannot stand in WHERE or ON; HAVING can have it",
  ],
  ["select count(*) from vehicles group by max(id)", "invalid", "an aggregate cannot stand in GROUP BY"],
  ["select max(count(*)) from vehicles", "invalid", /^an aggregate cannot stand inside another/],
  [
    "select id from vehicles where row_number() over () = 1",
    "invalid",
    /^a window function cannot stand in WHERE; QUALIFY/,
  ],
  [
    "select sum(row_number() over ()) over () from vehicles",
    "invalid",
    /^a window function cannot stand inside another/,
  ],
  ["select sum(id) over w from vehicles", "syntax", 'no window "w"'],
  ["select id, time from vehicles union select id from vehicles", "invalid", /^the two sides of UNION, /],
  [
    "select id from vehicles union select id from vehicles order by time",
    "invalid",
    /names "time", which is no column/,
  ],
  ["select (select id, time from vehicles)", "invalid", "a subquery gives 2 columns where 1 must be"],
  ["select * from vehicles a natural join (select 1 as nope)", "invalid", "NATURAL JOIN: the tables share no column"],
  ["select * from vehicles a asof join events b on a.time = b.time", "invalid", /^ASOF JOIN needs a comparison/],
  ["select id from vehicles where unnest([1]) = 1", "invalid", "UNNEST can stand in SELECT and FROM only"],
  ["select unnest(id) from vehicles", "invalid", "UNNEST needs a list, and not BIGINT"],
  ["select id from vehicles limit -1", "invalid", "LIMIT and OFFSET cannot be negative"],
  ["values (1, 2), (3)", "syntax", "the rows of VALUES have different numbers of columns"],
  ["with a as (select 1), a as (select 2) select * from a", "syntax", 'two queries of WITH are called "a"'],
  [`select ${"abs(".repeat(1200)}1${")".repeat(1200)}`, "syntax", "the statement nests more than 1000 levels"],
  // constants
  ["select id from vehicles where time > 'abc'", "invalid", "the text 'abc' cannot be converted to DOUBLE"],
  ["select id from vehicles limit 'a'", "invalid", "the text 'a' cannot be converted to BIGINT"],
  ["select date '2020-13-45'", "invalid", "the text '2020-13-45' is no date that exists"],
  ["select time '25:00'", "invalid", "the text '25:00' is no time that exists"],
  ["select timestamp 'yesterday'", "invalid", "the text 'yesterday' is no timestamp; write YYYY-MM-DD HH:MM:SS"],
  ["select date_trunc('fortnight', utc) from vehicles", "invalid", /^no unit of time "fortnight"; there are: year, /],
  ["select interval '3 lightyears'", "invalid", /^no unit of time "lightyears"; /],
  ["select strftime(utc, '%Q') from vehicles", "invalid", "no format of a time: '%Q'"],
  ["select utc at time zone 'Nowhere/Nope' from vehicles", "invalid", /^no time zone 'Nowhere\/Nope'; /],
  ["select format('{:d}', label) from vehicles", "invalid", 'the format "d" does not take a string'],
  ["select regexp_matches(label, '(') from vehicles", "invalid", "the regular expression is wrong: missing ) in '('"],
  ["select columns('(') from vehicles", "invalid", "the regular expression is wrong: missing ) in '('"],
  ["select id from vehicles where label ~ '*a'", "invalid", /^the regular expression is wrong: no argument/],
  ["select regexp_matches(label, 'a', 'q') from vehicles", "invalid", "no option of regular expressions: 'q'"],
  ["select label like 'a' escape 'ab' from vehicles", "invalid", "ESCAPE takes one character"],
  ["select json('{') from vehicles", "invalid", "'{' is no JSON: unexpected end of data, at byte 1"],
  ["select value->'$[' from events", "invalid", "the path into JSON is wrong near '['"],
  ["select factorial(100)", "invalid", "value out of range"],
  ["select id, make_date(2020, 13, 45) from vehicles", "invalid", "2020-13-45 is no date that exists"],
  ["select id from vehicles where id > sqrt(0 - 1)", "invalid", "cannot take square root of a negative number"],
  ["select max(time) + (2147483647::int + 1::int) from vehicles", "invalid", /is out of the range of INTEGER$/],
  // what is no SELECT
  ["", "statement", "there is no statement"],
  [" ;; ", "statement", "there is no statement"],
  ["-- nothing", "statement", "there is no statement"],
  ["/* nothing */", "statement", "there is no statement"],
  ["select id from vehicles where id = ?", "statement", /^the statement has a parameter/],
  ["select id from vehicles where id = $name", "statement", /^the statement has a parameter/],
  ["pivot vehicles on id", "statement", /^PIVOT needs the values/],
  ["with a as (from vehicles) pivot a on id", "statement", /^PIVOT needs the values/],
  ["select 1 into x", "syntax", "SELECT INTO writes, and a statement can only read"],
  ...["insert into vehicles values (1)", "set threads = 1", "pragma database_size", "explain select 1"].map(
    (sql) => [sql, "statement", /^only SELECT is allowed/] as const,
  ),
];

describe("a statement that is wrong", () => {
  test.each(WRONG)("%s", async (sql, code, message) => {
    const error = await refused(MADE.carla, sql);
    expect([error.code, error.message]).toEqual([
      code,
      typeof message === "string" ? message : expect.stringMatching(message),
    ]);
  });
});

/** Statements that fail for what rows hold: another recording may have an answer. */
const FAILING: readonly (readonly [sql: string, message: RegExp | string])[] = [
  [
    "select recording::int from vehicles",
    /^the text 'town\.log' of the column "recording" cannot be .* INTEGER; try_cast/,
  ],
  ["select id from vehicles where recording = 3", /^the text 'town\.log' of the column "recording" cannot/],
  ["select id from vehicles where not recording", /cannot be converted to BOOLEAN; try_cast/],
  [
    "select (recording || '')::timestamp from vehicles",
    "the text 'town.log' is no timestamp; write YYYY-MM-DD HH:MM:SS",
  ],
  ["select recording::int from vehicles where recording = 'town.log'", /^the text 'town\.log' of the column/],
  ["select (id + 1000)::utinyint from vehicles", /^\d+ is out of the range of UTINYINT$/],
  ["select (id * 1000)::decimal(3, 1) from vehicles", /^\d+ is out of the range of DECIMAL\(3,1\)$/],
  ["select 9223372036854775807 + id from vehicles", /^9223372036854775807 \+ \d+ is out of the range of BIGINT$/],
  ["select sqrt(-1 - id) from vehicles", "cannot take square root of a negative number"],
  ["select regexp_matches(recording, recording || '(') from vehicles", /is wrong: missing \) in 'town\.log\('$/],
  ["select strptime(recording, '%Y') from vehicles", /^the text 'town\.log' is not of the format '%Y'; /],
  [
    "select abs(0 - 3), factorial(5), (recording || '')::int from vehicles",
    /^the text 'town\.log' cannot be converted/,
  ],
  // what is wrong alone is never looked at
  ["select case when id < 0 then factorial(100) else recording::int end from vehicles", /^the text 'town\.log'/],
  ["select coalesce(id, factorial(100)) + recording::int from vehicles", /^the text 'town\.log'/],
  ["select (select id from vehicles)", /^a subquery that stands for one value gives several rows/],
  // a value of a row is cut
  ["select value::int from events where length(value) > 100", /^the text '.{80}…' of the column "value"/],
];

describe("a statement that fails while it runs", () => {
  test.each(FAILING)("%s", async (sql, message) => {
    const error = await refused(MADE.carla, sql);
    expect([error.code, error.message]).toEqual([
      "failed",
      typeof message === "string" ? message : expect.stringMatching(message),
    ]);
  });
});

describe("the command", () => {
  test.each([
    ["select a.id from vehicles a join vehicles b using (nope)", 2, /no column "nope" in vehicles; /],
    ["select * exclude (nope) from vehicles", 2, /no column "nope" in vehicles; /],
    ["select nothing(id) from vehicles", 2, /no function "nothing"/],
    ["select id from vehicles where id = ?", 2, /a parameter/],
    ["select recording::int from vehicles", 1, /the text 'town\.log'/],
  ])("writes one line and no file: %s", async (sql, exit, message) => {
    const file = join(folder, "out.parquet");
    for (const more of [[], ["-o", file], ["--format", "arrow"]]) {
      const ran = await simtape(["sql", MADE.carla, sql, ...more]);
      expect([ran.exit, ran.stdout, existsSync(file)], more.join(" ")).toEqual([exit, "", false]);
      expect(ran.stderr).toMatch(message);
      expect(ran.stderr.trimEnd()).not.toContain("\n");
    }
    const { stdout } = await simtape(["sql", MADE.carla, sql, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { exit, message: expect.stringMatching(message) } });
    const shell = await simtape(["sql", MADE.carla, "--shell"], Buffer.from(`${sql};\nselect 1 as one;\n`));
    expect([shell.exit, shell.stdout]).toEqual([exit, "one\n1\n"]);
    expect(shell.stderr).toMatch(message);
  });
});
