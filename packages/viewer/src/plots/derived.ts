import type { SeriesPath } from "simtape";

/** Before an expression that stands where a path does. No format has values of such a name. */
const SIGN = "= ";

/** A number that an expression gives, as charts and addresses keep it. */
export function derivedPath(expression: string): SeriesPath {
  return { value: `${SIGN}${expression}`, keys: [] };
}

/** The expression that gives a number; null: it is recorded. */
export function expressionOf(path: SeriesPath): string | null {
  return "value" in path && path.value.startsWith(SIGN) ? path.value.slice(SIGN.length) : null;
}
