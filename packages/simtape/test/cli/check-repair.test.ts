import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { simtape } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-check-"));
const at = (name: string): string => join(folder, name);
const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));

afterAll(() => rmSync(folder, { recursive: true }));

test("check of a folder says how many ticks its journal holds, and recover gets them", async () => {
  cpSync(fixture("hcrp/killed-mid-tick"), at("killed"), { recursive: true });
  for (const file of [at("killed"), at("killed/meta.hcrp")]) {
    const { exit, stdout } = await simtape(["check", file, "--json"]);
    const { status, findings } = JSON.parse(stdout) as {
      status: string;
      findings: { code: string; message: string }[];
    };
    expect([exit, status]).toEqual([3, "damaged"]);
    expect(findings).toMatchObject([{ code: "journal", severity: "loss" }]);
    expect(findings[0]!.message).toContain("holds 96 ticks");
  }
  const recovered = await simtape(["recover", at("killed"), "--json"]);
  const { fromJournal } = JSON.parse(recovered.stdout) as { fromJournal: number };
  // Of the tick in which it was killed there may be a part, which is no tick.
  expect([95, 96]).toContain(fromJournal);
  const { stdout } = await simtape(["check", at("killed")]);
  expect(stdout).not.toContain("journal");
});

describe.each([
  ["carla-negative-time.log", "whole.log"],
  ["carla-contradicted-time.log", "right.log"],
  ["nanover-named-twice.nanover.zip", "named.nanover.zip"],
  ["mira-impossible-time.tape", "timed.tape"],
])("repair of %s", (damaged, name) => {
  test("is sound, and repaired once more it is copied", async () => {
    await simtape(["repair", fixture(`faults/${damaged}`), at(name)]);
    expect(await simtape(["check", at(name)])).toMatchObject({ exit: 0, stderr: "" });
    const again = await simtape(["repair", at(name), at(`again-${name}`), "--json"]);
    expect([again.exit, JSON.parse(again.stdout)]).toMatchObject([0, { status: "sound", bytesLost: 0 }]);
    expect(Buffer.compare(readFileSync(at(name)), readFileSync(at(`again-${name}`)))).toBe(0);
  });
});

test("a repair that comes to nothing is one line, and leaves no file", async () => {
  const before = readdirSync(folder);
  const { exit, stderr } = await simtape(["repair", fixture("faults/headerless.state"), at("lone.state")]);
  expect(existsSync(at("lone.state"))).toBe(exit !== 1);
  expect(stderr).not.toContain("    at ");
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  expect(before.length).toBeGreaterThan(0);
});
