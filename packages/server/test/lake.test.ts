import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { type Database, joinDatabase } from "../src/database/database.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";

const BOB = { id: "b", uuid: "71d87f3f-df6e-496b-8876-c1cda9d934ca", name: "Bob" };
const STEVE = { id: "s", uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Steve" };

async function record(folder: string, players: readonly (typeof BOB)[], said: string): Promise<void> {
  const text: unknown[] = [{ simtape: 1 }, { tick: 0 }];
  for (const player of players) text.push({ join: { ...player, at: [0, 64, 0] } }, { subject: player });
  text.push({ tick: 20 }, { chat: { text: said, from: players.at(-1)!.id } }, { tick: 40 }, { end: "completed" });
  const input = text.map((line) => `${JSON.stringify(line)}\n`).join("");
  await printed(["record", folder], input);
}

describe("the lake of a server", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-server-lake-"));
  const [library, lake] = [join(folder, "recordings"), join(folder, "lake")];
  let node: TestNode;
  let admin: Caller;
  let database: Database;
  let duckdb: DuckDBConnection;

  beforeAll(async () => {
    mkdirSync(join(library, "Bob"), { recursive: true });
    await record(join(library, "Bob", "run"), [BOB, STEVE], "go");
    await record(join(library, "Bob", "alone"), [BOB], "hm");
    await record(join(library, "day"), [STEVE], "nice");
    expect((await userCommand(["add", "admin", library, "--role", "admin"])).exit).toBe(0);
    node = await startNode([library, "--lake", lake]);
    admin = await Caller.signedIn(node, "admin");
    database = await joinDatabase(`embedded:${join(library, ".simtape", "database")}`);
    duckdb = await DuckDBConnection.create();
  });

  afterAll(async () => {
    duckdb?.closeSync();
    await database?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The keys of recordings that readers of the lake see. */
  async function files(): Promise<readonly string[]> {
    if (!existsSync(join(lake, "recordings"))) return [];
    const sql = `SELECT file FROM read_parquet('${lake}/recordings/**/*.parquet') ORDER BY file`;
    const rows = await duckdb.runAndReadAll(sql).catch(() => null);
    return rows?.getRows().map(([file]) => String(file)) ?? [];
  }

  const sweep = async (): Promise<void> => {
    await database.query.updateTable("jobs").set({ due: new Date() }).where("kind", "=", "lake-sweep").execute();
  };

  test("has what is indexed, and follows new, replaced and deleted recordings", async () => {
    const first = ["Bob/alone/meta.hcrp", "Bob/run/meta.hcrp", "day/meta.hcrp"];
    await until(files, (found) => found.length === 3);
    expect(await files()).toEqual(first);
    cpSync(fileURLToPath(new URL("../../../examples/patrol.tape", import.meta.url)), join(library, "robot.tape"));
    await until(files, (found) => found.includes("robot.tape"));
    const messages = async (): Promise<unknown> => {
      const sql = `SELECT messages FROM read_parquet('${lake}/recordings/**/*.parquet') WHERE file = 'robot.tape'`;
      return (await duckdb.runAndReadAll(sql).catch(() => null))?.getRows().map(([count]) => Number(count));
    };
    expect(await messages()).toEqual([618]);
    cpSync(
      fileURLToPath(new URL("../../corpus/cases/mira/recommended/robot.tape", import.meta.url)),
      join(library, "robot.tape"),
    );
    await until(messages, (found) => Array.isArray(found) && found.length === 1 && found[0] !== 618);
    rmSync(join(library, "robot.tape"));
    await until(
      async () => {
        await sweep();
        return files();
      },
      (found) => !found.includes("robot.tape"),
    );
    // the removal is over when its manifest is gone
    await until(
      () => Promise.resolve(readdirSync(join(lake, "_manifests")).filter((name) => name.endsWith(".json"))),
      (names) => names.length === 3,
    );
    expect(await files()).toEqual(first);
  });

  test("an erasure reaches it, and what was redacted is in it again", async () => {
    const named = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      const wanted = new RegExp(`(?<![a-z0-9])${BOB.name}(?![a-z0-9])|${BOB.uuid}`, "i");
      for (const entry of readdirSync(lake, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (wanted.test(path.slice(folder.length))) found.push(path);
        // one that has been removed since the folder was listed is no file any more
        if (!entry.isFile() || !existsSync(path)) continue;
        if (wanted.test(readFileSync(path, "latin1"))) found.push(path);
        else if (path.endsWith(".parquet")) {
          const rows = (
            await duckdb.runAndReadAll(`SELECT * FROM read_parquet('${path}', hive_partitioning = false)`)
          ).getRowObjectsJson();
          if (wanted.test(JSON.stringify(rows))) found.push(path);
        }
      }
      return found;
    };
    expect((await named()).length).toBeGreaterThan(0);
    const asked = await admin.ask("POST", `/api/subjects/${BOB.uuid}/erase`, { also: [BOB.name], deletes: false });
    expect(asked.status).toBe(202);
    const { requests } = await until(
      () => admin.json<{ requests: { id: string; state: string }[] }>("GET", "/api/subjects/requests"),
      (found) => found.requests.every(({ state }) => state === "done" || state === "failed"),
    );
    const certificate = await admin.json<{ isComplete: boolean; remains: readonly unknown[] }>(
      "GET",
      `/api/subjects/requests/${requests[0]!.id}/certificate`,
    );
    expect(certificate).toMatchObject({ isComplete: true, remains: [] });
    expect(await named()).toEqual([]);
    const found = await until(
      async () => {
        await sweep();
        return files();
      },
      (now) => now.length === 2 && now.some((file) => file.endsWith("/run/meta.hcrp")),
    );
    expect(found).toContain("day/meta.hcrp");
    expect(await named()).toEqual([]);
  });
});
