/** Names of a report that are listed one by one; the rest is counted. */
export const MOST_NAMES = 100;

/**
 * The first of `count` parts by their paths, and all others as one under `rest`, as reports name what has many parts.
 * `pathOf` gives the path of a part by its index, and is called for those parts only that are named.
 */
export function firstNamed(
  count: number,
  pathOf: (index: number) => string,
  rest: string,
): { readonly path: string; readonly count: number }[] {
  const length = Math.min(count, MOST_NAMES);
  const named = Array.from({ length }, (_, index) => ({ path: pathOf(index), count: 1 }));
  return count === length ? named : [...named, { path: rest, count: count - length }];
}
