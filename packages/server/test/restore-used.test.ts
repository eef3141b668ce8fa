import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { simtape } from "../../simtape/test/cli/run.ts";
import { printed } from "./support/command.ts";
import { openDatabase } from "../dist/database/database.js";
import { userCommand } from "./support/people.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-restore-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a restore into a data folder that was used says so, and what to do, whatever is left there", async () => {
  const library = join(folder, "library");
  mkdirSync(library);
  const backup = join(folder, "backup.tar.gz");
  expect((await userCommand(["add", "ada", library, "--role", "admin"])).exit).toBe(0);
  await printed(["backup", library, "-o", backup]);
  const change = async (...statements: readonly string[]): Promise<void> => {
    const database = await openDatabase(`embedded:${join(library, ".simtape", "database")}`);
    const client = await database.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
    await database.close();
  };
  const refused = async (what: string): Promise<void> => {
    const { exit, stderr } = await simtape(["restore", backup, library]);
    expect([exit, stderr.trim().split("\n").length], stderr).toEqual([2, 1]);
    expect(stderr).toContain(what);
    expect(stderr).toContain("--data ANOTHER-FOLDER");
  };
  await refused("the database has accounts");
  // its accounts are gone; what was done stays in the audit
  await change("delete from users where id <> 'operator'");
  await refused("the database has an audit");
});
