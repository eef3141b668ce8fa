import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ran, simtape } from "./run.ts";

/** What becomes of a recording under a command, in a folder of its own. */
export interface Case {
  /** The words behind the command's; `IN` is the recording, `OUT` the output, `LIST` an edit list of it. */
  readonly words: readonly string[];
  /** Only of this format; absent: of all. */
  readonly format?: string;
  /** The result is what is wrong: on standard output, and the exit code is the command's own. */
  readonly tellsItself?: boolean;
  /** Writes in place, or a recording of this format. */
  readonly ending?: string;
}

export const IN_OUT: readonly string[] = ["IN", "OUT"];
const CONVERSIONS = {
  carla: ".log",
  flightgear: ".fgtape",
  hcrp: ".hcrp",
  mcap: ".mcap",
  mira: ".tape",
  nanover: ".nanover.zip",
};

/** Every command that opens recordings; a string says why one does not. */
export const CASES: Readonly<Record<string, readonly Case[] | string>> = {
  info: [{ words: ["IN"] }, { words: ["IN", "--json"] }],
  view: "serves files as they are",
  render: "draws in a browser: packages/viewer/test/page/render.test.ts",
  cat: [{ words: ["IN"] }, { words: ["IN", "--limit", "1"] }],
  events: [{ words: ["IN"] }, { words: ["IN", "--format", "csv"] }],
  state: [{ words: ["IN", "--at", "100%"] }, { words: ["IN", "--at", "100%", "--json"] }],
  when: [{ words: ["IN", "event()"] }, { words: ["IN", "event()", "--json"] }],
  series: [{ words: ["IN"] }, { words: ["IN", "--json"] }],
  table: [{ words: ["IN"] }, { words: ["IN", "-o", "OUT"], ending: ".csv" }],
  export: [{ words: ["IN", "--to", "csv"] }, { words: ["IN", "-o", "OUT"], ending: ".csv" }],
  sql: [
    { words: ["IN", "select count(*) from events"] },
    { words: ["IN", "select * from recordings", "--json"] },
    { words: ["IN", "select * from findings", "-o", "OUT"], ending: ".csv" },
    { words: ["IN", "--tables"] },
  ],
  records: [{ words: ["IN"] }],
  index: [{ words: ["IN"] }, { words: ["IN", "--json"] }],
  compare: [{ words: ["IN", "IN"] }, { words: ["SOUND", "IN", "--json"] }],
  stats: [{ words: ["IN"] }, { words: ["IN", "--json"] }],
  race: [{ words: ["IN", "SOUND"] }, { words: ["IN", "--json"] }],
  check: [{ words: ["IN"], tellsItself: true }],
  verify: [{ words: ["IN"], tellsItself: true, format: "hcrp" }],
  lake: "takes a store; see test/lake",
  record: "records what a simulation sends",
  mcp: "answers programs until they are done: mcp.test.ts",
  play: "plays at the pace of the recording: screen.test.ts, and test/live",
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
  redact: [{ words: [...IN_OUT, "-c", "**", "--from", "0s", "--until", "100ms"] }],
  annotate: [{ words: [...IN_OUT, "--at", "0s", "--text", "look"] }],
  join: [{ words: ["IN", "IN", "-o", "OUT"] }, { words: ["SOUND", "IN", "-o", "OUT"] }],
  edit: [{ words: ["IN", "--list", "LIST", "-o", "OUT"] }],
  corrupt: "takes bytes and makes damage",
  demo: "makes recordings",
  "format new": "makes a package and opens no recording",
  mcap: "takes bags of ROS 1: test/cli/mcap.test.ts",
  "carla info": [
    { words: ["IN"], format: "carla" },
    { words: ["IN", "--json"], format: "carla" },
  ],
  "carla collisions": [{ words: ["IN"], format: "carla" }],
  "carla blocked": [{ words: ["IN"], format: "carla" }],
};

const LIST = { version: 1, operations: [{ op: "annotate", at: 0, text: "look" }] };
const ending = (name: string): string => /(\.nanover)?\.[^.]*$/.exec(name)![0];

/** The cases that a recording of that format is tried with. */
export function casesOf(format: string): (readonly [title: string, command: string, Case])[] {
  return Object.entries(CASES).flatMap(([command, all]) =>
    typeof all === "string"
      ? []
      : all
          .filter((one) => one.format === undefined || one.format === format)
          .map((one) => [`${command} ${one.words.join(" ")} ${one.ending ?? ""}`.trim(), command, one] as const),
  );
}

/** Carries out a case in an empty folder inside of `folder`. */
export async function tried(
  folder: string,
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
