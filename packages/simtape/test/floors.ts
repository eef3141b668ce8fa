import { posix } from "node:path";

/** Areas of `src` from the lowest floor up. Files directly in `src` are the top, as `cli` and `testing` are. */
const FLOORS: readonly (readonly string[])[] = [
  ["bytes", "client"],
  ["codec", "io"],
  ["model"],
  ["formats", "world"],
  ["ops", "play", "record"],
  ["demo"],
  ["cli", "testing"],
];
const TOP = FLOORS.length - 1;

/** Files at the top that are no command but bring everything together. */
const ROOT_FILES: readonly string[] = [
  "index.ts",
  "core.ts",
  "formats.ts",
  "location.ts",
  "kit.ts",
  "format-module.ts",
];

/**
 * Rooms of an area or a format that is large, from the lowest up: a room uses those below it, and rooms of one line not
 * each other. Files beside the rooms are above all.
 */
const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "formats/hcrp": [["layout"], ["columns", "chunk"], ["state", "fields", "events"], ["open"], ["write"]],
  record: [
    ["live", "dictionary"],
    ["compact", "retain", "lines"],
  ],
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
  const rooms = ROOMS[unit];
  if (rooms === undefined) return null;
  const roomOf = (file: string): string => file.slice(unit.length + 1).replace(/\/?[^/]*$/, "");
  const levelOf = (room: string): number => (room === "" ? rooms.length : rooms.findIndex((of) => of.includes(room)));
  const [from, target] = [roomOf(path), roomOf(to)];
  if (from === target) return null;
  if (levelOf(from) < 0) return `there is no room ${from} in ${unit}`;
  if (levelOf(target) > levelOf(from)) return "it is in a higher room";
  return levelOf(target) === levelOf(from) ? "it is in a neighbouring room" : null;
}

/** Part of the tree whose files may import each other: a format's folder, else the area; `""` for the root files. */
function unitOf(path: string): string {
  return path
    .split("/")
    .slice(0, path.startsWith("formats/") ? 2 : 1)
    .join("/")
    .replace(/^[^/]*\.ts$/, "");
}

/** Null for an area, or a file at the root, that nobody gave a floor. */
function floorOf(path: string): number | null {
  if (ROOT_FILES.includes(path)) return TOP;
  const area = path.split("/")[0]!;
  const floor = FLOORS.findIndex((areas) => areas.includes(area));
  return floor < 0 ? null : floor;
}

/** What follows `from` or `import`, types and dynamic imports included; comments do not count. */
function importsOf(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\/?\*).*$/gm, "");
  return [...code.matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].map((match) => match[1]!);
}
