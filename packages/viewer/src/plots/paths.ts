import { HERO, type PathInfo, pathsIn, readPath, type SeriesPath, type Showing, type State } from "simtape";

/** Every number of a state, values first; of values the units are not stated. */
export function* numericPaths(state: State): Generator<PathInfo> {
  for (const path of pathsIn(state)) if (path.kind !== "text") yield path;
}

/** Where a format does not say what is worth a look: the first number, until the user chooses. */
const ANY: NonNullable<Showing["charts"]> = ["any"];

/** The chart to begin with: what of it is there by now, and whether that is all of it. */
export function firstChart(
  state: State,
  { charts = ANY }: Showing,
): { readonly paths: readonly SeriesPath[]; readonly isWhole: boolean } {
  for (const wanted of charts) {
    if (wanted === "any") {
      // until something better comes
      const [any] = numericPaths(state);
      if (any !== undefined) return { paths: [any.path], isWhole: false };
      continue;
    }
    const paths = wanted
      .map((path) => ("set" in path && path.id === HERO ? { ...path, id: heroOf(state, path.set) } : path))
      .filter((path) => isThere(state, path));
    if (paths.length > 0) return { paths, isWhole: paths.length === wanted.length };
  }
  return { paths: [], isWhole: false };
}

function isThere(state: State, path: SeriesPath): boolean {
  const told = "set" in path && path.item === "speed" ? { ...path, item: 0 } : path;
  return !Number.isNaN(numberAt(state, told));
}

/** The hero, else the first of a set. */
function heroOf(state: State, name: string): number | string {
  const set = state.sets.get(name);
  const hero = set?.columns.get("label")?.data.indexOf("hero" as never) ?? -1;
  return set?.ids[Math.max(0, hero)] ?? HERO;
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
