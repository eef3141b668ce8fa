import { LayoutError } from "../../bytes/error.ts";
import type { Chunk } from "../messages/chunk.ts";
import type { Finding } from "../error.ts";
import type { Value } from "../values/value.ts";
import { listOf, membersOf, numbersOf, wholeOf } from "./shapes.ts";

/** Chunks as columns; which channels occur is a list of the sets there are, and the place of each chunk's in it. */
export function plainChunks(chunks: readonly Chunk[]): Value {
  const column = (of: (chunk: Chunk) => number): Float64Array => Float64Array.from(chunks, of);
  const sets = new Map<string, number>();
  const place = ({ channels }: Chunk): number => {
    if (channels === null) return NOT_KNOWN;
    const key = [...channels].sort((a, b) => a - b).join(",");
    const found = sets.get(key) ?? sets.size;
    sets.set(key, found);
    return found;
  };
  const channels = Uint32Array.from(chunks, place);
  return {
    offset: column(({ offset }) => offset),
    length: column(({ length }) => length),
    sequence: column(({ sequence }) => sequence),
    count: column(({ count }) => count),
    first: column(({ first }) => first),
    last: column(({ last }) => last),
    keyframes: Uint8Array.from(chunks, ({ hasKeyframe }) => (hasKeyframe ? 1 : 0)),
    channels,
    sets: [...sets.keys()].map((key) => Uint32Array.from(key === "" ? [] : key.split(",").map(Number))),
  };
}

const NOT_KNOWN = 0xffff_ffff;

/**
 * The chunks that such a value is of. Throws `LayoutError` unless they lie in `[begin, end)`, one behind the other and
 * each numbered on from the one before.
 */
export function chunksOf(plain: Value | undefined, begin: number, end: number): Chunk[] {
  const members = membersOf(plain);
  const offset = numbersOf(members["offset"], Float64Array);
  const column = (name: string): Float64Array => numbersOf(members[name], Float64Array, offset.length);
  const [length, sequence, count] = [column("length"), column("sequence"), column("count")];
  const [first, last] = [column("first"), column("last")];
  const keyframes = numbersOf(members["keyframes"], Uint8Array, offset.length);
  const places = numbersOf(members["channels"], Uint32Array, offset.length);
  const sets = listOf(members["sets"]).map((set) => new Set(numbersOf(set, Uint32Array)));
  const chunks: Chunk[] = [];
  let at = begin;
  let next = wholeOf(sequence[0] ?? 0);
  for (let i = 0; i < offset.length; i++) {
    const isInside = offset[i] === at && wholeOf(length[i]) > 0 && at + length[i]! <= end;
    const isNumbered = sequence[i] === next && wholeOf(count[i]) <= length[i]! * MOST_ROWS;
    const isTimed = first[i]! <= last[i]!;
    const channels = places[i] === NOT_KNOWN ? null : sets[places[i]!];
    if (!isInside || !isNumbered || !isTimed || channels === undefined)
      throw new LayoutError("malformed", `chunk ${i} of those that were kept does not fit`, 0);
    const hasKeyframe = keyframes[i] === 1;
    chunks.push({
      ...{ offset: at, length: length[i]!, sequence: next, count: count[i]! },
      ...{ first: first[i]!, last: last[i]!, hasKeyframe, channels },
    });
    at += length[i]!;
    next += count[i]!;
  }
  return chunks;
}

/** Messages that come of a byte, at most: of one that is compressed. */
const MOST_ROWS = 1024;

export function plainFindings(findings: readonly Finding[]): Value {
  return findings.map(({ code, severity, message, offset, length, time }): Value => {
    const places = Object.entries({ offset, length, time }).filter(([, place]) => place !== undefined);
    return { code, severity, message, ...(Object.fromEntries(places) as Record<string, number>) };
  });
}

export function findingsOf(plain: Value | undefined): Finding[] {
  return listOf(plain).map((item) => {
    const { code, severity, message, ...places } = membersOf(item);
    const areTexts = typeof code === "string" && typeof message === "string" && typeof severity === "string";
    if (!areTexts || Object.values(places).some((place) => typeof place !== "number"))
      throw new LayoutError("malformed", "a finding that was kept does not fit", 0);
    return item as unknown as Finding;
  });
}
