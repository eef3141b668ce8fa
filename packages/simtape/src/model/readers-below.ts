import type { Reader } from "./reader.ts";

/** The readers of files that an edited, joined or cut recording is made of, each once; of a file its own. */
export function readersBelow(reader: Reader): Set<Reader> {
  const found = new Set<Reader>();
  const waiting: Reader[] = [reader];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (next.parts !== undefined) waiting.unshift(...next.parts);
    else found.add(next.base ?? next);
  }
  return found;
}
