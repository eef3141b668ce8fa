import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ran, simtape } from "../../simtape/test/cli/run.ts";
import { joinDatabase, openDatabase } from "../dist/database/database.js";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";
import { startPostgres, type TestPostgres, withoutPostgres } from "./support/postgres.ts";

interface Page {
  readonly recordings: readonly { readonly id: string; readonly name: string; readonly state: string }[];
}

const run = (...words: readonly string[]): Promise<Ran> => simtape(words);

/** Every table as text, in an order of its own; what is made from other columns, too. */
async function tablesAt(address: string): Promise<Record<string, readonly string[]>> {
  const database = await joinDatabase(address);
  const client = await database.connect();
  try {
    await client.query("set timezone = 'UTC'");
    const { rows } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1",
    );
    const tables: Record<string, readonly string[]> = {};
    for (const { name } of rows) {
      const content = await client.query<{ line: string }>(`select row_to_json(t)::text as line from "${name}" t`);
      // when a migration was run differs
      if (!name.startsWith("kysely_")) tables[name] = content.rows.map(({ line }) => line).sort();
    }
    return tables;
  } finally {
    await client.end();
    await database.close();
  }
}

describe.skipIf(withoutPostgres !== null)("a backup", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-backup-"));
  const library = join(folder, "library");
  const data = join(folder, "data");
  const own = `embedded:${join(data, "database")}`;
  const backup = join(folder, "backup.tar.gz");
  const questions = [
    "?sort=name&order=asc",
    "?q=vehic",
    "?tag=night",
    "?collection=races",
    "?path=position.x&above=0&sort=name",
    "?with=hero",
  ];
  const asked: unknown[] = [];
  let postgres: TestPostgres;
  let before: Record<string, readonly string[]>;

  const answersOf = async (node: TestNode): Promise<unknown[]> => {
    const staff = await Caller.signedIn(node, "anna");
    const answers: unknown[] = [];
    for (const question of questions) answers.push(await staff.json("GET", `/api/recordings${question}`));
    const { recordings } = answers[0] as Page;
    for (const { id } of recordings) {
      answers.push(await staff.json("GET", `/api/recordings/${id}`));
      answers.push(await (await staff.ask("GET", `/api/recordings/${id}/thumbnail`)).text());
    }
    answers.push(await staff.json("GET", "/api/reviews?state=pending"), await staff.json("GET", "/api/users"));
    return answers;
  };
  const served = async (words: readonly string[], look: (node: TestNode) => Promise<void>): Promise<void> => {
    const node = await startNode(words);
    try {
      await look(node);
    } finally {
      await node.stop();
    }
  };

  beforeAll(async () => {
    postgres = await startPostgres();
    await makeDemos(library);
    const node = await startNode([library, "--data", data]);
    const { recordings } = await until(
      () => json<Page>(node.address, "/api/recordings"),
      (page) => page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed"),
    );
    expect((await userCommand(["add", "anna", library, "--data", data, "--role", "admin"])).exit).toBe(0);
    const anna = await until(
      () => Caller.signedIn(node, "anna").catch(() => null),
      (caller) => caller !== null,
    );
    const [first] = recordings;
    await anna!.json("POST", "/api/reports", {
      recording: first!.id,
      subject: "hero",
      text: 'wrong "way" \\ \u2028 é',
    });
    await anna!.json("POST", "/api/shares", { recording: first!.id, first: 0.5, last: 1.5, hours: 2 });
    await anna!.json("POST", "/api/tokens", { name: "program", scopes: ["read"] });
    await until(
      () => anna!.json<{ shares: readonly { state: string }[] }>("GET", "/api/shares"),
      ({ shares }) => shares.every(({ state }) => state === "ready"),
    );
    const database = await joinDatabase(own);
    const client = await database.connect();
    await client.query("insert into tags select id, 'night' from recordings where format in ('carla', 'mira')");
    await client.query("insert into collections (id, name) values ('races', 'races')");
    await client.query(
      "update recordings set collection = 'races', started = '0044-03-15 12:00:00 BC' where format = 'hcrp'",
    );
    await client.query(
      "update recordings set metadata = metadata || '{\"n\": 123456789012345678901234567890.5}' where format = 'hcrp'",
    );
    await client.end();
    await database.close();
    // clips are recordings, and indexed
    await until(
      () => anna!.json<Page>("GET", "/api/recordings"),
      (page) => page.recordings.length === 6 && page.recordings.every(({ state }) => state === "indexed"),
    );
    asked.push(...(await answersOf(node)));
    // while it runs, with recordings beside the rows
    const made = await run("backup", library, "--data", data, "--output", backup, "--recordings", "--json");
    expect(made, made.stderr).toMatchObject({ exit: 0 });
    expect(JSON.parse(made.stdout)).toMatchObject({ output: backup, recordings: 6, leftOut: [] });
    await node.stop();
    before = await tablesAt(own);
  });

  afterAll(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** But for what a start and a sign-in change, and what is noted of the backup and the restoring. */
  const kept = (tables: Record<string, readonly string[]>): unknown =>
    Object.entries(tables)
      .filter(([name]) => name !== "jobs" && name !== "sessions")
      .map(([name, lines]) => [name, lines.filter((line) => !/"action":"(restored|backup|sign-in)"/.test(line))]);

  test("of an embedded database comes back in a PostgreSQL, every row and answer", async () => {
    const address = await postgres.database();
    const words = [library, "--data", join(folder, "larger"), "--database", address];
    const restored = await run("restore", backup, ...words, "--json");
    expect(restored, restored.stderr).toMatchObject({ exit: 0 });
    expect(JSON.parse(restored.stdout)).toMatchObject({ missing: [] });
    expect(kept(await tablesAt(address))).toEqual(kept(before));
    const again = await run("restore", backup, ...words);
    expect(again).toMatchObject({ exit: 2 });
    expect(again.stderr).toContain("a new one is needed");
    const small = join(folder, "small.tar");
    const made = await run("backup", ...words, "-o", small, "--recordings");
    expect(made, made.stderr).toMatchObject({ exit: 0 });
    expect(await run("backup", ...words, "-o", small)).toMatchObject({ exit: 2 });
    await served(words, async (node) => expect(await answersOf(node)).toEqual(asked));
  });

  test("of a PostgreSQL comes back in an embedded database, with recordings, and goes on counting", async () => {
    const other = join(folder, "elsewhere");
    rmSync(other, { recursive: true, force: true });
    mkdirSync(other);
    const restored = await run("restore", join(folder, "small.tar"), other);
    expect(restored, restored.stderr).toMatchObject({ exit: 0 });
    for (const { name } of (asked[0] as Page).recordings.filter(({ name }) => !name.includes("report")))
      expect(readFileSync(join(other, name))).toEqual(readFileSync(join(library, name)));
    const embedded = `embedded:${join(other, ".simtape", "database")}`;
    expect(kept(await tablesAt(embedded))).toEqual(kept(before));
    const database = await joinDatabase(embedded);
    const { last } = await database.query
      .selectFrom("jobs")
      .select((of) => of.fn.max("id").as("last"))
      .executeTakeFirstOrThrow();
    const { id } = await database.query
      .insertInto("jobs")
      .values({ kind: "none", subject: "", input: "{}" })
      .returning("id")
      .executeTakeFirstOrThrow();
    await database.close();
    expect(id).toBeGreaterThan(Number(last));
  });

  test("names recordings that it does not have, and they come back with their files", async () => {
    const named = join(folder, "named.tar");
    expect((await run("backup", library, "--data", data, "-o", named)).exit).toBe(0);
    const empty = join(folder, "empty");
    mkdirSync(empty);
    const words = [empty, "--database", await postgres.database()];
    const lost = await run("restore", named, ...words);
    expect(lost.exit).toBe(3);
    expect(lost.stderr).toContain("6 recordings not in the library yet");
    const ids = (page: Page): string[] => page.recordings.map(({ id }) => id).sort();
    await served([...words, "--access", "open"], async (node) => {
      cpSync(library, empty, { recursive: true });
      const page = await until(
        () => json<Page>(node.address, "/api/recordings"),
        ({ recordings }) => recordings.length === 6 && recordings.every(({ state }) => state === "indexed"),
      );
      expect(ids(page)).toEqual(ids(asked[0] as Page));
    });
  });

  test("that is not whole is refused, and leaves nothing behind", async () => {
    const words = [library, "--data", join(folder, "refused"), "--database", await postgres.database()];
    const cut = join(folder, "cut.tar");
    const content = readFileSync(join(folder, "named.tar"));
    writeFileSync(cut, content.subarray(0, content.length - 3000));
    const refused = await run("restore", cut, ...words);
    expect(refused).toMatchObject({ exit: 1 });
    expect(refused.stderr).toContain("the end of it is missing");
    content[content.indexOf("hero") + 1]! ^= 1;
    writeFileSync(cut, content);
    expect((await run("restore", cut, ...words)).stderr).toContain("not what was written");
    writeFileSync(cut, "no tar at all");
    expect((await run("restore", cut, ...words)).stderr).toContain("no whole backup");
    // also no recording of one that is damaged behind it
    const packed = readFileSync(backup);
    const [into, data] = [join(folder, "into"), join(folder, "into-data")];
    mkdirSync(into);
    const flipped = Buffer.from(packed);
    flipped[packed.length - 200]! ^= 1;
    for (const wrong of [packed.subarray(0, packed.length - 100), flipped]) {
      writeFileSync(`${cut}.gz`, wrong);
      const { exit, stderr } = await run("restore", `${cut}.gz`, into, "--data", data);
      expect([exit, stderr.trim().split("\n").length], stderr).toEqual([1, 1]);
      expect(stderr).toContain("backup");
      expect([readdirSync(into), existsSync(data)]).toEqual([[], false]);
    }
    expect((await run("restore", backup, ...words)).exit).toBe(0);
  });

  test("of an earlier release comes up with this one, and so do its tables themselves", async () => {
    const old = await postgres.database();
    const early = await openDatabase(old, "004-live");
    const rows = [
      "insert into users (id, name, role) values ('bo', 'bo', 'staff')",
      "insert into recordings (id, key, name, files, bytes, stamp, state) values ('one', 'race.hcrp', 'race.hcrp', '[{\"name\":\"race.hcrp\",\"bytes\":1,\"etag\":\"x\"}]', 1, 's', 'indexed')",
      "insert into extents (recording, path, unit, least, most) values ('one', 'speed', 'm/s', 0, 5)",
      "insert into reviews (id, recording, subject, text, assignee) values ('r', 'one', 'hero', 'text', 'bo')",
      "insert into notes (id, recording, author, time, text) values ('n', 'one', 'bo', 1, 'look')",
    ];
    const client = new pg.Client({ connectionString: old });
    await client.connect();
    for (const row of rows) await client.query(row);
    await client.end();
    await early.close();
    const archive = join(folder, "early.tar");
    expect((await run("backup", library, "--data", join(folder, "early"), "--database", old, "-o", archive)).exit).toBe(
      0,
    );
    const fresh = `embedded:${join(folder, "late", "database")}`;
    const restored = await run("restore", archive, library, "--data", join(folder, "late"));
    expect(restored, restored.stderr).toMatchObject({ exit: 0 });
    // the old tables, brought up in place
    await (await openDatabase(old)).close();
    for (const address of [old, fresh]) {
      const tables = await tablesAt(address);
      expect(tables["notes"]).toHaveLength(1);
      expect(tables["reviews"]![0]).toContain('"assignee":"bo"');
    }
    await served([library, "--data", join(folder, "late")], async (node) => {
      const { recordings } = await until(
        () => json<Page>(node.address, "/api/recordings"),
        (page) => page.recordings.some(({ id, state }) => id === "one" && state === "indexed"),
      );
      expect(recordings.find(({ id }) => id === "one")!.name).toBe("race.hcrp");
    });
  });
});
