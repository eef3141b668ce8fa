import { posix } from "node:path";
import { importsOf } from "./imports.ts";

/**
 * Circles of files that import one another, types and imports at run time included: each as its paths, sorted. `files` is
 * the text of each by its path, with `/` between folders.
 */
export function cyclesIn(files: ReadonlyMap<string, string>): string[][] {
  const next = new Map([...files].map(([path, text]) => [path, targetsOf(path, text, files)]));
  const low = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  // Tarjan's strongly connected components: a file's number falls to that of the oldest open file that it reaches.
  const visit = (path: string): number => {
    const index = low.size;
    low.set(path, index);
    open.push(path);
    let lowest = index;
    for (const target of next.get(path)!) {
      if (!low.has(target)) lowest = Math.min(lowest, visit(target));
      else if (open.includes(target)) lowest = Math.min(lowest, low.get(target)!);
    }
    low.set(path, lowest);
    if (lowest < index) return lowest;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) cycles.push(circle.sort());
    return lowest;
  };
  for (const path of files.keys()) if (!low.has(path)) visit(path);
  return cycles;
}

function targetsOf(path: string, text: string, files: ReadonlyMap<string, string>): string[] {
  const targets = importsOf(text)
    .filter((target) => target.startsWith("."))
    .map((target) => posix.normalize(posix.join(posix.dirname(path), target)));
  return [...new Set(targets)].filter((target) => files.has(target));
}
