import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { directoryStore } from "../../src/io/node/index.ts";
import { ALEX, make, MAPS, NOW, STEVE } from "../record/retain-store.ts";
import { type Ran, simtape } from "./run.ts";

let folder = "";
let store = "";

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "simtape-retain-"));
  store = join(folder, "store");
  mkdirSync(store);
  const into = directoryStore(store);
  await make(into, "old", { ago: 40, subject: STEVE });
  await make(into, "best", { ago: 41, map: MAPS[0], subject: STEVE, took: 1000 });
  await make(into, "young", { ago: 3, subject: ALEX });
  for (const id of readdirSync(store))
    for (const name of readdirSync(join(store, id))) utimesSync(join(store, id, name), 1_700_000_000, 1_700_000_000);
});
afterEach(() => rmSync(folder, { recursive: true }));

const AT = ["--now", new Date(NOW).toISOString()];

function policy(document: object = {}): string[] {
  const path = join(folder, "policy.json");
  writeFileSync(path, JSON.stringify({ version: 1, classes: [{ name: "runs" }], ...document }));
  return ["--policy", path];
}

function retain(...words: readonly string[]): Promise<Ran> {
  return simtape(["retain", store, ...words]);
}

test("row 32: the dry run is the default and prints what would go, and why", async () => {
  const before = readdirSync(store, { recursive: true });
  const { exit, stdout, stderr } = await retain(...policy(), ...AT);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(stdout).toMatch(/^would +recording +class +size +age +reason\n/);
  expect(stdout).toMatch(/\nmark +old +runs +[\d.]+ kB +40 d +older than 30 days\n/);
  expect(stdout).toMatch(
    /\nkeep: 2 recordings, [\d.]+ kB\nmark: 1 recording, [\d.]+ kB\nnothing was changed; --apply does it\n$/,
  );
  expect(readdirSync(store, { recursive: true })).toEqual(before);
});

test("row 32: deletion is two-phase, and can be undone in between", async () => {
  const now = ["--now", new Date(Date.now() - 25 * 3_600_000).toISOString()];
  const words = policy({ hold: ["young"] });
  expect((await retain(...words, "--apply", ...now)).stdout).toMatch(/\nmarked +old /);
  expect(readdirSync(store)).toContain("old");
  const undone = await Promise.all([retain("--undo", "old"), retain("--undo", "young")]);
  expect(undone).toMatchObject([{ exit: 0 }, { exit: 1, stderr: expect.stringContaining("not marked") }]);
  expect((await retain(...words, "--apply", ...now)).stdout).toMatch(/\nmarked: 1 recording/);
  expect((await retain(...words, "--all")).stdout).toMatch(/\nkeep +best .* personal best\ndelete +old /);
  const { exit, stdout } = await retain(...words, "--apply", "--json");
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    applied: true,
    rows: [
      { id: "best", class: "runs", decision: "keep", reason: "personal best", planned: "keep", marked: null },
      { id: "old", decision: "delete", planned: "delete", reason: "older than 30 days" },
      { id: "young", decision: "keep", reason: "on hold" },
    ],
    changes: [{ id: "old", did: "deleted" }],
    totals: { keep: { recordings: 2 }, delete: { recordings: 1 } },
    warnings: [],
  });
  expect(readdirSync(store).sort()).toEqual(["best", "young"]);
});

test("exit 3 when a recording cannot be judged; holds of nothing are reported", async () => {
  writeFileSync(join(store, "old", "meta.hcrp"), "no recording at all");
  const { exit, stdout, stderr } = await retain(...policy({ hold: ["gone"] }), ...AT);
  expect(exit).toBe(3);
  expect(stdout).toMatch(/^keep: 3 recordings/);
  expect(stderr).toMatch(
    /on hold, but not there: gone\nsimtape: old cannot be judged: old\/meta\.hcrp: header: expected/,
  );
});

test("exit 2 for wrong usage, in one line", async () => {
  const wrong: [words: string[], message: RegExp][] = [
    [[], /say what stays: --policy FILE/],
    [policy({ version: 3 }), /policy .*policy\.json: version: expected 1, found 3/],
    [["--policy", "/no/such.json", "--now", "2026-01-01"], /cannot read the policy \/no\/such\.json: ENOENT/],
    [[...policy({ version: 3 }), "--apply", "--now", "2999-01-01"], /a date that is yet to come/],
    [["--policy", "x", "--undo", "old"], /takes nothing but the store/],
  ];
  const runs = await Promise.all(wrong.map(([words]) => retain(...words)));
  for (const [i, { exit, stdout, stderr }] of runs.entries()) {
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: "" });
    expect(stderr).toMatch(wrong[i]![1]);
  }
});
