import { posix } from "node:path";

/**
 * Files and folders of `src` from the lowest floor up; the longest beginning of a path decides. A file imports what is
 * below it, and its own folder. What is on one floor does not import each other.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ["failpoint.ts", "ids.ts", "log.ts", "remembered.ts", "tar.ts", "unzipped.ts", "clients/"],
  ["settings.ts"],
  ["command-settings.ts", "database/", "disk.ts", "library/"],
  ["bus/"],
  ["jobs/"],
  ["context.ts", "problem.ts"],
  ["bytes/", "log-output.ts", "people/", "queue.ts"],
  ["http/"],
  ["catalog/access.ts", "catalog/reports.ts", "catalog/shapes.ts"],
  ["catalog/index/", "catalog/search/"],
  ["catalog/scan/"],
  ["catalog/"],
  [
    ...[
      "answers/",
      "backup/",
      "demo/",
      "ghosts/",
      "lake/",
      "live/",
      "operations/",
      "pages/",
      "outlets/",
      "retention/",
      "rooms/",
    ],
    ...["shares/", "sql/", "uploads/"],
  ],
  ["alerts/", "review/"],
  ["subjects/"],
  // what brings the parts together
  ["node/"],
  ["index.ts"],
];

/** How many imports were read, and a sentence for each that is wrong. */
export interface FloorReport {
  readonly imports: number;
  readonly wrong: readonly string[];
  /** Files that import each other in a circle, and folders that do. */
  readonly circles: readonly string[];
}

/** Checks the imports of `files`: text of each by its path below `src`. */
export function checkFloors(files: ReadonlyMap<string, string>): FloorReport {
  const wrong: string[] = [];
  const byFile: Imports = new Map();
  const byFolder: Imports = new Map();
  let imports = 0;
  for (const [path, text] of files) {
    if (floorOf(path) < 0) wrong.push(`${path} has no floor`);
    for (const target of importsOf(text)) {
      imports++;
      const to = posix.normalize(posix.join(posix.dirname(path), target));
      note(byFile, path, to);
      note(byFolder, folderOf(path), folderOf(to));
      const problem = problemOf(path, target, files);
      if (problem !== null) wrong.push(`${path} imports ${target}: ${problem}`);
    }
  }
  return { imports, wrong, circles: [...circlesIn(byFile), ...circlesIn(byFolder)] };
}

function problemOf(path: string, target: string, files: ReadonlyMap<string, string>): string | null {
  const to = posix.normalize(posix.join(posix.dirname(path), target));
  if (!files.has(to)) return "there is no such file";
  const [from, floor] = [floorOf(path), floorOf(to)];
  if (floor > from) return "it is on a higher floor";
  return floor === from && homeOf(path) !== homeOf(to) ? "it is a neighbour on the same floor" : null;
}

/** The folder that the table names for a file. */
function homeOf(path: string): string {
  const areas = FLOORS.flat().filter((area) => isWithin(path, area));
  return areas.sort((one, other) => other.length - one.length)[0] ?? "";
}

/** A file beside the folders counts as a folder of its own. */
function folderOf(path: string): string {
  return path.includes("/") ? path.split("/")[0]! : path;
}

/** What each imports. */
type Imports = Map<string, Set<string>>;

function note(imports: Imports, from: string, to: string): void {
  if (from !== to) imports.set(from, (imports.get(from) ?? new Set()).add(to));
}

/** Those that remain when all that import nothing, and all that nothing imports, are removed again and again. */
function circlesIn(imports: Imports): readonly string[] {
  const left = new Set(imports.keys());
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const one of left) {
      const isImporting = [...imports.get(one)!].some((other) => left.has(other));
      const isImported = [...left].some((other) => imports.get(other)!.has(one));
      if (!isImporting || !isImported) left.delete(one);
    }
  }
  return [...left].sort();
}

/** -1: none. */
function floorOf(path: string): number {
  const lengths = FLOORS.map((areas) =>
    Math.max(0, ...areas.filter((area) => path === area || isWithin(path, area)).map((area) => area.length)),
  );
  const longest = Math.max(...lengths);
  return longest === 0 ? -1 : lengths.indexOf(longest);
}

function isWithin(path: string, area: string): boolean {
  return area.endsWith("/") && path.startsWith(area);
}

/** Of the package's own files: what follows `from` or `import`, types and dynamic imports included; no comments. */
function importsOf(text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\/?\*).*$/gm, "");
  return [...code.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)].map((match) => match[1]!);
}
