import { type PathInfo, pathsIn, readPath, type SeriesPath, type State } from "simtape";

/** Every number of a state, values first; of values the units are not stated. */
export function* numericPaths(state: State): Generator<PathInfo> {
  for (const path of pathsIn(state)) if (path.kind !== "text") yield path;
}

/** Those in whose text every word of `text` occurs, whatever the case; at most `limit`, and whether there are more. */
export function searchPaths(
  state: State,
  text: string,
  limit: number,
): { readonly found: readonly PathInfo[]; readonly isMore: boolean } {
  const words = wordsOf(text);
  const found: PathInfo[] = [];
  for (const path of numericPaths(state)) {
    if (!hasWords(path.text, words)) continue;
    if (found.length === limit) return { found, isMore: true };
    found.push(path);
  }
  return { found, isMore: false };
}

export function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

export function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** The number at a path of a state that is shown; NaN: there is none, and no state tells a speed. Truths are 0 and 1. */
export function numberAt(state: State, path: SeriesPath): number {
  const found = readPath(state, path);
  return found === undefined || typeof found === "string" ? Number.NaN : Number(found);
}
