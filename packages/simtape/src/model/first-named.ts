/** Names of a report that are listed one by one; the rest is counted. */
export const MOST_NAMES = 100;

/** The first paths by name, and all others as one under `rest`, as reports name what has many parts. */
export function firstNamed(
  paths: readonly string[],
  rest: string,
): { readonly path: string; readonly count: number }[] {
  const named = paths.slice(0, MOST_NAMES).map((path) => ({ path, count: 1 }));
  const more = paths.length - named.length;
  return more === 0 ? named : [...named, { path: rest, count: more }];
}
