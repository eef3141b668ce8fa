import { isNestedDeeper } from "../../bytes/json-depth.ts";
import { tell } from "../../model/shape.ts";
import { TOO_LONG } from "./lines.ts";

/** Values inside each other in a line at most, so that nothing that goes through them runs out of stack. */
const DEEPEST = 100;
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
  if (isNestedDeeper(bytes, DEEPEST))
    throw new RangeError(`expected at most ${DEEPEST} values inside each other, found more`);
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
