import { posix } from "node:path";

/**
 * Files and folders of `src` from the lowest floor up; the longest beginning of a path decides. A file imports what is
 * below it, and its own folder. What is on one floor does not import each other.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ["ids.ts", "log.ts", "nursery.ts", "remembered.ts", "tar.ts", "clients/"],
  ["settings.ts"],
  ["command-settings.ts", "database/", "disk.ts", "library/"],
  ["bus/"],
  ["jobs/"],
  ["context.ts", "http/problem.ts"],
  ["bytes/", "people/"],
  ["http/"],
  ["catalog/"],
  [
    ...["answers/", "backup/", "demo/", "ghosts/", "live/", "operations/", "pages/", "retention/", "rooms/"],
    ...["shares/", "uploads/"],
  ],
  ["review/"],
  ["subjects/"],
  // what brings parts together
  ["review/handlers.ts", "review/parts.ts"],
  ["jobs/handlers.ts", "jobs/thread.ts", "jobs/work.ts"],
  ["commands.ts", "index.ts", "serve.ts"],
];

/** How many imports were read, and a sentence for each that is wrong. */
export interface FloorReport {
  readonly imports: number;
  readonly wrong: readonly string[];
}

/** Checks the imports of `files`: text of each by its path below `src`. */
export function checkFloors(files: ReadonlyMap<string, string>): FloorReport {
  const wrong: string[] = [];
  let imports = 0;
  for (const [path, text] of files) {
    if (floorOf(path) < 0) wrong.push(`${path} has no floor`);
    for (const target of importsOf(text)) {
      imports++;
      const problem = problemOf(path, target, files);
      if (problem !== null) wrong.push(`${path} imports ${target}: ${problem}`);
    }
  }
  return { imports, wrong };
}

function problemOf(path: string, target: string, files: ReadonlyMap<string, string>): string | null {
  const to = posix.normalize(posix.join(posix.dirname(path), target));
  if (!files.has(to)) return "there is no such file";
  const [from, floor] = [floorOf(path), floorOf(to)];
  if (floor > from) return "it is on a higher floor";
  const isAtHome = folderOf(to) === folderOf(path);
  return floor === from && !isAtHome ? "it is a neighbour on the same floor" : null;
}

/** `""`: of the files beside the folders. */
function folderOf(path: string): string {
  return path.includes("/") ? path.split("/")[0]! : "";
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
