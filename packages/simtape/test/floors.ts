import { posix } from "node:path";
import { importsOf } from "./imports.ts";

/** Areas of `src` from the lowest floor up. Files directly in `src` are the top, as `cli` and `testing` are. */
const FLOORS: readonly (readonly string[])[] = [
  ["bytes"],
  ["codec", "io"],
  ["model"],
  ["formats", "world"],
  ["ops", "play", "record", "export", "sql", "compare", "stats", "ask", "race"],
  ["live", "lake"],
  ["cli", "testing"],
];
const TOP = FLOORS.length - 1;

/** Files at the top that are no command but bring everything together. */
const ROOT_FILES: readonly string[] = [
  "index.ts",
  "core.ts",
  "library.ts",
  "formats.ts",
  "location.ts",
  "kit.ts",
  "making.ts",
  "format-module.ts",
];

/**
 * Rooms that every format has: bytes, what they mean, their names, the reader, the writer, repair. HCRP has more for its
 * chunks, CARLA for the queries of its program, MCAP for bags, which become MCAP files.
 */
const FORMAT_ROOMS = [
  ["layout"],
  ["columns", "chunk"],
  ["meaning"],
  ["fields"],
  ["read"],
  ["write", "queries"],
  ["repair", "bag"],
] as const;

/**
 * Rooms of an area that is large, and of the formats, from the lowest up: a room uses those below it, and rooms of one
 * line not each other. Files beside the rooms are above all, unless a line names them, or has `""` for them: rooms of that line use
 * one another.
 */
const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  formats: FORMAT_ROOMS,
  cli: [
    ["run"],
    ["input"],
    ["output"],
    ["view", "live"],
    ["render"],
    ["screen"],
    ["mcp"],
    ["find"],
    ["mcp/tools"],
    ["commands/carla", "commands/hcrp"],
    ["commands/carla", "commands/hcrp", "commands/mcap"],
    ["commands"],
  ],
  io: [["source"], ["sink"], ["store"], ["http"], ["s3", "zip"], ["node"]],
  // over the model and its queries the side-car, and over that the recording, which is opened with one
  model: [
    ["values"],
    ["axes"],
    ["messages"],
    ["state"],
    ["poses"],
    ["", "kept", "query"],
    ["side-car"],
    ["open.ts", "recording.ts", "query/first-chart.ts"],
  ],
  live: [[""], ["nanover", "flightgear", "foxglove"], ["index.ts"]],
  record: [["live", "dictionary"], ["compact", "retain", "events"], ["lines"]],
};

/** What the floors say of a tree: how many imports were read, and a sentence for each that is wrong. */
export interface FloorReport {
  readonly imports: number;
  readonly wrong: readonly string[];
}

/** Checks the imports of `files`: text of each by its path below `src`, with `/` between folders. */
export function checkFloors(files: ReadonlyMap<string, string>): FloorReport {
  const wrong: string[] = [];
  let imports = 0;
  for (const [path, text] of files) {
    const floor = floorOf(path);
    if (floor === null) wrong.push(`${path} is in an area without a floor`);
    for (const target of importsOf(text)) {
      imports++;
      const problem = problemOf(path, floor ?? TOP, target, files);
      if (problem !== null) wrong.push(`${path} imports ${target}: ${problem}`);
    }
  }
  return { imports, wrong };
}

function problemOf(path: string, floor: number, target: string, files: ReadonlyMap<string, string>): string | null {
  if (target.startsWith("node:")) return /^(io\/node|cli)\//.test(path) ? null : "node: is for io/node and cli";
  if (!target.startsWith(".")) return null;
  const to = posix.normalize(posix.join(posix.dirname(path), target));
  if (!files.has(to)) return "there is no such file";
  if (to.startsWith("io/node/") && !/^(io\/node|cli)\//.test(path)) return "io/node is for cli and for users";
  if (unitOf(to) === unitOf(path)) return roomProblemOf(path, to);
  const toFloor = floorOf(to) ?? TOP;
  if (toFloor > floor) return "it is on a higher floor";
  // At the top, commands use what the root files bring together.
  if (toFloor === floor && !(floor === TOP && unitOf(to) === "")) return "it is a neighbour on the same floor";
  return null;
}

function roomProblemOf(path: string, to: string): string | null {
  const unit = unitOf(path);
  const rooms = ROOMS[posix.dirname(unit) === "formats" ? "formats" : unit];
  if (rooms === undefined) return null;
  const roomOf = (file: string): string => {
    const inside = file.slice(unit.length + 1);
    return rooms.some((of) => of.includes(inside)) ? inside : inside.replace(/\/?[^/]*$/, "");
  };
  const levelOf = (room: string): number => {
    const level = rooms.findIndex((of) => of.includes(room));
    return level < 0 && room === "" ? rooms.length : level;
  };
  const [from, target] = [roomOf(path), roomOf(to)];
  if (from === target) return null;
  if (levelOf(from) < 0) return `there is no room ${from} in ${unit}`;
  if (levelOf(target) > levelOf(from)) return "it is in a higher room";
  const areApart = levelOf(target) === levelOf(from) && !from.endsWith(".ts") && !rooms[levelOf(from)]!.includes("");
  return areApart ? "it is in a neighbouring room" : null;
}

/** Part of the tree whose files may import each other: a format's folder, else the area; `""` for the root files. */
function unitOf(path: string): string {
  return path
    .split("/")
    .slice(0, path.startsWith("formats/") ? 2 : 1)
    .join("/")
    .replace(/^[^/]*\.ts$/, "");
}

/** Null for an area, or a file at the root, without a floor. */
function floorOf(path: string): number | null {
  if (ROOT_FILES.includes(path)) return TOP;
  const area = path.split("/")[0]!;
  const floor = FLOORS.findIndex((areas) => areas.includes(area));
  return floor < 0 ? null : floor;
}
