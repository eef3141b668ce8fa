import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { manual } from "../../src/cli/program.ts";
import { MAIN, simtape, simtapeProcess } from "./run.ts";

const example = (name: string): string => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
const has = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/** The words that complete a line, and whether names of files do. */
async function completing(...words: readonly string[]): Promise<{ words: string[]; files: boolean }> {
  const { exit, stdout } = await simtape(["complete", "--", ...words]);
  expect(exit).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  const last = lines.pop();
  expect(last).toMatch(/^:[04]$/);
  return { words: lines.map((line) => line.split("\t")[0]!), files: last === ":0" };
}

describe("a command line is completed", () => {
  test("by commands, options, choices and formats", async () => {
    expect(await completing("st")).toEqual({ words: ["state", "stats"], files: false });
    expect(await completing("carla", "")).toEqual({ words: ["info", "collisions", "blocked"], files: false });
    expect(await completing("cat", "--rev")).toEqual({ words: ["--reverse"], files: false });
    expect(await completing("cat", "x", "--format", "")).toEqual({ words: ["text", "ndjson", "csv"], files: false });
    expect((await completing("convert", "x", "y", "--to", "")).words).toContain("nanover");
    expect((await completing("demo", "mi")).words).toEqual(["mira"]);
  });

  test("by names of files, where a file stands", async () => {
    expect(await completing("info", "")).toEqual({ words: [], files: true });
    expect(await completing("check", "a", "b")).toEqual({ words: [], files: true });
    expect(await completing("edit", "a", "--list", "")).toEqual({ words: [], files: true });
    expect(await completing("cat", "a", "--limit", "")).toEqual({ words: [], files: false });
  });

  test("by the channels and paths of the recording that it names", async () => {
    expect((await completing("cat", example("town.log"), "-c", "posi")).words).toEqual(["position"]);
    const paths = await completing("state", example("flight.fgtape"), "--at", "5s", "--path", "/position/lat");
    expect(paths.words).toEqual(["/position/latitude-deg"]);
    expect(await completing("cat", "nosuch.log", "-c", "")).toEqual({ words: [], files: false });
  });
});

describe.skipIf(!has("bash"))("bash", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-bash-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "simtape"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(folder, "simtape"), 0o755);

  test.each([
    ["simtape st", ["state", "stats"]],
    ["simtape carla b", ["blocked"]],
    [`simtape cat ${example("town.log")} -c posi`, ["position"]],
    ["simtape info ", []],
  ])("alone completes %j", (line, words) => {
    const script = `source <(simtape complete bash); COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; _simtape; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { status, stdout } = spawnSync("bash", ["--norc", "--noprofile", "-c", script], {
      encoding: "utf8",
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}` },
    });
    expect([status, stdout.trim() === "" ? [] : stdout.trim().split("\n")]).toEqual([0, words]);
  });
});

test.each(["zsh", "fish", "powershell"])("%s has a script that asks the command", async (shell) => {
  expect((await simtapeProcess(["complete", shell])).stdout).toMatch(/simtape/);
});

describe("the page of the manual", () => {
  const page = fileURLToPath(new URL("../../man/simtape.1", import.meta.url));

  test("is what the help says: npm run manual", async () => {
    expect(readFileSync(page, "utf8")).toBe(await manual());
  });

  test.skipIf(!has("groff"))("is taken by groff without a warning", () => {
    const { status, stdout, stderr } = spawnSync("groff", ["-man", "-Tutf8", "-P-cbou", "-ww", page], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/simtape state \[options\] <file>/);
  });
});
