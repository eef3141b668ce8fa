import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { directoryStore } from "../../src/io/node/index.ts";
import { MAIN, simtape, simtapeProcess } from "../cli/run.ts";
import { MADE } from "../sql/support.ts";
import { keysOf, seen, strays } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-lake-command-"));
const runs = join(folder, "runs");
const lake = join(folder, "lake");
beforeAll(() => {
  mkdirSync(join(runs, "deep"), { recursive: true });
  cpSync(MADE.carla, join(runs, "town.log"));
  cpSync(MADE.carla, join(runs, "deep", "my town.log"));
  cpSync(MADE.mira, join(runs, "robot.tape"));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly changes: readonly { readonly file: string; readonly did: string; readonly rows: number }[];
  readonly damaged: readonly { readonly file: string; readonly outcome: string }[];
  readonly isDryRun: boolean;
}

async function run(...words: string[]): Promise<{ exit: number | null; report: Report; stderr: string }> {
  const { exit, stdout, stderr } = await simtape(["lake", runs, "-o", lake, "--json", ...words]);
  return { exit, report: JSON.parse(stdout) as Report, stderr };
}

describe("simtape lake", () => {
  test("says first what it would do, then does it, then has nothing to do", async () => {
    const planned = await run("--dry-run", "--sweep");
    expect(planned).toMatchObject({ exit: 0, report: { isDryRun: true, counts: { added: 3 } } });
    expect(await keysOf(directoryStore(lake))).toEqual([]);
    const done = await run("--sweep");
    const swept = { files: 0, bytes: 0 };
    expect(done).toMatchObject({ exit: 0, report: { counts: { added: 3, unchanged: 0 }, damaged: [], swept } });
    expect(done.report.changes.map(({ file }) => file).sort()).toEqual(["deep/my town.log", "robot.tape", "town.log"]);
    const { exit, stdout } = await simtape(["lake", runs, "-o", lake]);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${lake}: 3 unchanged\n` });
  });

  test("replaces what has changed, removes what is gone, and ends with 3 as long as something is damaged", async () => {
    truncateSync(join(runs, "robot.tape"), Math.floor(readFileSync(MADE.mira).length * 0.6));
    rmSync(join(runs, "deep"), { recursive: true });
    const { exit, report, stderr } = await run();
    expect(exit).toBe(3);
    expect(report.counts).toMatchObject({ replaced: 1, removed: 1, unchanged: 1 });
    expect(report.damaged).toMatchObject([{ file: "robot.tape", outcome: "damaged" }]);
    expect(stderr).toContain("robot.tape is damaged");
    expect(await strays(directoryStore(lake))).toEqual([]);
    expect(await run()).toMatchObject({ exit: 3, report: { counts: { unchanged: 2 } } });
  });

  test("names a set of which no recording has rows, in every run", async () => {
    const store = join(folder, "sets");
    mkdirSync(store);
    cpSync(MADE.carla, join(store, "town.log"));
    const words = ["lake", store, "-o", join(folder, "lake of sets"), "--set"];
    for (const count of ["added", "unchanged"]) {
      const { exit, stdout, stderr } = await simtape([...words, "vehicels", "--set", "vehicles", "--json"]);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'simtape: no recording has rows of a set "vehicels"\n' });
      expect(JSON.parse(stdout)).toMatchObject({ counts: { [count]: 1 }, absent: ["vehicels"] });
    }
    expect(await simtape([...words, "vehicels", "--dry-run"])).toMatchObject({ exit: 0, stderr: "" });
  });

  test("writes facts alone, and lists no more than twenty changes", async () => {
    const many = join(folder, "many");
    mkdirSync(many);
    for (let n = 0; n < 23; n++) cpSync(MADE.carla, join(many, `town${n}.log`));
    const { exit, stdout } = await simtape(["lake", many, "-o", join(folder, "facts"), "--no-sets"]);
    expect(exit).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(22);
    expect(lines[20]).toBe("  … and 3 more; --json lists all");
    expect(lines[21]).toContain("23 added; ");
    const tables = new Set((await keysOf(directoryStore(join(folder, "facts")))).map((key) => key.split("/")[0]!));
    expect([...tables].sort()).toEqual(["_manifests", "channels", "events", "recordings"]);
  });

  test("several processes write one lake, one of them is killed, and the lake is whole", async () => {
    const shared = join(folder, "shared");
    const words = ["lake", join(folder, "many"), "-o", shared];
    const killed = spawn(process.execPath, [MAIN, ...words], { stdio: "ignore" });
    const others = [simtapeProcess(words), simtapeProcess(words)];
    const manifests = join(shared, "_manifests");
    while (killed.exitCode === null && (!existsSync(manifests) || readdirSync(manifests).length < 5))
      await new Promise((resolve) => setTimeout(resolve, 5));
    killed.kill("SIGKILL");
    for (const { exit, stderr } of await Promise.all(others)) expect([0, 3], stderr).toContain(exit);
    const last = await simtape([...words, "--json"]);
    expect(last.exit).toBe(0);
    expect(await simtape(words)).toMatchObject({ exit: 0, stdout: `${shared}: 23 unchanged\n` });
    expect(Object.keys(await seen(directoryStore(shared)))).toHaveLength(23);
  }, 120_000);

  test.each([
    [["no-such-folder", "-o", "x"], "no such folder"],
    [[runs, "-o", runs], "a folder of its own"],
    [[runs], "required option"],
    [[runs, "-o", lake, "--every", "0s"], "a time such as"],
    [[runs, "-o", lake, "--set", "vehicles", "--no-sets"], "cannot be used with"],
    [[runs, "-o", "https://example.org/lake"], "s3://bucket/key is needed"],
  ])("refuses %j", async (words, why) => {
    const { exit, stderr } = await simtape(["lake", ...words]);
    expect(exit).toBe(2);
    expect(stderr).toContain(why);
  });
});
