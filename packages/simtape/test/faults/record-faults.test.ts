import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { simtape } from "../cli/run.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/hcrp/", import.meta.url));
const SESSIONS = join(FIXTURES, "sessions");

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-faults-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Checked, verified and compacted: sound. */
async function expectSound(out: string): Promise<void> {
  for (const command of ["check", "verify"]) {
    const { exit, stdout } = await simtape([command, out, "--json"]);
    expect({ exit, ...JSON.parse(stdout) }).toMatchObject({ exit: 0, status: "sound" });
  }
  expect((await simtape(["compact", out, `${out}.hcrp`])).exit).toBe(0);
}

describe("a session that once ended or damaged a recording", () => {
  // the line that cannot be taken, if there is one
  const bad: Readonly<Record<string, string>> = {
    "deep-line.ndjson": "line 4: expected at most 100 values inside each other, found more",
    "lines-187.ndjson": "line 1: rate: expected ticks per second, from one a day to a billion, found 1e-320",
    "lines-53.ndjson": 'line 1: remove: nothing has the id "pig0": spawn it first',
  };

  test.each(readdirSync(SESSIONS))("is recorded: %s", async (name) => {
    const out = join(folder, "run");
    const input = readFileSync(join(SESSIONS, name));
    const lenient = await simtape(["record", out, "--lenient", "--json"], input);
    expect(lenient.exit, lenient.stderr).toBe(lenient.stderr === "" ? 0 : 3);
    expect(lenient.stderr).not.toMatch(/Error|\n {4}at /);
    await expectSound(out);

    const strict = await simtape(["record", join(folder, "strict")], input);
    const fault = bad[name];
    if (fault !== undefined) expect(strict.stderr).toContain(`simtape: ${fault}`);
    expect(strict.stderr.trim().split("\n").length).toBe(1);
    expect(strict.exit).toBe(strict.stderr === "" ? 0 : 1);
    if (existsSync(join(folder, "strict"))) await expectSound(join(folder, "strict"));
  });
});

describe("what a recorder left that was killed", () => {
  /** Its journal goes on into the middle of a tick, as journals once did. */
  function left(): string {
    const out = join(folder, "run");
    cpSync(join(FIXTURES, "killed-mid-tick"), out, { recursive: true });
    return out;
  }

  test("in the middle of a tick is recovered without that tick", async () => {
    const out = left();
    const { exit, stdout } = await simtape(["recover", out, "--json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: "recovered", fromJournal: 96, ticks: 96 });
    await expectSound(out);
  });

  test("is gone on with together with its journal, named or not", async () => {
    const out = left();
    const lines = '{"tick":0}\n{"spawn":{"id":"a","type":"x:car","at":[0,64,0]}}\n{"end":"completed"}\n';
    const { exit, stdout, stderr } = await simtape(["record", out, "--resume", "--json"], Buffer.from(lines));
    expect([exit, stderr]).toEqual([
      0,
      `simtape: goes on with the journal that is there: ${join(out, "journal.hcj")}\n`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ ticks: 97 });
    expect(existsSync(join(out, "journal.hcj"))).toBe(false);
    await expectSound(out);
  });

  test("is not gone on with another journal, nor is that of another recording overwritten", async () => {
    const out = left();
    const lines = Buffer.from('{"tick":0}\n');
    const journal = join(folder, "other.hcj");
    const resumed = await simtape(["record", out, "--resume", "--journal", journal], lines);
    expect([resumed.exit, resumed.stderr]).toEqual([2, expect.stringContaining("there is a journal of")]);
    const begun = await simtape(["record", join(folder, "new"), "--journal", join(out, "journal.hcj")], lines);
    expect([begun.exit, begun.stderr]).toEqual([1, expect.stringContaining("there is a journal already")]);
    expect((await simtape(["recover", out, "--json"])).exit).toBe(0);
    await expectSound(out);
  });

  test("may have its journal elsewhere", async () => {
    const out = left();
    const journal = join(folder, "elsewhere.hcj");
    renameSync(join(out, "journal.hcj"), journal);
    const none = await simtape(["recover", out, "--journal", join(folder, "none.hcj")]);
    expect([none.exit, none.stderr]).toEqual([2, `simtape: no journal: ${join(folder, "none.hcj")}\n`]);
    const { stdout } = await simtape(["recover", out, "--journal", journal, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: "recovered", ticks: 96 });
    expect(existsSync(journal)).toBe(false);
  });
});
