import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { openDatabase } from "../dist/database/database.js";
import { userCommand } from "./support/people.ts";

const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "simtape-restore-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a restore into a data folder that was used says so, and what to do, whatever is left there", async () => {
  const library = join(folder, "library");
  mkdirSync(library);
  const backup = join(folder, "backup.tar.gz");
  const simtape = (...words: readonly string[]): { status: number | null; said: string } => {
    const { status, stderr } = spawnSync(process.execPath, [CLI, ...words], { encoding: "utf8" });
    return { status, said: stderr };
  };
  expect(userCommand(["add", "ada", library, "--role", "admin"]).status).toBe(0);
  expect(simtape("backup", library, "-o", backup).status).toBe(0);
  const change = async (...statements: readonly string[]): Promise<void> => {
    const database = await openDatabase(`embedded:${join(library, ".simtape", "database")}`);
    const client = await database.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
    await database.close();
  };
  const refused = (what: string): void => {
    const { status, said } = simtape("restore", backup, library);
    expect([status, said.trim().split("\n").length], said).toEqual([2, 1]);
    expect(said).toContain(what);
    expect(said).toContain("--data ANOTHER-FOLDER");
  };
  refused("the database has accounts");
  // its accounts are gone; what was done stays in the audit
  await change("delete from users where id <> 'operator'");
  refused("the database has an audit");
});
