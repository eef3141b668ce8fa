import { tell } from "../../model/shape.ts";
import { TOO_LONG } from "./lines.ts";

/** Values inside each other in a line at most, so that nothing that goes through them runs out of stack. */
const DEEPEST = 100;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether more than that many are. */
function isDeep(line: Uint8Array): boolean {
  // brackets that open must close
  if (line.length <= 2 * DEEPEST) return false;
  let depth = 0;
  let isText = false;
  for (let i = 0; i < line.length; i++) {
    const byte = line[i];
    if (isText) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN || byte === OPEN_LIST) {
      if (++depth > DEEPEST) return true;
    } else if (byte === CLOSE || byte === CLOSE_LIST) depth--;
  }
  return false;
}

const DECODER = new TextDecoder("utf-8", { fatal: true });

/** A line as an object; null for an empty one. Throws `RangeError` with what was expected and what was found. */
export function parseLine(bytes: Uint8Array | typeof TOO_LONG): JsonLine | null {
  if (bytes === TOO_LONG) throw new RangeError("expected at most 1 MiB in a line, found more");
  let source: string;
  try {
    source = DECODER.decode(bytes);
  } catch {
    throw new RangeError("expected UTF-8, found other bytes");
  }
  if (source.length < 2 && source.trim() === "") return null;
  if (isDeep(bytes)) throw new RangeError(`expected at most ${DEEPEST} values inside each other, found more`);
  let line: unknown;
  try {
    line = JSON.parse(source);
  } catch (error) {
    throw new RangeError(`expected an object in JSON, found ${(error as Error).message}`);
  }
  if (typeof line !== "object" || line === null || Array.isArray(line))
    throw new RangeError(tell({ path: "", expected: "an object", found: line }));
  return line as JsonLine;
}

export type JsonLine = Readonly<Record<string, unknown>>;
