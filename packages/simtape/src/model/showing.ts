import type { SeriesItem, SeriesPath } from "./state/path.ts";

/**
 * How programs that draw recordings show one of a format well. Plain data, which can be cloned. What is absent is shown as
 * of any recording.
 */
export interface Showing {
  /**
   * Sets of the things that a recording is about, the foremost first: those in the first of them that has a place are
   * shown first, and framed. Absent: everything that has a place.
   */
  readonly things?: readonly string[];
  /** Charts worth a first look: the first is drawn of which anything varies. `"any"`: the first number that does. */
  readonly charts?: readonly (readonly SeriesPath[] | "any")[];
  /**
   * Groups of values, which is their names up to the first `/`, that are many in a crowd and seldom looked at: they come
   * when a panel reads them.
   */
  readonly bulk?: readonly string[];
  /** What draws a set, by the name that the viewer has for it; a set that is not here is drawn by its name and columns. */
  readonly presenters?: Readonly<Record<string, string>>;
  /** Values of a thing, below `<set>/<id>/`, that are what it has in its hands; absent: it is not known which are. */
  readonly hands?: Hands;
  /** Kinds of events that may be passings of checkpoints, and the set of those who pass them. */
  readonly checkpoints?: { readonly kinds: readonly string[]; readonly set: string };
}

/** Paths of values: `items/0`. */
export interface Hands {
  readonly main: string;
  readonly off: string;
}

/** The id in a `SeriesPath` that stands for the thing that is looked at first. */
export const HERO = "*";

/** The number that a value is. */
export function valuePath(value: string): SeriesPath {
  return { value, keys: [] };
}

/** A number of a column, of the thing that is looked at first unless `id` names another. */
export function cellPath(set: string, column: string, item: SeriesItem = null, id: number | string = HERO): SeriesPath {
  return { set, id, column, item };
}
