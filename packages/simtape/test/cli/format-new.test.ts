import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { type Ran, simtape, simtapeProcess } from "./run.ts";

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const CREATE = fileURLToPath(new URL("../../../create-simtape-format/bin/create-simtape-format.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "simtape-format-"));
const at = (name: string): string => join(folder, name);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script of a package that was made, with the packages of this repository. */
function script(name: string, where: string): { readonly status: number | null; readonly said: string } {
  const PATH = [join(MODULES, ".bin"), process.env["PATH"]].join(delimiter);
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", name], {
    cwd: where,
    encoding: "utf8",
    env: { ...process.env, PATH },
    shell: process.platform === "win32",
  });
  return { status, said: `${stdout}${stderr}` };
}

describe("format new", () => {
  const made = at("own");

  test("makes a package that compiles and passes its tests", async () => {
    const { exit, stdout, stderr } = await simtape(["format", "new", "my-sonar", "--folder", made, "--json"]);
    expect([exit, stderr]).toEqual([0, ""]);
    const { format, files } = JSON.parse(stdout) as { format: string; files: string[] };
    expect(format).toBe("my-sonar");
    expect(files).toContain("src/layout.ts");
    expect(files.every((file) => existsSync(join(made, file)))).toBe(true);
    expect(files.filter((file) => readFileSync(join(made, file), "utf8").includes("newformat"))).toEqual([]);
    symlinkSync(MODULES, join(made, "node_modules"), "junction");
    const { status, said } = script("test", made);
    expect(status, said).toBe(0);
    expect(said).toContain("survives damage");
  });

  test("its sample opens in info, check and state", async () => {
    expect(script("sample", made)).toEqual({ status: 0, said: "" });
    const ask = (...words: string[]): Promise<Ran> =>
      simtapeProcess([
        words[0]!,
        join(made, "sample.my-sonar"),
        ...words.slice(1),
        "--format-module",
        join(made, "dist/format.js"),
      ]);
    const info = await ask("info", "--json");
    expect(JSON.parse(info.stdout)).toMatchObject({
      format: "my-sonar",
      timeline: { start: 0, end: 10e9 },
      findings: [],
    });
    expect((await ask("check")).exit).toBe(0);
    const state = await ask("state", "--at", "5s", "--json");
    expect(JSON.parse(state.stdout)).toMatchObject({
      sets: { things: { ids: [1, 2], columns: { position: { data: [10, 0, 0, 5, 5, 0], unit: "m" } } } },
    });
  });

  test("an empty folder is filled", async () => {
    mkdirSync(at("empty"));
    expect((await simtape(["format", "new", "sonar", "--folder", at("empty")])).exit).toBe(0);
    expect(readdirSync(at("empty"))).toContain("package.json");
  });

  test.each(["Sonar", "9lives", "a--b", "-a", "a/b", "..", "", "a".repeat(41)])("refuses the name %j", async (name) => {
    const { exit, stderr } = await simtape(["format", "new", "--folder", at("none"), "--", name]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining("the name of a format has")]);
    expect(existsSync(at("none"))).toBe(false);
  });

  test("refuses the name of a format that is there", async () => {
    const { exit, stderr } = await simtape(["format", "new", "carla", "--folder", at("none")]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('there is a format "carla" already')]);
  });

  test("changes nothing in a folder that is not empty, nor a file", async () => {
    mkdirSync(at("full"));
    writeFileSync(at("full/mine"), "");
    writeFileSync(at("file"), "");
    for (const name of ["full", "file"]) {
      const { exit, stderr } = await simtape(["format", "new", "sonar", "--folder", at(name)]);
      expect([exit, stderr]).toEqual([2, expect.stringMatching(/^simtape: there is .+ already: .+\n$/)]);
    }
    expect(readdirSync(at("full"))).toEqual(["mine"]);
  });

  test("says which folder it may not write to", async () => {
    mkdirSync(at("closed"));
    writeFileSync(at("plain"), "");
    chmodSync(at("closed"), 0o500);
    const places = process.getuid?.() === 0 ? ["plain/in"] : ["plain/in", "closed/in"];
    for (const place of places) {
      const { exit, stderr } = await simtape(["format", "new", "sonar", "--folder", at(place)]);
      expect([exit, stderr]).toEqual([1, expect.stringMatching(/^simtape: E[A-Z]+: .+plain|closed.+\n$/)]);
    }
    expect(readdirSync(folder).filter((name) => name.includes("in."))).toEqual([]);
  });
});

test("npm create simtape-format does the same", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CREATE, "sonar"], { cwd: folder, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("cd format-sonar");
  expect(readFileSync(at("format-sonar/package.json"), "utf8")).toContain('"simtape-format-sonar"');
  expect(spawnSync(process.execPath, [CREATE, "Sonar"], { cwd: folder }).status).toBe(2);
});
