import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ran, simtape, simtapeProcess } from "./run.ts";

const example = (name: string): string => fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));

/** Commands about the recordings of a folder. */
const COMMANDS: readonly ((folder: string) => readonly string[])[] = [
  (folder) => ["info", folder],
  (folder) => ["check", folder],
  (folder) => ["stats", folder],
  (folder) => ["index", folder],
  (folder) => ["find", folder, "--where", "event(collision)"],
  (folder) => ["sql", folder, "select recording from recordings"],
  (folder) => ["race", folder],
  (folder) => ["export", folder, "--to", "csv", "-o", join(out, "tables"), "--force"],
  (folder) => ["lake", folder, "-o", `${folder} lake`],
];

/** As the package of the server adds it, which is built, `find` says its findings in a process of its own. */
function carriedOut(words: readonly string[]): Promise<Ran> {
  return words[0] === "find" ? simtapeProcess(words) : simtape(words);
}

let out = "";

beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), "simtape-left-out-"));
  mkdirSync(join(out, "tables"));
});

afterAll(() => rmSync(out, { recursive: true, force: true }));

/** A folder with a sound recording, or none, and what `add` puts there. */
function folderWith(name: string, isSound: boolean, add: (folder: string) => void): string {
  const folder = join(out, name);
  mkdirSync(folder);
  if (isSound) copyFileSync(example("town.log"), join(folder, "town.log"));
  add(folder);
  return folder;
}

const BAD: readonly (readonly [what: string, name: string, add: (folder: string) => void])[] = [
  ["cannot be read", "loop.tape", (folder) => symlinkSync("loop.tape", join(folder, "loop.tape"))],
  ["is a link to what is missing", "gone.log", (folder) => symlinkSync("nowhere", join(folder, "gone.log"))],
  ["has no header", "cut.hcrp", (folder) => writeFileSync(join(folder, "cut.hcrp"), "HCRP\0\0\0\x01")],
];

describe.each(BAD)("a recording of a folder that %s", (what, name, add) => {
  let [some, alone] = ["", ""];

  beforeAll(() => {
    some = folderWith(`some ${what}`, true, add);
    alone = folderWith(`alone ${what}`, false, add);
  });

  test.each(COMMANDS.map((words) => [words("")[0]!, words] as const))(
    "is left out by %s and named, exit code 3; where it is the only one, that fails",
    async (command, words) => {
      const { exit, stdout, stderr } = await carriedOut(words(some));
      expect([exit, stdout]).toEqual([3, expect.stringContaining("town")]);
      expect(stdout + stderr).toContain(name);
      // of what is damaged a lake has the findings
      const isInLake = command === "lake" && name === "cut.hcrp";
      expect((await carriedOut(words(alone))).exit).toBe(isInLake ? 3 : 1);
    },
  );
});

test("all that are sound are no failure; one that is named and missing is, and so is a place that cannot be written", async () => {
  const folder = folderWith("sound", true, (into) => copyFileSync(example("patrol.tape"), join(into, "patrol.tape")));
  for (const words of COMMANDS)
    expect([words(folder)[0], (await carriedOut(words(folder))).exit]).toEqual([words(folder)[0], 0]);
  expect((await simtape(["info", join(folder, "town.log"), join(folder, "none.tape")])).exit).toBe(1);
  const tables = join(out, "others");
  mkdirSync(tables);
  symlinkSync("/dev/null", join(tables, "patrol.csv"));
  const { exit, stderr } = await simtape(["export", folder, "--to", "csv", "-o", tables, "--force"]);
  expect([exit, stderr]).toEqual([1, expect.stringContaining("patrol.csv")]);
});
