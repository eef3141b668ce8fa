import { type PathInfo, pathsIn, readPath, type SeriesItem, type SeriesPath, type State } from "simtape";

/** Every number of a state, values first; of values the units are not told. */
export function* numericPaths(state: State): Generator<PathInfo> {
  for (const path of pathsIn(state)) if (path.kind !== "text") yield path;
}

const value = (name: string): SeriesPath => ({ value: name, keys: [] });
const cell = (set: string, column: string, item: SeriesItem, id = HERO): SeriesPath => ({
  set,
  id,
  column,
  item,
});
/** Stands for the thing that is looked at first. */
const HERO = "*";

/** Worth a look in each format: of these charts, the first of which anything is there. */
const WORTHWHILE: Readonly<Record<string, readonly (readonly SeriesPath[])[]>> = {
  nanover: [[value("energy.kinetic"), value("energy.potential")]],
  carla: [
    [cell("vehicles", "velocity", "length")],
    [cell("vehicles", "forward-speed", null)],
    [cell("vehicles", "position", 0), cell("vehicles", "position", 1)],
  ],
  flightgear: [[cell("aircraft", "geodetic", 2, "self"), value("/velocities/airspeed-kt")]],
  mira: [[cell("poses", "position", 0), cell("poses", "position", 1), value("/robot/charger/Level")]],
  hcrp: [[cell("players", "position", 1), cell("players", "position", "speed")]],
};

/** The chart to begin with: what of it is there by now, and whether that is all of it. */
export function firstChart(
  state: State,
  format: string,
): { readonly paths: readonly SeriesPath[]; readonly isWhole: boolean } {
  for (const wanted of WORTHWHILE[format] ?? []) {
    const paths = wanted
      .map((path) => ("set" in path && path.id === HERO ? { ...path, id: heroOf(state, path.set) } : path))
      .filter((path) => isThere(state, path));
    if (paths.length > 0) return { paths, isWhole: paths.length === wanted.length };
  }
  // What a robot tells has any name: until something better comes, the first number.
  const [any] = format === "mira" ? numericPaths(state) : [];
  return { paths: any === undefined ? [] : [any.path], isWhole: false };
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
