import { copyFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { expect, test } from "vitest";
import { addCommands } from "../../src/cli/commands.ts";
import { SERVER_COMMANDS } from "../../src/cli/commands/server.ts";
import { FORMATS } from "../../src/index.ts";
import { simtape } from "./run.ts";

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));

test("an HCRP recording opens with the dictionary that is given, or that is beside it by its id", async () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-test-"));
  const recording = join(folder, "run.hcrp");
  copyFileSync(join(fixtures, "hcrp/dictionary.hcrp"), recording);
  const dictionary = join(fixtures, "codec/hcrp-32769.dict");
  const without = await simtape(["check", recording]);
  expect(without.exit).toBe(1);
  expect(without.stdout).toContain("there is no 32769.dict beside it");
  expect(await simtape(["check", recording, "--dictionary", dictionary])).toMatchObject({ exit: 0 });
  const another = join(folder, "another.dict");
  const other = new Uint8Array(readFileSync(dictionary));
  other[4]! ^= 3;
  writeFileSync(another, other);
  expect((await simtape(["check", recording, "--dictionary", another])).stdout).toContain("it was not given");
  const both = [another, dictionary].flatMap((path) => ["--dictionary", path]);
  expect(await simtape(["check", recording, ...both])).toMatchObject({ exit: 0 });
  expect(await simtape(["verify", recording, ...both])).toMatchObject({ exit: 0 });
  const none = await simtape(["check", "--dictionary", recording, recording]);
  expect([none.exit, none.stderr]).toEqual([2, `simtape: no trained zstd dictionary: ${recording}\n`]);
  const nowhere = await simtape(["check", "--dictionary", join(folder, "x"), recording]);
  expect([nowhere.exit, nowhere.stderr]).toEqual([2, `simtape: cannot be read (ENOENT): ${join(folder, "x")}\n`]);
  copyFileSync(dictionary, join(folder, "32769.dict"));
  expect(await simtape(["check", recording])).toMatchObject({ exit: 0 });
});

test("the options of formats are those of commands that open recordings, of any format or of theirs", async () => {
  const program = new Command();
  await addCommands(program, undefined);
  const own = program.commands.filter((command) => !SERVER_COMMANDS.includes(command.name()));
  const all = own.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));
  const names = (commands: readonly Command[]): string[] => commands.map((command) => command.name());
  const without = all.filter(({ options }) => !options.some(({ long }) => long === "--dictionary"));
  expect(names(without)).toEqual([
    "record",
    "recover",
    "retain",
    "corrupt",
    "demo",
    "new",
    "mcap",
    "info",
    "collisions",
    "blocked",
  ]);
  for (const command of all) {
    expect(command.helpInformation()).not.toContain("default: []");
    for (const format of FORMATS.filter(({ options }) => options !== undefined && !without.includes(command)))
      for (const { name, help } of format.options ?? []) {
        const found = command.options.find(({ long }) => long === `--${name}`);
        expect([command.name(), found?.description]).toEqual([
          command.name(),
          command.name() === "compact" ? "zstd dictionary to compress with, see simtape dictionary" : help,
        ]);
      }
  }
});

test("row 16: what is made of a recording with a dictionary has it beside, and opens by itself", async () => {
  const from = mkdtempSync(join(tmpdir(), "simtape-test-"));
  const dictionary = join(fixtures, "codec/hcrp-32769.dict");
  copyFileSync(join(fixtures, "hcrp/dictionary.hcrp"), join(from, "run.hcrp"));
  copyFileSync(dictionary, join(from, "32769.dict"));
  for (const words of [
    ["copy", "IN", "OUT"],
    ["copy", "IN", "OUT", "--rewrite"],
    ["convert", "IN", "OUT"],
    ["repair", "IN", "OUT"],
    ["trim", "IN", "OUT", "--from", "1s"],
  ]) {
    const to = mkdtempSync(join(tmpdir(), "simtape-test-"));
    const [input, output] = [join(from, "run.hcrp"), join(to, "run.hcrp")];
    const made = await simtape(words.map((word) => (word === "IN" ? input : word === "OUT" ? output : word)));
    expect([words, made.exit, made.stderr]).toEqual([words, 0, expect.stringContaining("32769.dict: the dictionary")]);
    expect(readFileSync(join(to, "32769.dict"))).toEqual(readFileSync(dictionary));
    expect((await simtape(["check", output])).exit).toBe(0);
    // it is there already
    expect((await simtape(["copy", input, join(to, "again.hcrp")])).stderr).toBe("");
    writeFileSync(join(to, "32769.dict"), "another");
    expect((await simtape(["copy", input, join(to, "third.hcrp")])).stderr).toContain("is another dictionary");
  }
  // other formats need none
  const to = mkdtempSync(join(tmpdir(), "simtape-test-"));
  await simtape(["convert", join(from, "run.hcrp"), join(to, "run.tape")]);
  expect(readdirSync(to)).toEqual(["run.tape"]);
});

test("a folder with a metadata file is the recording, and one without is made again from its segments", async () => {
  const segmented = join(fixtures, "hcrp/segmented");
  expect((await simtape(["check", segmented])).stdout).toContain("sound");
  const folder = mkdtempSync(join(tmpdir(), "simtape-test-"));
  for (const name of ["seg-00000000.hcs", "seg-00000001.hcs"]) copyFileSync(join(segmented, name), join(folder, name));
  const rebuilt = await simtape(["check", folder]);
  expect(rebuilt.exit).toBe(3);
  expect(rebuilt.stdout).toContain("ticks 0 to 239 are kept");
});

test("row 9: records --fields shows the recording, its segments, their chunks and the ticks in them", async () => {
  const { exit, stdout } = await simtape(["records", join(fixtures, "hcrp/segmented"), "--fields"]);
  expect(exit).toBe(0);
  const lines = stdout.split("\n");
  const records = lines.filter((line) => /^ *\d+ +\d+ {2}(header|metadata|index|chunk-record|chunk)$/.test(line));
  expect(records.map((line) => line.trim().split(/ +/).at(-1))).toEqual([
    ...["header", "metadata", "index"],
    ...["chunk-record", "chunk", "chunk-record", "chunk"],
    ...["chunk-record", "chunk", "chunk-record", "chunk"],
  ]);
  // the recording's file, and two segments, each from its own beginning
  expect(records.filter((line) => /^ +0 /.test(line))).toHaveLength(3);
  expect(lines.filter((line) => line.includes("inflated: chunk")).map((line) => line.trim())).toEqual([
    expect.stringContaining("chunk 0 (ticks 0 to 59)"),
    expect.stringContaining("chunk 1 (ticks 60 to 119)"),
    expect.stringContaining("chunk 2 (ticks 120 to 179)"),
    expect.stringContaining("chunk 3 (ticks 180 to 239)"),
  ]);
  expect(stdout).toMatch(/ticks\[0\]\.tick +0 {2}\(tick 0 of the recording\)/);
  expect(stdout).toMatch(/\(tick 239 of the recording\)/);
});
