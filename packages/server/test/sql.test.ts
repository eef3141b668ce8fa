import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tableFromIPC } from "apache-arrow";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";

const CORPUS = fileURLToPath(new URL("../../corpus/cases", import.meta.url));
/** A small recording of each format. */
const CASES: Readonly<Record<string, string>> = {
  "town.log": "carla/0.9.15/town.log",
  "flight.fgtape": "flightgear/continuous/flight.fgtape",
  "run.hcrp": "hcrp/walk/run.hcrp",
  "robot.tape": "mira/recommended/robot.tape",
  "run.nanover.zip": "nanover/zip/run.nanover.zip",
};

interface Answer {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly unit: string | null }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly truncated: boolean;
  readonly unread: number;
  readonly problems: readonly { readonly recording: string; readonly code: string }[];
}
interface Problem {
  readonly status: number;
  readonly detail: string;
  readonly code?: string;
  readonly at?: number;
  readonly line?: number;
  readonly column?: number;
}
interface Item {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly state: string;
}

const listed = async (caller: Caller, count: number): Promise<readonly Item[]> => {
  const { recordings } = await until(
    () => caller.json<{ recordings: Item[] }>("GET", "/api/recordings?limit=100"),
    (page) => page.recordings.length === count && page.recordings.every(({ state }) => state !== "new"),
  );
  return recordings;
};

describe("SQL over HTTP", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-server-sql-"));
  let node: TestNode;
  let admin: Caller;
  let ids: ReadonlyMap<string, string>;

  beforeAll(async () => {
    for (const [name, path] of Object.entries(CASES)) copyFileSync(join(CORPUS, path), join(folder, name));
    mkdirSync(join(folder, "monday"));
    copyFileSync(join(folder, "town.log"), join(folder, "monday", "town.log"));
    writeFileSync(join(folder, "broken.log"), Buffer.alloc(2000, 3));
    await userCommand(["add", "admin", folder, "--role", "admin"]);
    const limits = ["--sql-seconds", "20", "--sql-memory", "256", "--sql-rows", "5000"];
    node = await startNode([folder, ...limits]);
    admin = await Caller.signedIn(node, "admin");
    // the first statement of a process loads the database
    await Promise.all([ask("select 1"), ask("select 1")].map((one) => one.catch(() => null)));
    ids = new Map((await listed(admin, 7)).map(({ key, id }) => [key, id]));
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (sql: string, more: object = {}): Promise<Answer> => admin.json("POST", "/api/sql", { sql, ...more });
  const refused = async (sql: string, more: object = {}, caller = admin): Promise<Problem> => {
    const answer = await caller.ask("POST", "/api/sql", { sql, ...more });
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    return (await answer.json()) as Problem;
  };
  /** Rows as the command gives them of the same files. */
  const command = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const files = [...ids.keys()].filter((key) => key !== "broken.log").map((key) => join(folder, key));
    return JSON.parse(await printed(["sql", ...files, sql, "--json"])) as Readonly<Record<string, unknown>>[];
  };
  const objects = ({ columns, rows }: Answer): readonly Readonly<Record<string, unknown>>[] =>
    rows.map((row) => Object.fromEntries(columns.map(({ name }, k) => [name, row[k]])));

  test.each([
    "select kind, count(*) as n, min(time) as first from events group by kind order by n desc, kind",
    "select id, max(position_x) as x, any_value(label) as label from vehicles group by id order by id",
    "select floor(time / 5) as since, avg(velocity_x) as speed from robot_Odometry group by all order by since",
  ])("answers as the command: %s", async (sql) => {
    const answer = await ask(sql, { recordings: [...ids].filter(([key]) => key !== "broken.log").map(([, id]) => id) });
    expect(objects(answer)).toEqual(await command(sql));
    expect(answer).toMatchObject({ truncated: false, unread: 0, problems: [] });
  });

  test("the table recordings is that of the files, and its rows open none", async () => {
    const sql = "select * exclude (recording, file, metadata) from recordings order by format, duration";
    const own = "id, name, state, summary, owner, collection, added, tags";
    const some = { recordings: [...ids].filter(([key]) => key !== "broken.log").map(([, id]) => id) };
    const found = await ask(sql.replace("metadata", `metadata, ${own}`), some);
    expect(objects(found)).toEqual(await command(sql.replace("metadata", "metadata, tags")));
    const before = await opens();
    const [row] = objects(await ask("select * from recordings where recording = 'monday/town.log'"));
    expect(row).toMatchObject({ id: ids.get("monday/town.log"), name: "town.log", state: "indexed", format: "carla" });
    expect(await opens()).toBe(before);
  });

  const opens = async (): Promise<number> => {
    const { lines } = await admin.json<{ lines: { details: { opened?: number } }[] }>("GET", "/api/audit?action=sql");
    return lines.reduce((sum, { details }) => sum + (details.opened ?? 0), 0);
  };

  test("columns have types and units, and a limit says that there is more", async () => {
    const { columns, rows, truncated } = await ask("select time, id, position_x, label from vehicles", { limit: 3 });
    expect(columns).toEqual([
      { name: "time", type: "DOUBLE", unit: "s" },
      { name: "id", type: "BIGINT", unit: null },
      { name: "position_x", type: "DOUBLE", unit: "cm" },
      { name: "label", type: "VARCHAR", unit: null },
    ]);
    expect([rows.length, truncated]).toEqual([3, true]);
    const most = await ask("select range from range(10000)");
    expect([most.rows.length, most.truncated]).toEqual([5000, true]);
    expect((await ask("select range from range(5000)")).truncated).toBe(false);
  });

  test("the same rows as CSV, Parquet and Arrow", async () => {
    const sql = "select time, id, position_x as x, label from vehicles where time < 0.1 order by time, id";
    const rows = objects(await ask(sql));
    const file = async (format: string): Promise<ArrayBuffer> => {
      const answer = await admin.ask("POST", "/api/sql", { sql, format });
      expect(answer.headers.get("simtape-rows")).toBe(String(rows.length));
      expect(answer.headers.get("simtape-truncated")).toBe("false");
      expect(answer.headers.get("content-disposition")).toContain(`answer.${format}`);
      return answer.arrayBuffer();
    };
    const lines = Buffer.from(await file("csv"))
      .toString()
      .trim()
      .split(/\r?\n/);
    expect(lines[0]).toBe("time,id,x,label");
    expect(lines.length).toBe(rows.length + 1);
    const parquet = (await parquetReadObjects({ file: await file("parquet") })).map((row) => ({
      ...row,
      id: Number(row["id"]),
    }));
    expect(parquet).toEqual(rows);
    const arrow = tableFromIPC(new Uint8Array(await file("arrow")));
    expect(arrow.schema.fields[2]!.metadata.get("unit")).toBe("cm");
    expect(
      arrow.toArray().map((row: { toJSON(): object }) => ({ ...row.toJSON(), id: Number(Object(row).id) })),
    ).toEqual(rows);
    // the folder of an answer is removed when the last byte has left
    await expect.poll(() => readdirSync(join(folder, ".simtape", "exports"))).toEqual([]);
  });

  test("recordings are chosen by ids, by a folder and by filters", async () => {
    const sql = "select distinct recording from vehicles order by recording";
    const names = async (recordings?: unknown): Promise<unknown> =>
      (await ask(sql, recordings === undefined ? {} : { recordings })).rows.flat();
    expect(await names()).toEqual(["monday/town.log", "town.log"]);
    expect(await names([ids.get("town.log")])).toEqual(["town.log"]);
    expect(await names({ folder: "monday" })).toEqual(["monday/town.log"]);
    expect(await names({ format: "carla", key: "town.log" })).toEqual(["town.log"]);
    expect(await refused(sql, { recordings: { format: "mira" } })).toMatchObject({ status: 400, code: "no-table" });
    expect(await refused(sql, { recordings: { folders: "monday" } })).toMatchObject({ status: 400 });
    expect(await refused(sql, { recordings: [ids.get("town.log"), "nothing"] })).toMatchObject({ status: 404 });
  });

  test("a recording that cannot be read is left out, and is a finding", async () => {
    const { unread, problems } = await ask("select count(*) from events");
    expect([unread, problems.map(({ recording }) => recording)]).toEqual([1, ["broken.log"]]);
    const { rows } = await ask("select recording from findings where recording = 'broken.log'");
    expect(rows).toEqual([["broken.log"]]);
    const known = await ask("select recording from recordings order by recording");
    expect(known.rows.flat()).toEqual([...ids.keys()].filter((key) => key !== "broken.log").sort());
    const only = await refused("select count(*) from events", { recordings: [ids.get("broken.log")] });
    expect([only.status, only.code]).toEqual([422, "unknown-format"]);
  });

  test("a wrong statement is a problem with its place", async () => {
    expect(await refused("select id\nfrom vehicles\nwher id = 1")).toMatchObject({
      ...{ status: 400, code: "syntax", line: 3, column: 6, at: 29 },
    });
    const column = await refused("select id, positionx from vehicles");
    expect(column).toMatchObject({ status: 400, code: "no-column", at: 11, line: 1, column: 12 });
    expect(column.detail).toContain("the nearest is position_x");
    expect(await refused("select 1 from vehiclez")).toMatchObject({ status: 400, code: "no-table", at: 14 });
    expect(await refused("select 1; select 2")).toMatchObject({ status: 400, code: "statement" });
  });

  test.each([
    "create table x (a int)",
    "attach '/tmp/x.db'",
    "copy (select 1) to '/tmp/x.csv'",
    "set memory_limit = '1TB'",
    "install httpfs",
    "select * from '/etc/passwd'",
    "select * from read_csv('/etc/passwd')",
    "select * from read_text('/etc/hostname')",
    "select * from read_parquet('https://example.org/x.parquet')",
    "select * from glob('/*')",
    "select getenv('HOME')",
  ])("reaches nothing else: %s", async (sql) => {
    const { status, code } = await refused(sql);
    expect([status, ["statement", "invalid", "no-table", "syntax"].includes(code!)]).toEqual([400, true]);
  });

  test("limits of time and memory end a statement, and the next one is answered", async () => {
    const memory = await refused("select list(range) from range(200000000)");
    expect(memory).toMatchObject({ status: 422, code: "limit" });
    const slow = "select count(*) from range(10000000) a, range(10000000) b where a.range * b.range % 7 = 3";
    expect(await refused(slow)).toMatchObject({ status: 422, code: "limit", detail: "no answer within 20 s" });
    expect((await ask("select 1 as one")).rows).toEqual([[1]]);
  });

  test("a client that goes away ends its statement", async () => {
    const slow = "select count(*) from range(10000000) a, range(10000000) b where a.range * b.range % 7 = 3";
    const leave = async (): Promise<void> => {
      const controller = new AbortController();
      const sent = fetch(`${node.address}/api/sql`, {
        method: "POST",
        headers: { ...admin.headers, "content-type": "application/json" },
        body: JSON.stringify({ sql: slow }),
        signal: controller.signal,
      });
      await new Promise((resolve) => setTimeout(resolve, 500));
      controller.abort();
      await expect(sent).rejects.toThrow();
    };
    // more than there are processes: each of them has to be free again before its limit of time
    await Promise.all([leave(), leave(), leave(), leave()]);
    expect((await ask("select 1 as one")).rows).toEqual([[1]]);
    const { lines } = await until(
      () => admin.json<{ lines: { details: { refused?: string } }[] }>("GET", "/api/audit?action=sql&limit=20"),
      (found) => found.lines.filter(({ details }) => details.refused === "499").length >= 4,
    );
    expect(lines.length).toBeGreaterThan(4);
  });

  test("the log has the statement by its digest, and each recording that was opened", async () => {
    await admin.json("POST", "/api/users", { name: "sam", role: "staff", password: PASSWORD });
    const sam = await Caller.signedIn(node, "sam");
    const sql = "select count(*) from players where label = 'Elif'";
    await sam.json("POST", "/api/sql", { sql });
    const { lines } = await admin.json<{ lines: { action: string; recording: string; details: object }[] }>(
      "GET",
      "/api/audit?who=sam",
    );
    const [line] = lines.filter(({ action }) => action === "sql");
    expect(line!.details).toMatchObject({ rows: 1, format: "json", recordings: ids.size });
    expect(JSON.stringify(line)).not.toContain("Elif");
    const read = lines.filter(({ action }) => action === "read").map(({ recording }) => recording);
    expect(read.sort()).toEqual([...ids.values()].sort());
    expect((await sam.json<{ rows: unknown[] }>("POST", "/api/sql", { sql })).rows.length).toBe(1);
  });

  test("players and viewers may not ask, whatever they name", async () => {
    for (const role of ["viewer", "player"]) {
      await admin.json("POST", "/api/users", { name: role, role, password: PASSWORD });
      const caller = await Caller.signedIn(node, role);
      const theirs = await refused("select 1", { recordings: [ids.get("town.log")] }, caller);
      const nothing = await refused("select 1", { recordings: ["nothing"] }, caller);
      expect([theirs.status, theirs.detail]).toEqual([403, nothing.detail]);
    }
  });

  test("lists tables with their columns, by looking at few recordings", async () => {
    const found = await admin.json<{ tables: { name: string; columns: string[] }[]; recordings: number }>(
      "POST",
      "/api/sql/tables",
      {},
    );
    const tables = new Map(found.tables.map(({ name, columns }) => [name, columns]));
    expect(found.recordings).toBe(ids.size);
    for (const name of ["recordings", "events", "vehicles", "players", "aircraft", "poses", "particles"])
      expect([...tables.keys()]).toContain(name);
    expect(tables.get("recordings")).toContain("collection");
    expect(tables.get("vehicles")).toContain("position_x");
  });

  test("a recording that is gone is in no answer, and its id is that of nothing", async () => {
    const id = ids.get("monday/town.log");
    rmSync(join(folder, "monday", "town.log"));
    await until(
      () => admin.ask("GET", `/api/recordings/${id}`),
      ({ status }) => status === 404,
    );
    expect((await ask("select distinct recording from vehicles")).rows).toEqual([["town.log"]]);
    expect((await ask("select id from recordings")).rows.flat()).not.toContain(id);
    const gone = await refused("select 1", { recordings: [id] });
    const nothing = await refused("select 1", { recordings: ["nothing"] });
    expect([gone.status, gone.detail]).toEqual([404, nothing.detail]);
  });
});

describe("SQL where DuckDB is not installed", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-no-duckdb-"));
  let node: TestNode;

  beforeAll(async () => {
    const hooks = `export function resolve(name, context, next) {
      if (!name.startsWith("@duckdb/")) return next(name, context);
      throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: "ERR_MODULE_NOT_FOUND" });
    }`;
    writeFileSync(join(folder, "hooks.mjs"), hooks);
    writeFileSync(
      join(folder, "without.mjs"),
      `import { register } from "node:module"; register("./hooks.mjs", import.meta.url);`,
    );
    mkdirSync(join(folder, "library"));
    node = await startNode([join(folder, "library")], { NODE_OPTIONS: `--import ${join(folder, "without.mjs")}` });
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("one problem says how to get it, and all else works", async () => {
    const answer = await fetch(`${node.address}/api/sql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sql: "select 1" }),
    });
    const problem = (await answer.json()) as Problem;
    expect(problem).toMatchObject({ status: 501, code: "missing" });
    expect(problem.detail).toContain("npm install @duckdb/node-api@");
    expect(await json(node.address, "/api/recordings")).toMatchObject({ recordings: [] });
  });

  test("the version is that of the package", () => {
    const manifest = new URL("../../simtape/package.json", import.meta.url);
    expect(readFileSync(manifest, "utf8")).toContain('"@duckdb/node-api": "1.5.5-r.5"');
  });
});
