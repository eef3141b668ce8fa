import picomatch from "picomatch";
import { UsageError } from "../run/failure.ts";

/** Names shown where one is wrong: all, when there are so few; else the nearest. */
const MOST_SHOWN = 30;
const MOST_NEAR = 5;

/** Most characters of a glob. */
const LONGEST = 10_000;

/**
 * A test for names that match any of the globs: `*` stops at `/`, `**` does not. A name matches itself, whatever is in
 * it; the empty text matches nothing else. Throws `UsageError` for a glob that is too long.
 */
export function matching(globs: readonly string[]): (name: string) => boolean {
  if (globs.some(({ length }) => length > LONGEST)) throw new UsageError(`a glob has ${LONGEST} characters at most`);
  const isMatch = picomatch(
    globs.filter((glob) => glob !== ""),
    { dot: true, nobrace: false, bash: false },
  );
  const names = new Set(globs);
  return (name) => names.has(name) || isMatch(name);
}

/** The same for names that are there. Throws `UsageError` for a glob that none of them matches, with those that are near. */
export function matchingSome(
  globs: readonly string[],
  names: readonly string[],
  what: string,
): (name: string) => boolean {
  for (const glob of globs) {
    if (!names.some(matching([glob]))) throw new UsageError(`no ${what} matches ${shown(glob)}; ${known(glob, names)}`);
  }
  return matching(globs);
}

function shown(glob: string): string {
  return glob === "" ? '""' : glob;
}

/** For messages: the names that there are, those that are written most like `wrong` first. */
export function known(wrong: string, names: readonly string[]): string {
  if (names.length === 0) return "there is none";
  const word = wrong.replaceAll("*", "").toLowerCase();
  const near = names
    .map((name) => ({ name, far: distance(word, name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .map(({ name }) => name);
  if (names.length <= MOST_SHOWN) return `there are: ${near.join(", ")}`;
  return `the nearest of ${names.length}: ${near.slice(0, MOST_NEAR).join(", ")}`;
}

/** Letters to change, as far as one name is not a part of the other; what is missing counts little. */
function distance(word: string, name: string): number {
  if (word !== "" && name.includes(word)) return (name.length - word.length) / 1000;
  let row = Array.from({ length: name.length + 1 }, (_, k) => k);
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let k = 1; k <= name.length; k++) {
      const swapped = row[k - 1]! + (word[i - 1] === name[k - 1] ? 0 : 1);
      next.push(Math.min(swapped, row[k]! + 1, next[k - 1]! + 1));
    }
    row = next;
  }
  return row[name.length]!;
}
