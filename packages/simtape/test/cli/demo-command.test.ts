import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "simtape-demo-command-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `demo` in a project in which all packages are installed but `absent`. */
function demo(absent: string | null, ...words: readonly string[]): { status: number | null; stderr: string } {
  const project = mkdtempSync(join(folder, "project-"));
  const installed = join(project, "node_modules");
  mkdirSync(installed);
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (name !== absent && !name.startsWith(".")) symlinkSync(join(ROOT, "node_modules", name), join(installed, name));
  const main = join(installed, "simtape/dist/cli/main.js");
  const flags = ["--preserve-symlinks", "--preserve-symlinks-main"];
  const { status, stderr } = spawnSync(process.execPath, [...flags, main, "demo", ...words], {
    cwd: project,
    encoding: "utf8",
  });
  return { status, stderr };
}

test("without simtape-demo it says how to get it, and makes nothing", () => {
  const out = join(folder, "none");
  const { status, stderr } = demo("simtape-demo", "carla", "-o", out);
  expect(status).toBe(2);
  expect(stderr).toContain("npm install simtape-demo");
  expect(existsSync(out)).toBe(false);
});

test("with it there is a recording", () => {
  const out = join(folder, "some");
  expect(demo(null, "carla", "-o", out, "--seconds", "2")).toEqual({ status: 0, stderr: "" });
  expect(readdirSync(out)).toEqual(["town.log", "town.xodr"]);
});

test("a format without a simulation is refused by name", () => {
  expect(demo(null, "no-such").stderr).toContain('no format "no-such"');
});

test.each([
  ["mira", ["robot.pgm", "robot.tape", "robot.urdf", "robot.yaml"]],
  ["mcap", ["patrol.mcap", "patrol.pgm", "patrol.urdf", "patrol.yaml"]],
  ["flightgear", ["flight.apt.dat", "flight.fgtape", "flight.tif"]],
  ["nanover", ["molecule.nanover.pdb", "molecule.nanover.zip"]],
  ["hcrp", ["race.hcrp", "race.region.zip"]],
])("the world of %s lies beside it", (format, names) => {
  const out = join(folder, format);
  expect(demo(null, format, "-o", out, "--seconds", "2")).toEqual({ status: 0, stderr: "" });
  expect(readdirSync(out)).toEqual(names);
});
