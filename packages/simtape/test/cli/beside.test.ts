import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { preceded } from "../../src/cli/output/preceded.ts";
import { toFile } from "../../src/io/node/index.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { simtape } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "simtape-beside-"));
afterAll(() => rmSync(folder, { recursive: true }));

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));
const at = (name: string): string => join(folder, name);

writeFileSync(at("town.log"), makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30));
for (const ending of ["traj", "state"]) cpSync(join(fixtures, `nanover/short.${ending}`), at(`run.${ending}`));
await simtape(["annotate", at("town.log"), at("noted.log"), "--at", "1s", "--text", "look"]);
for (const name of ["cut", "noted-cut"])
  writeFileSync(at(`${name}.log`), readFileSync(at("noted.log")).subarray(0, -7));
cpSync(at("noted.log.provenance.json"), at("noted-cut.log.provenance.json"));
await simtape(["convert", at("run.traj"), at("carrying.hcrp")]);

let runs = 0;

/** Runs a command that writes into an empty folder; gives the names of files in the order in which they appeared. */
async function appeared(
  words: readonly string[],
  there: readonly string[] = [],
): Promise<{ exit: number | null; names: string[] }> {
  const to = at(`out-${runs++}`);
  mkdirSync(to);
  for (const name of there) cpSync(at(name.replace("out", "noted")), join(to, name));
  const names: string[] = [];
  const watcher = watch(to, (_, name) => {
    if (name === null || name.startsWith(".")) return;
    if (names.includes(name)) names.splice(names.indexOf(name), 1);
    names.push(name);
  });
  const { exit } = await simtape(words.map((word) => word.replace("TO", to)));
  while (!readdirSync(to).every((name) => names.includes(name))) await new Promise((resolve) => setTimeout(resolve, 5));
  watcher.close();
  return { exit, names: names.filter((name) => existsSync(join(to, name))) };
}

describe("a main file takes its name last: a kill before leaves none that lacks what belongs beside it", () => {
  const BESIDE = ["out.log.provenance.json", "out.log"];
  test.each<[string, readonly string[], readonly string[], (readonly string[])?]>([
    ["when", [at("town.log"), "any vehicles (speed > 1 m/s)", "--mark", "TO/out.log"], BESIDE],
    ["annotate", [at("town.log"), "TO/out.log", "--at", "1s", "--text", "here"], BESIDE],
    ["trim", [at("town.log"), "TO/out.log", "--from", "1s"], BESIDE],
    ["shift", [at("town.log"), "TO/out.log", "--by", "1s"], BESIDE],
    ["redact", [at("town.log"), "TO/out.log", "-c", "position"], BESIDE],
    ["join", [at("town.log"), at("town.log"), "-o", "TO/out.log"], BESIDE],
    ["trim", [at("town.log"), "TO/out.log", "--from", "1s", "--force"], BESIDE, BESIDE],
    ["copy", [at("noted.log"), "TO/out.log"], BESIDE],
    ["copy", [at("noted.log"), "TO/out.log", "--rewrite"], BESIDE],
    ["copy", [at("noted-cut.log"), "TO/out.log", "--rewrite"], BESIDE],
    ["copy", [at("cut.log"), "TO/out.log", "--rewrite"], BESIDE],
    ["repair", [at("noted-cut.log"), "TO/out.log"], BESIDE],
    ["convert", [at("noted.log"), "TO/out.log"], BESIDE],
    ["convert", [at("noted.log"), "TO/out.log", "--dialect", "0.9.15"], BESIDE],
    ["convert", [at("cut.log"), "TO/out.fgtape"], ["out.fgtape.provenance.json", "out.fgtape"]],
    ["copy", [at("run.traj"), "TO/out.traj"], ["out.state", "out.traj"]],
    ["copy", [at("run.traj"), "TO/out.traj", "--rewrite"], ["out.state", "out.traj"]],
    ["repair", [at("run.traj"), "TO/out.traj"], ["out.state", "out.traj"]],
    ["trim", [at("run.traj"), "TO/out.traj", "--from", "1s"], ["out.state", "out.traj.provenance.json", "out.traj"]],
    ["convert", [at("carrying.hcrp"), "TO/out.traj"], ["out.state", "out.traj"]],
    ["demo", ["carla", "-o", "TO", "--seconds", "2"], ["town.xodr", "town.log"]],
  ])("%s %j", async (command, words, expected, there) => {
    const { exit, names } = await appeared([command, ...words], there);
    expect([0, 3], `exit ${exit}`).toContain(exit);
    expect(names).toEqual(expected);
  });

  test("a copy over a recording with notes leaves none of them, as they were not about the copy", async () => {
    for (const words of [
      ["copy", at("town.log")],
      ["convert", at("town.log")],
    ]) {
      const { exit, names } = await appeared([...words, "TO/out.log", "--force"], BESIDE);
      expect([exit, names]).toEqual([0, ["out.log"]]);
    }
  });

  test("a name that is refused takes back what was put beside it", async () => {
    const path = at("late.log");
    const { sink, before } = preceded(toFile(path, { keep: true }));
    const main = await sink.open();
    let is = "";
    before(async () => {
      is = "there";
      // another program is quicker
      writeFileSync(path, "of another");
      return async () => {
        is = "taken back";
      };
    });
    expect(is).toBe("");
    await expect(main.close()).rejects.toThrow(/another program/);
    expect([is, readFileSync(path, "utf8")]).toEqual(["taken back", "of another"]);
  });
});
