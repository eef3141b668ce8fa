import { numericPaths, type PathInfo, type State } from "simtape";
import { namesIn } from "./names.ts";

/**
 * Those in whose text or name, which has the label of a thing, every word of `text` occurs, whatever the case; at most
 * `limit`, and whether there are more.
 */
export function searchPaths(
  state: State,
  text: string,
  limit: number,
): { readonly found: readonly PathInfo[]; readonly isMore: boolean } {
  const words = wordsOf(text);
  const found: PathInfo[] = [];
  const nameOf = namesIn(state);
  for (const path of numericPaths(state)) {
    if (!hasWords(path.text, words) && !hasWords(`${path.text} ${nameOf(path.path)}`, words)) continue;
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
