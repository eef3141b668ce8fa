import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCommands } from "../../src/cli/commands.ts";
import { SERVER_COMMANDS } from "../../src/cli/server.ts";
import { FORMATS } from "../../src/formats.ts";
import { openBundle } from "../../src/model/open.ts";
import { check } from "../../src/ops/check.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { tries } from "../soak.ts";
import { SOUND } from "../specimens.ts";
import { type Ran, simtape } from "./run.ts";

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
  const from = new URL(`../../corpus/${path}`, import.meta.url);
  const main = path.slice(path.lastIndexOf("/") + 1);
  const names = main.endsWith(".traj") ? [main, "run.state"] : [main];
  const files = names.map((name) => [name, new Uint8Array(readFileSync(new URL(name, from)))] as const);
  return { format: path.slice(0, path.indexOf("/")), name: path, files: Object.fromEntries(files) };
}

/** What becomes of a recording under a command, in a folder of its own. */
interface Case {
  /** The words behind the command's; `IN` is the recording, `OUT` the output, `LIST` an edit list of it. */
  readonly words: readonly string[];
  /** Only of this format; absent: of all. */
  readonly format?: string;
  /** The result is what is wrong: on standard output, and the exit code is the command's own. */
  readonly tellsItself?: boolean;
  /** Writes in place, or a recording of this format. */
  readonly ending?: string;
}

const IN_OUT = ["IN", "OUT"];
const CONVERSIONS = {
  carla: ".log",
  flightgear: ".fgtape",
  hcrp: ".hcrp",
  mira: ".tape",
  nanover: ".nanover.zip",
};

/** Every command that opens recordings; a string says why one does not. */
const CASES: Readonly<Record<string, readonly Case[] | string>> = {
  info: [{ words: ["IN"] }, { words: ["IN", "--json"] }],
  view: "serves files as they are",
  cat: [{ words: ["IN"] }, { words: ["IN", "--limit", "1"] }],
  events: [{ words: ["IN"] }, { words: ["IN", "--format", "csv"] }],
  state: [{ words: ["IN", "--at", "100%"] }, { words: ["IN", "--at", "100%", "--json"] }],
  table: [{ words: ["IN"] }, { words: ["IN", "-o", "OUT"], ending: ".csv" }],
  records: [{ words: ["IN"] }],
  index: [{ words: ["IN"] }, { words: ["IN", "--json"] }],
  check: [{ words: ["IN"], tellsItself: true }],
  verify: [{ words: ["IN"], tellsItself: true, format: "hcrp" }],
  record: "records what a simulation sends",
  tail: [{ words: ["IN", "--from", "start", "--idle-exit", "10ms"] }],
  copy: [{ words: IN_OUT }, { words: [...IN_OUT, "--rewrite"] }],
  convert: [
    { words: IN_OUT },
    ...Object.values(CONVERSIONS).map((ending) => ({ words: IN_OUT, ending })),
    { words: [...IN_OUT, "--from", "0s"] },
  ],
  compact: [
    { words: IN_OUT, format: "hcrp" },
    { words: [...IN_OUT, "--repair"], format: "hcrp" },
  ],
  "dictionary train": [{ words: ["IN", "-o", "OUT", "--id", "40000"], format: "hcrp", ending: ".dict" }],
  "meta get": [{ words: ["IN"], format: "hcrp" }],
  "meta set": "changes the metadata and nothing else",
  recover: "takes the folder of a recorder that crashed",
  repair: [{ words: IN_OUT, tellsItself: true }],
  retain: "takes a store",
  trim: [{ words: [...IN_OUT, "--from", "0s"] }, { words: [...IN_OUT, "--until", "40%"] }],
  shift: [{ words: [...IN_OUT, "--by", "1s"] }],
  filter: [{ words: [...IN_OUT, "-c", "**"] }],
  rename: [{ words: [...IN_OUT, "--map", "/robot/Odometry=/other"], format: "mira" }],
  redact: [{ words: [...IN_OUT, "-c", "**", "--from", "0s", "--until", "1ms"] }],
  annotate: [{ words: [...IN_OUT, "--at", "0s", "--text", "look"] }],
  join: [{ words: ["IN", "IN", "-o", "OUT"] }, { words: ["SOUND", "IN", "-o", "OUT"] }],
  edit: [{ words: ["IN", "--list", "LIST", "-o", "OUT"] }],
  corrupt: "takes bytes and makes damage",
  demo: "makes recordings",
  "carla info": [
    { words: ["IN"], format: "carla" },
    { words: ["IN", "--json"], format: "carla" },
  ],
  "carla collisions": [{ words: ["IN"], format: "carla" }],
  "carla blocked": [{ words: ["IN"], format: "carla" }],
};

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

const LIST = { version: 1, operations: [{ op: "annotate", at: 0, text: "look" }] };
const ending = (name: string): string => /(\.nanover)?\.[^.]*$/.exec(name)![0];

/** A recording of each format that opens, and is known to be damaged when it is open. */
async function damagedOf(of: Specimen): Promise<Record<string, Uint8Array>> {
  const [main] = Object.keys(of.files) as [string];
  const bytes = of.files[main]!;
  for (const share of [0.9, 0.95, 0.8, 0.7, 0.6]) {
    const files = { ...of.files, [main]: bytes.slice(0, Math.floor(bytes.length * share)) };
    const recording = await openBundle(bundleOfFiles(files), FORMATS).catch(() => null);
    const isDamaged = recording?.findings.some(({ severity }) => severity === "damage" || severity === "loss") === true;
    await recording?.close();
    if (isDamaged) return files;
  }
  throw new RangeError(`no cut of ${of.name} opens`);
}

/** Carries out a case in an empty folder. */
async function tried(
  command: string,
  { words, ending: to }: Case,
  files: Readonly<Record<string, Uint8Array>>,
  sound: Readonly<Record<string, Uint8Array>>,
): Promise<Ran & { readonly written: readonly string[]; readonly out: string }> {
  const place = mkdtempSync(join(folder, "try-"));
  const laid = (name: string, all: Readonly<Record<string, Uint8Array>>): string => {
    mkdirSync(join(place, name));
    for (const [file, bytes] of Object.entries(all)) writeFileSync(join(place, name, file), bytes);
    return join(place, name, Object.keys(all)[0]!);
  };
  const names: Record<string, string> = { IN: laid("in", files), SOUND: laid("sound", sound) };
  mkdirSync(join(place, "out"));
  names["OUT"] = join(place, "out", `run${to ?? ending(Object.keys(files)[0]!)}`);
  names["LIST"] = join(place, "edits.json");
  writeFileSync(names["LIST"], JSON.stringify(LIST));
  const ran = await simtape([...command.split(" "), ...words.map((word) => names[word] ?? word)]);
  return { ...ran, written: readdirSync(join(place, "out")), out: names["OUT"] };
}

describe.each(SPECIMENS)("of a damaged recording, $format $name", (of) => {
  const { format } = of;
  let damaged: Record<string, Uint8Array> = {};
  beforeAll(async () => {
    damaged = await damagedOf(of);
  });

  const cases = Object.entries(CASES).flatMap(([command, all]) =>
    typeof all === "string"
      ? []
      : all
          .filter((one) => one.format === undefined || one.format === format)
          .map((one) => [`${command} ${one.words.join(" ")} ${one.ending ?? ""}`.trim(), command, one] as const),
  );

  test.each(cases)("%s says the damage, and never ends with 0", async (_, command, one) => {
    const { exit, stdout, stderr, written } = await tried(command, one, damaged, of.files);
    const told = `exit ${exit}\n${stdout.slice(-2000)}\n${stderr}`;
    expect(stderr, told).not.toMatch(/^\s+at /m);
    expect([1, 3], told).toContain(exit);
    if (exit === 1) {
      expect(stderr + (one.tellsItself === true ? stdout : ""), told).toMatch(/\S/);
      expect(written, told).toEqual([]);
    } else if (one.tellsItself === true) expect(stdout, told).toMatch(/damage|loss|lost/);
    else expect(stderr, told).toMatch(/^simtape: .* is damaged: .+/m);
  });

  test("a report in JSON has the findings, and what seems sound has them beside or inside", async () => {
    for (const [command, words] of [
      ["copy", [...IN_OUT, "--rewrite"]],
      ["convert", [...IN_OUT, "--from", "0s"]],
      ["join", ["SOUND", "IN", "-o", "OUT"]],
      ["filter", [...IN_OUT, "-c", "**"]],
      ["edit", ["IN", "--list", "LIST", "-o", "OUT"]],
    ] as const) {
      const { exit, stdout, out } = await tried(command, { words: [...words, "--json"] }, damaged, of.files);
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
  const cases = Object.entries(CASES).flatMap(([command, all]) =>
    typeof all === "string"
      ? []
      : all
          .filter((one) => one.words.includes("OUT") && (one.format ?? format) === format)
          .map((one) => [`${command} ${one.words.join(" ")} ${one.ending ?? ""}`.trim(), command, one] as const),
  );

  test.each(cases)("%s lists every file that it writes, and writes no other", async (_, command, one) => {
    const { exit, stdout, stderr, written, out } = await tried(
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
    const own = /^run(\.log|\.fgtape|\.hcrp|\.tape|\.nanover\.zip|\.traj|\.state|\.dict|\.csv)(\.provenance\.json)?$/;
    expect(written.filter((name) => !own.test(name))).toEqual([]);
  });
});

test("damage that only reading finds is said too", async () => {
  const place = mkdtempSync(join(folder, "late-"));
  const [from, to] = [join(place, "race.hcrp"), join(place, "to.hcrp")];
  const bytes = SOUND.find(({ name }) => name === "tower-race.hcrp")!.files["race.hcrp"]!.slice();
  bytes[Math.floor(bytes.length / 2)]! ^= 0x55;
  writeFileSync(from, bytes);
  await using recording = await openBundle(bundleOfFiles({ "race.hcrp": bytes }), FORMATS);
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
