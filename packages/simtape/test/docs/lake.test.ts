import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, expect, test } from "vitest";
import { simtape } from "../cli/run.ts";
import { CONSOLE, ConsolePage } from "./console-page.ts";

const page = new ConsolePage("lake.md");
const folder = mkdtempSync(join(tmpdir(), "simtape-lake-page-"));
afterAll(() => {
  page.remove();
  rmSync(folder, { recursive: true });
});

/** `npx vitest run packages/simtape/test/docs/lake.test.ts -u` writes the page again. */
test("the command of docs/lake.md has its true output", async () => {
  expect(page.text.match(CONSOLE)).toHaveLength(1);
  await expect(page.shown()).toMatchFileSnapshot(page.path);
});

test("DuckDB runs the statements of docs/lake.md, and each finds something", async () => {
  const runs = join(folder, "runs");
  cpSync(fileURLToPath(new URL("../../../../examples", import.meta.url)), runs, { recursive: true });
  const made = await simtape(["lake", runs, "-o", join(folder, "lake")]);
  expect(made.exit).toBe(0);
  expect(readdirSync(join(folder, "lake"))).toContain("vehicles");
  const [, block] = /## DuckDB[\s\S]*?```sql\n([\s\S]*?)```/.exec(page.text)!;
  const statements = block!
    .replaceAll("'lake/", `'${folder}/lake/`)
    .split(";")
    .filter((one) => one.trim() !== "");
  expect(statements).toHaveLength(5);
  const duckdb = await DuckDBConnection.create();
  const counts: number[] = [];
  for (const statement of statements) counts.push((await duckdb.runAndReadAll(statement)).currentRowCount);
  const [total] = (await duckdb.runAndReadAll(statements[4]!)).getRows()[0] as [bigint];
  duckdb.closeSync();
  expect(counts[0]).toBe(5);
  expect(counts[1]).toBeGreaterThan(10);
  expect(counts[2]).toBe(1);
  expect(Number(total)).toBeGreaterThan(50);
});
