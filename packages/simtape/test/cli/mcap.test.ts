import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { simtape } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-bag-"));
afterAll(() => rmSync(folder, { recursive: true }));
const bag = (name: string): string => fileURLToPath(new URL(`../fixtures/mcap/bags/${name}.bag`, import.meta.url));

test("a bag of ROS 1 becomes an MCAP file that commands open", async () => {
  const out = join(folder, "drive.mcap");
  const made = await simtape(["mcap", bag("bz2"), "-o", out]);
  expect(made).toMatchObject({ exit: 0, stderr: "" });
  expect(made.stdout).toMatch(/^.*drive\.mcap: 54 messages of 2 connections; chunks of the bag: \d+ bz2\n$/);
  const state = await simtape(["state", out, "--at", "100%", "--json"]);
  expect(state.exit).toBe(0);
  expect(state.stdout).toContain('"line 39"');
  expect((await simtape(["check", out])).exit).toBe(0);
  expect(await simtape(["mcap", bag("bz2"), "-o", out])).toMatchObject({ exit: 2 });
});

test("a cut bag gives what is left, with exit 3", async () => {
  const cut = join(folder, "cut.bag");
  writeFileSync(cut, readFileSync(bag("lz4")).subarray(0, 8000));
  const made = await simtape(["mcap", cut, join(folder, "cut.mcap"), "--json"]);
  expect(made.exit).toBe(3);
  const report = JSON.parse(made.stdout) as { messages: number; findings: { severity: string }[] };
  expect(report.messages).toBeGreaterThan(5);
  expect(report.messages).toBeLessThan(54);
  expect(report.findings.map(({ severity }) => severity)).toContain("loss");
});

test("what is no bag is refused, and nothing is written", async () => {
  const out = join(folder, "none.mcap");
  const wrong = join(folder, "wrong.bag");
  writeFileSync(wrong, "nothing of that kind");
  const refused = await simtape(["mcap", wrong, "-o", out]);
  expect(refused).toMatchObject({ exit: 1, stdout: "" });
  expect(refused.stderr).toContain("no ROS 1 bag");
  expect(existsSync(out)).toBe(false);
});

test("another command says in one line how to convert a bag", async () => {
  const refused = await simtape(["info", bag("none")]);
  expect(refused).toMatchObject({ exit: 1, stdout: "" });
  expect(refused.stderr.trim().split("\n")).toHaveLength(1);
  expect(refused.stderr).toContain("simtape mcap IN.bag -o OUT.mcap");
});
