/*
 * An entry of a table is one number: bits 0-4 the bits to take in all, bits 5-8 those of the code alone (the rest are
 * extra bits of the value), bits 13-27 a value, and the marks below. A value is a literal byte, the base of a length or
 * a distance, or for `LINK` the place of a second table, whose index has as many bits as bits 5-8 say.
 */

/** Marks a literal byte; the only negative entries. */
const LITERAL: number = -0x8000_0000;
/** Marks what is neither literal nor base: `LINK`, `END`, or with neither of these a code that does not exist. */
export const SPECIAL = 0x4000_0000;
/** Marks a code that is longer than the first table's index. */
export const LINK = 0x2000_0000;
/** Marks the end of a block. */
export const END = 0x1000_0000;
/** The value of an entry is `entry >>> VALUE_SHIFT & VALUE_MASK`. */
export const VALUE_SHIFT = 13;
export const VALUE_MASK = 0x7fff;

/** What one bit of code adds to an entry: one to take, and one of the code. */
const BIT = 0x21;
const LONGEST = 15;

/** What a decoding table is made for. */
export interface Alphabet {
  /** The entry of each symbol, less the bits of its code. */
  readonly entries: Int32Array;
  /** Bits of the first table's index at most. */
  readonly indexBits: number;
  /** Entries that the tables of any complete code need at most. */
  readonly size: number;
  /** Whether one lone code of one bit will do, or none at all, as zlib takes them. */
  readonly mayLack: boolean;
}

/** Symbols of the code lengths themselves, RFC 1951 §3.2.7. */
export const CODE_LENGTH_ALPHABET: Alphabet = alphabet(19, 7, 128, false, (symbol) => symbol << VALUE_SHIFT);

/** Literals, lengths and the end of a block, RFC 1951 §3.2.5. */
export const LITERAL_ALPHABET: Alphabet = alphabet(288, 10, 2048, true, (symbol) => {
  if (symbol < 256) return LITERAL | (symbol << VALUE_SHIFT);
  if (symbol === 256) return SPECIAL | END;
  if (symbol > 285) return SPECIAL;
  if (symbol === 285) return 258 << VALUE_SHIFT;
  const step = symbol - 257;
  const extra = step < 8 ? 0 : (step >> 2) - 1;
  return ((step < 8 ? 3 + step : 3 + ((4 + (step & 3)) << extra)) << VALUE_SHIFT) | extra;
});

/** Distances, RFC 1951 §3.2.5. */
export const DISTANCE_ALPHABET: Alphabet = alphabet(32, 8, 1024, true, (symbol) => {
  if (symbol > 29) return SPECIAL;
  const extra = symbol < 4 ? 0 : (symbol >> 1) - 1;
  return ((symbol < 4 ? 1 + symbol : 1 + ((2 + (symbol & 1)) << extra)) << VALUE_SHIFT) | extra;
});

/**
 * Decodes one canonical Huffman code of deflate, whose codes come first bit lowest. An index of the next bits gives an
 * entry; bits that are not there yet may be zero, the entry is right if its code is no longer than those that are.
 */
export class HuffmanTable {
  readonly entries: Int32Array;
  /** Bits of the first table's index. */
  indexBits = 0;
  readonly #alphabet: Alphabet;
  readonly #counts = new Uint16Array(LONGEST + 1);
  readonly #places = new Uint16Array(LONGEST + 2);
  readonly #sorted: Uint16Array;

  constructor(alphabet: Alphabet) {
    this.#alphabet = alphabet;
    this.entries = new Int32Array(alphabet.size);
    this.#sorted = new Uint16Array(alphabet.entries.length);
  }

  /** Builds from code lengths `[from, to)`, 0 to 15; false when they promise more codes than bits allow, or too few. */
  build(lengths: Uint8Array, from: number, to: number): boolean {
    const counts = this.#counts;
    const { entries: symbols, indexBits, mayLack } = this.#alphabet;
    counts.fill(0);
    for (let i = from; i < to; i++) counts[lengths[i]!]!++;
    let longest = LONGEST;
    while (longest > 0 && counts[longest] === 0) longest--;
    let room = 1;
    for (let bits = 1; bits <= longest; bits++) {
      room = room * 2 - counts[bits]!;
      if (room < 0) return false;
    }
    if (room > 0) {
      if (!mayLack || longest > 1) return false;
      this.indexBits = 1;
      this.entries[0] = (longest === 0 ? SPECIAL : symbols[lengths.indexOf(1, from) - from]!) + BIT;
      this.entries[1] = SPECIAL + BIT;
      return true;
    }
    const places = this.#places;
    places[1] = 0;
    for (let bits = 1; bits <= longest; bits++) places[bits + 1] = places[bits]! + counts[bits]!;
    const sorted = this.#sorted;
    for (let i = from; i < to; i++) {
      const bits = lengths[i]!;
      if (bits > 0) sorted[places[bits]!++] = i - from;
    }
    this.indexBits = Math.min(longest, indexBits);
    this.#fill(longest);
    return true;
  }

  /** Goes through the codes in order. Each is counted up from its highest bit, as the first bit of a code is lowest. */
  #fill(longest: number): void {
    const { entries, indexBits } = this;
    const symbols = this.#alphabet.entries;
    const counts = this.#counts;
    const sorted = this.#sorted;
    let at = 0;
    let code = 0;
    // A table for codes of `bits` bits, twice, is the one for one bit more: what is short stands in both halves.
    for (let bits = 1; bits <= indexBits; bits++) {
      if (at > 0) entries.copyWithin(1 << (bits - 1), 0, 1 << (bits - 1));
      for (let left = counts[bits]!; left > 0; left--) {
        entries[code] = symbols[sorted[at++]!]! + bits * BIT;
        code = after(code, bits);
      }
    }
    const mask = (1 << indexBits) - 1;
    let end = 1 << indexBits;
    let start = 0;
    let linked = -1;
    let width = 0;
    for (let bits = indexBits + 1; bits <= longest; bits++) {
      for (let left = counts[bits]!; left > 0; left--) {
        const index = code & mask;
        if (index !== linked) {
          linked = index;
          start = end;
          // As wide as the codes that come next need to fill it.
          width = bits - indexBits;
          for (let free = (1 << width) - left; free > 0; ) free = free * 2 - counts[indexBits + ++width]!;
          end += 1 << width;
          entries[index] = SPECIAL | LINK | (start << VALUE_SHIFT) | (width << 5) | indexBits;
        }
        const entry = symbols[sorted[at++]!]! + bits * BIT;
        for (let i = code >>> indexBits; i < 1 << width; i += 1 << (bits - indexBits)) entries[start + i] = entry;
        code = after(code, bits);
      }
    }
  }
}

/** The code after `code` of `bits` bits; 0 after the last. Lengthened by a zero bit it stays the same number. */
function after(code: number, bits: number): number {
  const zeros = ~code & ((1 << bits) - 1);
  if (zeros === 0) return 0;
  const highest = 0x8000_0000 >>> Math.clz32(zeros);
  return (code & (highest - 1)) | highest;
}

function alphabet(
  symbols: number,
  indexBits: number,
  size: number,
  mayLack: boolean,
  entry: (symbol: number) => number,
): Alphabet {
  return { entries: Int32Array.from({ length: symbols }, (_, symbol) => entry(symbol)), indexBits, size, mayLack };
}
