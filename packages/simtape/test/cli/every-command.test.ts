import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCommands } from "../../src/cli/commands.ts";
import { SERVER_COMMANDS } from "../../src/cli/commands/server.ts";
import { check, open } from "../../src/index.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { SOUND } from "../specimens.ts";
import { CASES, casesOf, IN_OUT, tried } from "./cases.ts";
import { simtape } from "./run.ts";

/** A small recording of each format, and of each container that is more than one file; in the long run the larger ones too. */
interface Specimen {
  readonly format: string;
  readonly name: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

const SMALL = [
  "carla/0.9.15/town.log",
  "flightgear/continuous/flight.fgtape",
  "hcrp/walk/run.hcrp",
  "mira/recommended/robot.tape",
  "nanover/zip/run.nanover.zip",
  "nanover/pair/run.traj",
];
const SPECIMENS: readonly Specimen[] = [...SMALL.map(specimen), ...SOUND.slice(0, tries(0, SOUND.length))];

function specimen(path: string): Specimen {
  const from = new URL(`../../../corpus/cases/${path}`, import.meta.url);
  const main = path.slice(path.lastIndexOf("/") + 1);
  const names = main.endsWith(".traj") ? [main, "run.state"] : [main];
  const files = names.map((name) => [name, new Uint8Array(readFileSync(new URL(name, from)))] as const);
  return { format: path.slice(0, path.indexOf("/")), name: path, files: Object.fromEntries(files) };
}

/** Names of all commands of the program, with those of their parents. */
async function commandsOf(): Promise<string[]> {
  const program = new Command();
  await addCommands(program, undefined);
  const leaves = (command: Command, path: readonly string[]): string[] =>
    command.commands.length === 0
      ? [path.join(" ")]
      : command.commands.flatMap((inner) => leaves(inner, [...path, inner.name()]));
  // those of a server give files as they are, or ask it
  return leaves(program, []).filter((words) => !SERVER_COMMANDS.includes(words.split(" ")[0]!));
}

test("every command of the program is tried below, or says why not", async () => {
  expect((await commandsOf()).sort()).toEqual(Object.keys(CASES).sort());
});

const folder = mkdtempSync(join(tmpdir(), "simtape-every-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A recording of each format that opens, and is known to be damaged when it is open. */
async function damagedOf(of: Specimen): Promise<Record<string, Uint8Array>> {
  const [main] = Object.keys(of.files) as [string];
  const bytes = of.files[main]!;
  for (const share of [0.9, 0.95, 0.8, 0.7, 0.6]) {
    const files = { ...of.files, [main]: bytes.slice(0, Math.floor(bytes.length * share)) };
    const recording = await open(bundleOfFiles(files)).catch(() => null);
    const isDamaged = recording?.findings.some(({ severity }) => severity === "damage" || severity === "loss") === true;
    await recording?.close();
    if (isDamaged) return files;
  }
  throw new RangeError(`no cut of ${of.name} opens`);
}

describe.each(SPECIMENS)("of a damaged recording, $format $name", (of) => {
  const { format } = of;
  let damaged: Record<string, Uint8Array> = {};
  beforeAll(async () => {
    damaged = await damagedOf(of);
  });

  const cases = casesOf(format);

  test.each(cases)("%s says the damage, and never ends with 0", async (_, command, one) => {
    const { exit, stdout, stderr, written } = await tried(folder, command, one, damaged, of.files);
    const reported = `exit ${exit}\n${stdout.slice(-2000)}\n${stderr}`;
    expect(stderr, reported).not.toMatch(/^\s+at /m);
    expect([1, 3], reported).toContain(exit);
    if (exit === 1) {
      expect(stderr + (one.tellsItself === true ? stdout : ""), reported).toMatch(/\S/);
      expect(written, reported).toEqual([]);
    } else if (one.tellsItself === true) expect(stdout, reported).toMatch(/damage|loss|lost/);
    else expect(stderr, reported).toMatch(/^simtape: .* is damaged: .+/m);
  });

  test("a report in JSON has the findings, and what seems sound has them beside or inside", async () => {
    for (const [command, words] of [
      ["copy", [...IN_OUT, "--rewrite"]],
      ["convert", [...IN_OUT, "--from", "0s"]],
      ["join", ["SOUND", "IN", "-o", "OUT"]],
      ["filter", [...IN_OUT, "-c", "**"]],
      ["edit", ["IN", "--list", "LIST", "-o", "OUT"]],
    ] as const) {
      const { exit, stdout, out } = await tried(folder, command, { words: [...words, "--json"] }, damaged, of.files);
      expect([command, exit]).toEqual([command, 3]);
      const report = JSON.parse(stdout) as { findings: { file: string; severity: string }[]; exact?: boolean };
      expect(report.findings.length, command).toBeGreaterThan(0);
      if (command === "convert") expect(report.exact).toBe(false);
      const { provenance, findings } = JSON.parse((await simtape(["info", out, "--json"])).stdout) as {
        provenance: { sources: { findings?: object[] }[] };
        findings: { severity: string }[];
      };
      expect(provenance.sources.flatMap((source) => source.findings ?? []).length, command).toBeGreaterThan(0);
      expect(findings.filter(({ severity }) => severity === "damage" || severity === "loss")).toEqual([]);
    }
  });
});

describe.each(SPECIMENS)("of a sound recording, $format $name", (of) => {
  const { format } = of;
  const cases = casesOf(format).filter(([, , { words }]) => words.includes("OUT"));

  test.each(cases)("%s lists every file that it writes, and writes no other", async (_, command, one) => {
    const { exit, stdout, stderr, written, out } = await tried(
      folder,
      command,
      { ...one, words: [...one.words, "--json"] },
      of.files,
      of.files,
    );
    expect([0, 3], stderr).toContain(exit);
    const { files } = JSON.parse(stdout) as { files: { name: string; bytes: number }[] };
    const place = join(out, "..");
    expect(files.map(({ name }) => name).sort()).toEqual(written.map((name) => join(place, name)).sort());
    for (const { name, bytes } of files) expect(readFileSync(name).length, name).toBe(bytes);
    const own =
      /^run(\.log|\.fgtape|\.hcrp|\.tape|\.nanover\.zip|\.traj|\.state|\.mcap|\.dict|\.csv)(\.provenance\.json)?$/;
    expect(written.filter((name) => !own.test(name))).toEqual([]);
  });
});

test("damage that only reading finds is said too", async () => {
  const place = mkdtempSync(join(folder, "late-"));
  const [from, to] = [join(place, "race.hcrp"), join(place, "to.hcrp")];
  const bytes = SOUND.find(({ name }) => name === "tower-race.hcrp")!.files["race.hcrp"]!.slice();
  bytes[Math.floor(bytes.length / 2)]! ^= 0x55;
  writeFileSync(from, bytes);
  await using recording = await open(bundleOfFiles({ "race.hcrp": bytes }));
  expect(recording.findings).toEqual([]);
  expect((await check(recording)).status).toBe("damaged");
  for (const words of [
    ["cat", from],
    ["filter", from, to, "-c", "**"],
  ])
    expect(await simtape(words)).toMatchObject({ exit: 3, stderr: expect.stringContaining("is damaged: ") });
  const { stdout } = await simtape(["info", to, "--json"]);
  expect(stdout).toContain('"findings":[{"code"');
});
