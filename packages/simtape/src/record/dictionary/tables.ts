import type { ByteBuilder } from "../../bytes/builder.ts";

/** Bits, the lowest first. */
class BitWriter {
  readonly #bytes: number[] = [];
  #word = 0;
  #filled = 0;

  put(value: number, bits: number): void {
    for (let i = 0; i < bits; i++) {
      this.#word |= ((value >>> i) & 1) << this.#filled;
      if (++this.#filled < 8) continue;
      this.#bytes.push(this.#word);
      this.#word = 0;
      this.#filled = 0;
    }
  }

  take(): Uint8Array {
    if (this.#filled > 0) this.#bytes.push(this.#word);
    return Uint8Array.from(this.#bytes);
  }
}

/** Probabilities in parts of `2 ** log`, at least one part for each symbol whose count is not 0; they fill it up. */
export function normalized(counts: readonly number[], log: number): number[] {
  const parts = 1 << log;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const shares = counts.map((count) => (count === 0 ? 0 : Math.max(1, Math.floor((count * parts) / total))));
  for (let rest = parts - shares.reduce((sum, share) => sum + share, 0); rest !== 0; rest -= Math.sign(rest)) {
    // the one that is furthest from its share, where one more or less matters least
    let at = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (const [i, share] of shares.entries()) {
      if (share === 0 || (rest < 0 && share === 1)) continue;
      const off = ((counts[i]! * parts) / total - share) * Math.sign(rest);
      if (off > most) {
        most = off;
        at = i;
      }
    }
    shares[at]! += Math.sign(rest);
  }
  return shares;
}

/** The description of an FSE table (RFC 8878 §4.1.1). */
export function tableDescription(shares: readonly number[], log: number): Uint8Array {
  const out = new BitWriter();
  out.put(log - 5, 4);
  let rest = 1 << log;
  for (let symbol = 0; rest > 0; symbol++) {
    const share = shares[symbol]!;
    const bits = 32 - Math.clz32(rest + 1);
    const half = 1 << (bits - 1);
    const low = (1 << bits) - 2 - rest;
    const value = share + 1;
    if (value < low) out.put(value, bits - 1);
    else out.put(value < half ? value : value + low, bits);
    rest -= share;
    if (share > 0) continue;
    // how many more are 0, three at a time
    let zeros = 0;
    while (shares[symbol + 1] === 0) {
      zeros++;
      symbol++;
    }
    for (; zeros >= 3; zeros -= 3) out.put(3, 2);
    out.put(zeros, 2);
  }
  return out.take();
}

/** A state of an FSE decoder: what it says, and where the next state begins, with how many bits behind it. */
interface FseState {
  readonly symbol: number;
  readonly bits: number;
  readonly base: number;
}

/** The decoding table of probabilities that are all 0 or more (RFC 8878 §4.1.1). */
function statesOf(shares: readonly number[], log: number): FseState[] {
  const size = 1 << log;
  const step = (size >> 1) + (size >> 3) + 3;
  const symbols = new Uint8Array(size);
  let place = 0;
  for (const [symbol, share] of shares.entries()) {
    for (let i = 0; i < share; i++) {
      symbols[place] = symbol;
      place = (place + step) & (size - 1);
    }
  }
  const next = [...shares];
  return Array.from(symbols, (symbol) => {
    const number = next[symbol]!++;
    const bits = log - (31 - Math.clz32(number));
    return { symbol, bits, base: (number << bits) - size };
  });
}

/** Accuracy of the table that Huffman weights are written with, at most (RFC 8878 §4.2.1.2). */
const WEIGHTS_LOG = 6;

/** Symbols in an FSE stream of two states, which take turns; the first symbol is the first state's (RFC 8878 §4.2.1.2). */
function fseStream(symbols: readonly number[], shares: readonly number[], log: number): Uint8Array {
  const table = statesOf(shares, log);
  const writes: { readonly value: number; readonly bits: number }[] = [];
  const now: [number, number] = [-1, -1];
  for (let i = symbols.length - 1; i >= 0; i--) {
    const turn = (i & 1) as 0 | 1;
    const target = now[turn];
    const symbol = symbols[i]!;
    if (target < 0) {
      // the end shows when a state asks for bits that are not there: it must ask for some
      let best = -1;
      for (const [at, state] of table.entries())
        if (state.symbol === symbol && (best < 0 || state.bits > table[best]!.bits)) best = at;
      now[turn] = best;
      continue;
    }
    const at = table.findIndex(
      (state) => state.symbol === symbol && state.base <= target && target < state.base + (1 << state.bits),
    );
    const { base, bits } = table[at]!;
    writes.push({ value: target - base, bits });
    now[turn] = at;
  }
  const out = new BitWriter();
  for (const { value, bits } of writes) out.put(value, bits);
  out.put(now[1], log);
  out.put(now[0], log);
  out.put(1, 1);
  return out.take();
}

/** Bits of the longest Huffman code (RFC 8878 §4.2.1). */
const LONGEST = 11;

/** Code lengths of a Huffman code over all symbols, none of which has count 0 and none longer than 11 bits. */
function codeLengths(counts: readonly number[]): number[] {
  for (let flat = counts.map((count) => count); ; flat = flat.map((count) => (count >> 1) + 1)) {
    const lengths = flat.map(() => 0);
    let trees = flat.map((count, symbol) => ({ count, symbols: [symbol] }));
    while (trees.length > 1) {
      trees.sort((a, b) => b.count - a.count);
      const [a, b] = [trees.pop()!, trees.pop()!];
      const symbols = [...a.symbols, ...b.symbols];
      for (const symbol of symbols) lengths[symbol]!++;
      trees = [...trees, { count: a.count + b.count, symbols }];
    }
    if (lengths.every((length) => length <= LONGEST)) return lengths;
  }
}

/** The description of a Huffman tree in which all 256 bytes have a code (RFC 8878 §4.2.1). */
export function huffmanDescription(counts: readonly number[]): Uint8Array {
  const lengths = codeLengths(counts);
  const longest = Math.max(...lengths);
  // the weight of the last byte is what the others leave
  const weights = lengths.slice(0, -1).map((length) => longest + 1 - length);
  const seen = Array.from({ length: longest + 1 }, () => 0);
  for (const weight of weights) seen[weight]!++;
  const shares = normalized(seen, WEIGHTS_LOG);
  const table = tableDescription(shares, WEIGHTS_LOG);
  const stream = fseStream(weights, shares, WEIGHTS_LOG);
  const description = new Uint8Array(1 + table.length + stream.length);
  // below 128: the weights are compressed, in so many bytes
  description[0] = table.length + stream.length;
  description.set(table, 1);
  description.set(stream, 1 + table.length);
  return description;
}

/** Lowest lengths of literals and of matches by code (RFC 8878 §3.1.1.3.2.1.1). */
const LITERALS_BASE: readonly number[] = [
  ...Array.from({ length: 16 }, (_, i) => i),
  ...[16, 18, 20, 22, 24, 28, 32, 40, 48],
  ...Array.from({ length: 11 }, (_, i) => 64 << i),
];
const MATCH_BASE: readonly number[] = [
  ...Array.from({ length: 32 }, (_, i) => i + 3),
  ...[35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99],
  ...Array.from({ length: 10 }, (_, i) => (128 << i) + 3),
];
/** Codes of offsets up to 4 MiB. */
const OFFSET_CODES = 23;

/** What blocks of a kind consist of: bytes that stand for themselves, and codes of sequences (RFC 8878 §3.1.1.3). */
export class BlockStatistics {
  // one of each, so that every code is there
  readonly literals: number[] = Array.from({ length: 256 }, () => 1);
  readonly #offsets = Array.from({ length: OFFSET_CODES }, () => 1);
  readonly #matches = MATCH_BASE.map(() => 1);
  readonly #lengths = LITERALS_BASE.map(() => 1);

  /** A match of `length` bytes, `offset` back (0: as far as the one before), behind `literals` bytes. */
  sequence(literals: number, length: number, offset: number): void {
    const value = offset === 0 ? 1 : offset + 3;
    this.#offsets[Math.min(OFFSET_CODES - 1, 31 - Math.clz32(value))]! += WEIGHT;
    this.#matches[codeOf(MATCH_BASE, length)]! += WEIGHT;
    this.#lengths[codeOf(LITERALS_BASE, literals)]! += WEIGHT;
  }

  /** The tables of a dictionary in their order: Huffman, offsets, matches, lengths of literals (RFC 8878 §5). */
  write(builder: ByteBuilder): void {
    builder.raw(huffmanDescription(this.literals));
    for (const [counts, log] of [
      [this.#offsets, 8],
      [this.#matches, 9],
      [this.#lengths, 9],
    ] as const)
      builder.raw(tableDescription(normalized(counts, log), log));
  }
}

/** Of one sequence seen, against the one of each code that is taken for granted. */
const WEIGHT = 8;

function codeOf(bases: readonly number[], value: number): number {
  let code = bases.length - 1;
  while (bases[code]! > value) code--;
  return code;
}
