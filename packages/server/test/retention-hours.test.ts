import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { printed } from "./support/command.ts";
import { connectDatabase, type Database, joinDatabase } from "../dist/database/database.js";
import { describeDatabases } from "./support/databases.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

interface Page {
  readonly recordings: readonly { readonly name: string; readonly state: string }[];
}

describeDatabases("retention by the clock", (newDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-retention-"));
  const library = join(folder, "library");
  const race = join(library, "race.hcrp");
  let words: readonly string[];
  let node: TestNode;
  let database: Database;

  beforeAll(async () => {
    await printed(["demo", "hcrp", "-o", library, "--seconds", "4"]);
    const policy = join(folder, "policy.json");
    const kept = { name: "all", days: 1, keepBest: false };
    writeFileSync(policy, JSON.stringify({ version: 1, graceHours: 0, classes: [kept] }));
    const own = await newDatabase();
    words = [library, ...own, "--retention", policy, "--retention-hours", "1"];
    // there before the first run of the policy
    node = await startNode([library, ...own]);
    await until(
      () => json<Page>(node.address, "/api/recordings"),
      ({ recordings }) => recordings[0]?.state === "indexed",
    );
    await node.stop();
    node = await startNode(words);
    database =
      own.length > 0
        ? await connectDatabase(own[1]!)
        : await joinDatabase(`embedded:${join(library, ".simtape", "database")}`);
  });

  afterAll(async () => {
    await database?.close();
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const runs = async (): Promise<{ done: number; minutes: number | null }> => {
    const jobs = await database.query.selectFrom("jobs").selectAll().where("kind", "=", "retention").execute();
    const plans = await database.query.selectFrom("retention_plans").select("state").execute();
    const waiting = jobs.find(({ state }) => state === "waiting");
    return {
      done: plans.filter(({ state }) => state === "applied").length,
      minutes: waiting === undefined ? null : (waiting.due.getTime() - Date.now()) / 60_000,
    };
  };

  test("marks in one run, deletes in the next, an hour later; a start in between changes nothing", async () => {
    const first = await until(runs, ({ done, minutes }) => done === 1 && minutes !== null);
    expect(first.minutes).toBeGreaterThan(55);
    expect(existsSync(race)).toBe(true);
    // an hour passes
    const due = new Date();
    await database.query
      .updateTable("jobs")
      .set({ due })
      .where("kind", "=", "retention")
      .where("state", "=", "waiting")
      .execute();
    const second = await until(runs, ({ done, minutes }) => done === 2 && minutes !== null);
    expect(second.minutes).toBeGreaterThan(55);
    await until(
      async () => existsSync(race),
      (is) => !is,
    );
    await until(
      () => json<Page>(node.address, "/api/recordings"),
      ({ recordings }) => recordings.length === 0,
    );
    expect((await runs()).done).toBe(2);
  });
});
