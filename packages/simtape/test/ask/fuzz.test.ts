import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { checkGrammar } from "../../src/ask/parser.ts";
import { ask, AskError } from "../../src/ask/index.ts";
import { open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { MAIN } from "../cli/run.ts";
import { fuzz } from "./fuzzing.ts";
import { example } from "./support.ts";

test("every text is an expression or one typed error", async () => {
  const { answered, refused } = await fuzz(400, 11);
  expect(answered).toBeGreaterThan(50);
  for (const code of ["syntax", "unit", "path"]) expect(refused.get(code), code).toBeGreaterThan(0);
});

test("the grammar has nothing that is ambiguous", () => {
  expect(() => checkGrammar()).not.toThrow();
});

test("no expression becomes code: it is answered where code cannot be made of texts", () => {
  const asked = 'each vehicles (speed > 1 km/h and kind ~ "vehicle.*" for 100 ms)';
  const words = ["--disallow-code-generation-from-strings", MAIN, "when", example("town.log"), asked, "--json"];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  expect((JSON.parse(stdout) as { count: number }).count).toBeGreaterThan(0);
});

test.each([
  ["parentheses", "(".repeat(5000)],
  ["closed parentheses", `${"(".repeat(2000)}1${")".repeat(2000)}`],
  ["not", `${"not ".repeat(900)}true`],
  ["minus", `1 < ${"- ".repeat(900)}1`],
  ["a sum", `${"1 + ".repeat(500)}1 > 0`],
  ["a long text", `"${"a".repeat(10_000)}"`],
  ["quantifiers", `${"any vehicles (".repeat(40)}true${")".repeat(40)}`],
  ["members", `vehicles[24]${".x".repeat(500)}`],
  ["pattern", `vehicles[24].kind ~ "${"*a".repeat(200)}b"`],
])("%s within each other are limited", async (_, text) => {
  const recording = await open(fromFile(example("town.log")));
  const done = await ask(recording, text, { start: 0, end: 1e8 }).then(
    () => true,
    (error: unknown) => AskError.is(error),
  );
  expect(done).toBe(true);
  await recording.close();
});
