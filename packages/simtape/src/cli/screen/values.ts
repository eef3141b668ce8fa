import { pathsIn, type PathInfo, type Telling } from "../../model/query/listing.ts";
import { readPath } from "../../model/query/probe.ts";
import type { SeriesPath } from "../../model/state/path.ts";
import { pathText } from "../../model/state/path.ts";
import type { State } from "../../model/state/state.ts";
import type { Piece } from "./line.ts";

/** Paths that are looked at for a list, and that a list has. */
const LOOKED_AT = 200_000;
const LISTED = 2000;
/** Digits of a number that are shown. */
const DIGITS = 7;

/** One line of the list: a path, and its unit. */
export interface Listed {
  readonly path: SeriesPath;
  readonly text: string;
  readonly unit: string | null;
}

/** What is known of the paths of a recording beside its state. Everything is optional. */
export interface ListHints {
  /** Paths that come first. */
  readonly first?: readonly SeriesPath[] | undefined;
  /** Groups of values that are listed only with a filter, as `Showing.bulk`. */
  readonly bulk?: readonly string[] | undefined;
  readonly telling?: Telling | undefined;
}

/** The paths of a state whose text has all words of `filter`, in any case; an empty filter has all but those of `bulk`. */
export function listedOf(
  state: State,
  filter: string,
  { first = [], bulk = [], telling = {} }: ListHints = {},
): readonly Listed[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const foremost = first.map(pathText);
  const found = new Map<string, Listed>(foremost.map((text, k) => [text, { path: first[k]!, text, unit: null }]));
  const others: Listed[] = [];
  const left = words.length > 0 ? [] : bulk.map((group) => `${group}/`);
  const fits = (text: string): boolean =>
    words.every((word) => text.toLowerCase().includes(word)) && !left.some((group) => text.startsWith(group));
  let looked = 0;
  for (const { path, text, unit } of pathsIn(state, telling) as Generator<PathInfo>) {
    if (++looked > LOOKED_AT || others.length >= LISTED) break;
    if (found.has(text)) found.set(text, { path, text, unit });
    else if (fits(text)) others.push({ path, text, unit });
  }
  return [...[...found.values()].filter(({ text }) => fits(text)), ...others];
}

/** The name and the value of a path in one line of `width` cells: the value is never cut before the name is. */
export function valueLine(state: State, { path, text, unit }: Listed, width: number): readonly Piece[] {
  const found = readPath(state, path);
  const value = found === undefined ? "–" : `${shown(found)}${unit === null ? "" : ` ${unit}`}`;
  const room = width - 1 - Math.min(value.length, Math.max(8, width - 12));
  // the end of a path says more than its beginning
  const name = text.length > room ? `…${text.slice(text.length - room + 1)}` : text.padEnd(room);
  return [{ text: name, look: "dim" }, { text: " " }, { text: value }];
}

function shown(value: number | bigint | boolean | string): string {
  return typeof value === "number" ? String(Number(value.toPrecision(DIGITS))) : String(value);
}
