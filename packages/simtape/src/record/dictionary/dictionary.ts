import { ByteBuilder } from "../../bytes/builder.ts";
import { type Zstd, ZSTD_DICTIONARY_MAGIC } from "../../codec/zstd.ts";
import { DICTIONARY_IDS } from "../../formats/hcrp/layout/framing.ts";
import { selectContent } from "./content.ts";
import { BlockStatistics } from "./tables.ts";

/** The id of the dictionary that is made, and its length in bytes. */
export interface TrainOptions {
  /** 32,768 to 65,535, never used before (HCRP spec §7.3). */
  readonly id: number;
  /** Bytes of the dictionary; default 4 KiB, which did best (HCRP spec §7.3). */
  readonly size?: number | undefined;
}

/** Bytes of the smallest dictionary that can be made: its tables, and a little content. */
const SMALLEST = 512;
const LARGEST = 1 << 20;
const SIZE = 4096;
/** Ways to choose content, of which the best is taken. */
const UNITS = [6, 8] as const;
const SEGMENTS = [48, 192, 768, 1536, 3072] as const;
/** Level that they are compared at, that of recording, and the samples it is done with at most. */
const LEVEL = 3;
const JUDGES = 256;

/**
 * A zstd dictionary for content like `samples` (inflated chunks): content chosen for occurring in many of them, and the
 * entropy tables of what is left of them (RFC 8878 §5). Several ways to choose are tried on the samples themselves. The
 * same samples give the same bytes. Throws `RangeError` for an id or a size that cannot be, and for too few samples.
 */
export function trainDictionary(zstd: Zstd, samples: readonly Uint8Array[], options: TrainOptions): Uint8Array {
  const { id, size = SIZE } = options;
  const { first, last } = DICTIONARY_IDS;
  if (!Number.isInteger(id) || id < first || id > last)
    throw new RangeError(`dictionary id ${id}, ${first} to ${last}`);
  if (!Number.isInteger(size) || size < SMALLEST || size > LARGEST)
    throw new RangeError(`dictionary of ${size} bytes, ${SMALLEST} to ${LARGEST}`);
  const some = samples.filter(({ length }) => length > 0);
  if (some.length < 2) throw new RangeError(`${some.length} samples: a dictionary is what several have in common`);
  const judges = some.filter((_, i) => (i * JUDGES) % some.length < JUDGES);
  let best: Uint8Array | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const unit of UNITS) {
    for (const segment of SEGMENTS) {
      const made = madeOf(some, id, size, unit, segment);
      if (made === null) continue;
      let bytes = 0;
      for (const sample of judges) bytes += zstd.compress(sample, { level: LEVEL, dictionary: made }).length;
      if (bytes >= least) continue;
      least = bytes;
      best = made;
    }
  }
  if (best === null) throw new RangeError("the samples have nothing in common");
  return best;
}

/** A dictionary of exactly `size` bytes, or fewer where the samples do not give more; null: they give nothing. */
function madeOf(
  samples: readonly Uint8Array[],
  id: number,
  size: number,
  unit: number,
  segment: number,
): Uint8Array | null {
  const wanted = selectContent(samples, { size, unit, segment });
  if (wanted.length < 8) return null;
  const head = new ByteBuilder(size);
  head.u32le(ZSTD_DICTIONARY_MAGIC).u32le(id);
  statisticsOf(samples, wanted).write(head);
  const content = wanted.subarray(Math.max(0, wanted.length - Math.max(64, size - head.length - 12)));
  // offsets that are tried first: those of the format
  for (const offset of [1, 4, 8]) head.u32le(offset);
  return head.raw(content).take();
}

/** Shortest match looked for. */
const SHORTEST = 4;
const PLACES = 1 << 16;

/** What blocks would consist of: a simple search for matches, in the content and in the sample itself. */
function statisticsOf(samples: readonly Uint8Array[], content: Uint8Array): BlockStatistics {
  const statistics = new BlockStatistics();
  const places = new Int32Array(PLACES);
  for (const sample of samples) {
    const bytes = new Uint8Array(content.length + sample.length);
    bytes.set(content);
    bytes.set(sample, content.length);
    places.fill(-1);
    for (let at = 0; at + SHORTEST <= content.length; at++) places[hashAt(bytes, at)] = at;
    let literals = 0;
    let before = 0;
    for (let at = content.length; at < bytes.length; ) {
      const from = at + SHORTEST <= bytes.length ? places[hashAt(bytes, at)]! : -1;
      let length = 0;
      if (from >= 0) while (at + length < bytes.length && bytes[from + length] === bytes[at + length]) length++;
      if (length < SHORTEST) {
        statistics.literals[bytes[at]!]! += 1;
        literals++;
        if (at + SHORTEST <= bytes.length) places[hashAt(bytes, at)] = at;
        at++;
        continue;
      }
      const offset = at - from;
      statistics.sequence(literals, length, offset === before ? 0 : offset);
      before = offset;
      literals = 0;
      for (const end = at + length; at < end; at++) if (at + SHORTEST <= bytes.length) places[hashAt(bytes, at)] = at;
    }
  }
  return statistics;
}

function hashAt(bytes: Uint8Array, at: number): number {
  const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  return Math.imul(word, 0x9e37_79b1) >>> 16;
}
