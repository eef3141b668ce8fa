import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { localBus } from "../src/bus/local.ts";
import type { Context } from "../src/context.ts";
import { type Database, joinDatabase } from "../src/database/database.ts";
import { Jobs } from "../src/jobs/queue.ts";
import { folderLibrary } from "../src/library/folder.ts";
import type { Library } from "../src/library/library.ts";
import { logTo } from "../src/log-output.ts";
import { settingsOf } from "../src/settings.ts";
import { eraseWho } from "../src/subjects/erase.ts";
import { Traces } from "../src/subjects/traces.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";

const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));
const GUIDE = fileURLToPath(new URL("../../../docs/operations.md", import.meta.url));
const [BOB, EVE, STEVE] = [
  { id: "b", uuid: "71d87f3f-df6e-496b-8876-c1cda9d934ca", name: "Bob" },
  { id: "e", uuid: "0b2d9a57-1c0e-4f55-9e6e-53ba3c9f7a10", name: "Evelyne" },
  { id: "s", uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Steve" },
];

interface Certificate {
  readonly isComplete: boolean;
  readonly removed: readonly { recording: string; did: string }[];
  readonly remains: readonly { where: string; id: string; why: string; next: string }[];
  readonly changed: Readonly<Record<string, number>>;
  readonly backups: readonly unknown[];
}

/** Players who stand, and what Steve says. */
function lines(players: readonly (typeof BOB)[], said: string): string {
  const text: unknown[] = [{ simtape: 1 }, { tick: 0 }];
  for (const player of players) text.push({ join: { ...player, at: [0, 64, 0] } }, { subject: player });
  text.push({ tick: 20 }, { chat: { text: said, from: players.at(-1)!.id } }, { tick: 40 }, { end: "completed" });
  return text.map((line) => `${JSON.stringify(line)}\n`).join("");
}

describe("erasing", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-erasing-"));
  const library = join(folder, "recordings");
  const words = [library, "--public", "own", "--sign-ins-per-minute", "1000"];
  let node: TestNode;
  let admin: Caller;
  let database: Database;
  let ids: ReadonlyMap<string, string>;

  beforeAll(async () => {
    for (const name of ["Bob", "talk", "Evelyne_1"]) mkdirSync(join(library, name), { recursive: true });
    await printed(["record", join(library, "Bob", "run")], lines([BOB, STEVE], "go"));
    await printed(["record", join(library, "Bob", "alone")], lines([BOB], "hm"));
    await printed(["record", join(library, "talk", "day")], lines([STEVE], `where is ${BOB.name}?`));
    await printed(["record", join(library, "Evelyne_1", "both")], lines([EVE, STEVE], "Evelyne wins"));
    await printed(["record", join(library, "Evelyne_1", "own")], lines([EVE], "Evelyne alone"));
    writeFileSync(join(library, "Bob", "readme.txt"), "Bob was here");
    expect((await userCommand(["add", "admin", library, "--role", "admin"])).exit).toBe(0);
    node = await startNode(words);
    admin = await Caller.signedIn(node, "admin");
    database = await joinDatabase(`embedded:${join(library, ".simtape", "database")}`);
    const { recordings } = await until(
      () => admin.json<{ recordings: { id: string; key: string; state: string }[] }>("GET", "/api/recordings"),
      (page) => page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed"),
    );
    ids = new Map(recordings.map(({ id, key }) => [key.replace("/meta.hcrp", ""), id]));
  });

  afterAll(async () => {
    await database?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Where a name or UUID is still: in any row, path or file but those of the embedded database. */
  async function leftOf({ name, uuid }: typeof BOB): Promise<readonly string[]> {
    const wanted = new RegExp(`(?<![a-z0-9])${name}(?![a-z0-9])|${uuid}|${uuid.replaceAll("-", "")}`, "i");
    const left: string[] = [];
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(database.query);
    expect(rows.length).toBeGreaterThan(20);
    for (const table of rows) {
      const { rows: found } = await sql<{
        row: string;
      }>`select to_jsonb(t)::text as row from ${sql.table(table.name)} t`.execute(database.query);
      for (const { row } of found) if (wanted.test(row)) left.push(`${table.name}: ${row}`);
    }
    for (const entry of readdirSync(library, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (path.includes("/.simtape/database")) continue;
      if (wanted.test(path.slice(library.length))) left.push(path);
      if (!entry.isFile()) continue;
      const bytes = readFileSync(path);
      if (wanted.test(bytes.toString("latin1")) || bytes.includes(Buffer.from(uuid.replaceAll("-", ""), "hex")))
        left.push(`in ${path}`);
      if (entry.name === "meta.hcrp")
        for (const command of [
          ["cat", path, "--json"],
          ["meta", "get", path],
          ["state", path, "--at", "100%"],
        ])
          if (wanted.test(await printed(command))) left.push(`${command[0]} of ${path}`);
    }
    return left;
  }

  test("the steps of the operations page leave nothing of a person but what the certificate names", async () => {
    const made = { name: BOB.name, role: "player", password: PASSWORD, identities: [BOB.uuid] };
    const { id: account } = await admin.json<{ id: string }>("POST", "/api/users", made);
    const bob = await Caller.signedIn(node, BOB.name);
    await bob.status("POST", "/api/session", { name: BOB.name, password: "another" });
    const run = ids.get("Bob/run")!;
    await bob.json("POST", "/api/searches", { name: "Bob", query: "q=Bob" });
    await admin.json("POST", "/api/searches", {
      ...{ name: "one of them", query: "", where: 'players["Bob"].position.x > 0', watched: true },
    });
    await bob.json("POST", "/api/shares", { recording: run, first: 0.5, last: 1 });
    await admin.json("POST", "/api/rooms", { name: "Bob's room", recordings: [run] });
    await admin.json("POST", "/api/collections", { name: "runs of Bob", public: "off" });
    await admin.json("PUT", `/api/recordings/${ids.get("talk/day")}/tags`, { tags: ["seen-by-Bob", "day"] });
    await admin.json("POST", `/api/recordings/${run}/exports`, { table: "csv" });
    const { id: review } = await admin.json<{ id: string }>("POST", "/api/reports", {
      ...{ recording: ids.get("talk/day"), subject: "Steve", text: "it was Bob", flags: ["bob"] },
    });
    await until(
      () => admin.json<{ clip: string | null }>("GET", `/api/reviews/${review}`),
      ({ clip }) => clip !== null,
    );
    await until(
      () => sql<{ state: string }>`select state from shares`.execute(database.query),
      ({ rows }) => rows.every(({ state }) => state === "ready"),
    );
    await sql`alter table rooms add column motto text not null default 'as Bob says'`.execute(database.query);
    await printed(["backup", library, "-o", join(folder, "backup.tar.gz")]);
    // a legal hold
    const held = await admin.json<{ id: string }>("POST", `/api/recordings/${run}/holds`, { reason: "of the court" });

    const { token } = await admin.json<{ token: string }>("POST", "/api/tokens", {
      name: "erasing",
      scopes: ["read", "admin"],
    });
    const first = await steps(token);
    expect(first).toContain("NOT complete");
    expect(first).toMatch(/recording \S+: on hold\. End the hold\./);
    expect(first).not.toMatch(/\bbob\b/i);
    expect(existsSync(join(folder, "export.zip"))).toBe(true);
    expect(await bob.status("GET", "/api/me")).toBe(401);

    // what the certificate says is to be done
    const before = await certificate();
    expect(before.isComplete).toBe(false);
    expect(before.backups).toHaveLength(1);
    expect(before.removed.map(({ recording, did }) => [recording, did])).toContainEqual([
      ids.get("Bob/alone"),
      "deleted",
    ]);
    expect(before.changed).toMatchObject({ "rooms.motto": 1, "rooms.name": 1, "collections.name": 1 });
    const { where, why } = before.remains.find(({ where }) => where === "file")!;
    expect([where, why]).toEqual(["file", expect.stringContaining("names the person")]);
    rmSync(join(library, before.remains.find(({ where }) => where === "file")!.id));
    expect(await admin.status("DELETE", `/api/recordings/${run}/holds/${held.id}`)).toBe(204);
    await sql`delete from holds`.execute(database.query);
    expect(
      await admin.ask("POST", `/api/subjects/${BOB.uuid}/erase`, { also: [BOB.name], deletes: false }),
    ).toMatchObject({ status: 202 });
    const after = await certificate();
    expect(after).toMatchObject({ isComplete: true, remains: [] });
    expect(await leftOf(BOB)).toEqual([]);
    // it is the same recording still, and others are in it as before
    const { key } = await admin.json<{ key: string }>("GET", `/api/recordings/${run}`);
    expect(key).toMatch(/^erased-[0-9a-f]{8}\/run\/meta\.hcrp$/);
    expect(await printed(["cat", join(library, key), "--json"])).toContain(STEVE.name);
    // who did what is known by an id
    const { rows } = await sql<{
      details: unknown;
    }>`select details from audit where action = 'user made' and details->>'user' = ${account}`.execute(database.query);
    expect(rows).toHaveLength(1);
    await expect(sql`update audit set details = '{}'`.execute(database.query)).rejects.toThrow("never changed");
  });

  /** Of the newest request, when it is done. */
  async function certificate(): Promise<Certificate> {
    const { requests } = await admin.json<{ requests: { id: string; kind: string }[] }>(
      "GET",
      "/api/subjects/requests",
    );
    const id = requests.find(({ kind }) => kind === "erase")!.id;
    await until(
      () => admin.json<{ state: string }>("GET", `/api/subjects/requests/${id}`),
      ({ state }) => state !== "waiting",
    );
    return admin.json<Certificate>("GET", `/api/subjects/requests/${id}/certificate`);
  }

  /** Runs the commands of the page as they stand there. */
  async function steps(token: string): Promise<string> {
    const part = readFileSync(GUIDE, "utf8").split("## Erasing a person")[1]!.split("\n## ")[0]!;
    const commands = /```sh\n([\s\S]*?)```/.exec(part)![1]!;
    const programs = join(folder, "bin");
    mkdirSync(programs);
    writeFileSync(join(programs, "simtape"), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`, { mode: 0o755 });
    writeFileSync(join(folder, "settings.json"), JSON.stringify({ store: library }));
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", commands], {
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${programs}:${process.env["PATH"]}`,
        ...{ SERVER: node.address, TOKEN: token, CONFIG: join(folder, "settings.json"), NAME: BOB.name, WHO: BOB.uuid },
      },
    });
    return stdout;
  }

  test("one that is ended at any moment goes on from there, and done again it changes nothing", async () => {
    const { query } = database;
    const bus = localBus(() => undefined);
    const plain = await folderLibrary(library);
    const settings = await settingsOf({ store: library }, undefined, {});
    const contextOf = (own: Library): Context => ({
      ...{ settings, database, query, bus, jobs: new Jobs(query, bus), library: own, log: logTo("silent") },
    });
    const who = JSON.stringify({ names: [EVE.name], uuids: [EVE.uuid], accounts: [], deletes: false });
    await query.insertInto("subject_requests").values({ id: "eve", kind: "erase", who }).execute();
    const work = { signal: new AbortController().signal, progress: () => undefined };
    await sql`update rooms set name = 'with Evelyne'`.execute(query);
    let ended = 0;
    for (let most = 0; ; most += 3) {
      let count = 0;
      const step = <A extends unknown[], R>(work: (...given: A) => R): ((...given: A) => R) => {
        return (...given) => {
          if (count++ >= most) throw new Error("the process was ended");
          return work(...given);
        };
      };
      const dying: Library = {
        ...plain,
        remove: step(plain.remove),
        removeFolder: step(plain.removeFolder),
        sink: step(plain.sink),
        replacement: step(plain.replacement),
      };
      const error = await eraseWho(contextOf(dying), "eve", work).then(
        () => null,
        (failed: Error) => failed,
      );
      if (error === null) break;
      expect(error.message).toBe("the process was ended");
      ended++;
    }
    expect(ended).toBeGreaterThan(2);
    const report = async (): Promise<unknown> =>
      (await query.selectFrom("subject_requests").select("report").where("id", "=", "eve").executeTakeFirstOrThrow())
        .report;
    const first = await report();
    expect(first).toMatchObject({ isComplete: true, remains: [] });
    expect(await leftOf(EVE)).toEqual([]);
    expect(await eraseWho(contextOf(plain), "eve", work)).toBeNull();
    expect(await report()).toEqual(first);
  });

  test("a name is found as a word, in every spelling of a UUID, and not in the name of another", () => {
    const traces = new Traces({ names: ["Bob", "c++"], uuids: [BOB.uuid] }, ["Bob Miller"], "x");
    for (const text of [
      "Bob",
      "lib/bob/x",
      "by_Bob_1.hcrp",
      "«BOB»",
      "in c++ now",
      BOB.uuid.toUpperCase(),
      BOB.uuid.replaceAll("-", ""),
    ])
      expect([text, traces.isIn(text)]).toEqual([text, true]);
    for (const text of ["Bobby", "kebob", "Bob Miller", "c+", "", "[1,2,3,4]"])
      expect([text, traces.isIn(text)]).toEqual([text, false]);
    const ints = [0x71d87f3f, 0xdf6e496b | 0, 0x8876c1cd | 0, 0xa9d934ca | 0];
    expect(traces.isInValue({ subjects: [{ uuid: ints }] })).toBe(true);
    expect(traces.isIn(JSON.stringify(ints))).toBe(true);
    expect(traces.isInValue(new Map([["x", new Uint8Array(Buffer.from(BOB.uuid.replaceAll("-", ""), "hex"))]]))).toBe(
      true,
    );
    expect(traces.masked("Bob and Bob Miller")).toBe(`${traces.token} and Bob Miller`);
  });
});
