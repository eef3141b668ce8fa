import {
  CODE_LENGTH_ALPHABET,
  DISTANCE_ALPHABET,
  END,
  HuffmanTable,
  LINK,
  LITERAL_ALPHABET,
  SPECIAL,
  VALUE_MASK,
  VALUE_SHIFT,
} from "./huffman.ts";

/** Why inflating pauses: it needs input, its output must be taken, the stream has ended, or it cannot go on. */
export type InflatePause = "input" | "output" | "end" | "fault";

/** What is wrong with a deflate stream. */
export interface InflateFault {
  /** The byte that shows it, counted from the stream's first. */
  readonly offset: number;
  readonly message: string;
}

/** How far back a match may reach, RFC 1951 §2. */
const WINDOW = 32 * 1024;
const BUFFER = 2 * WINDOW;
const LONGEST_MATCH = 258;
/** Room that one turn of the fast loop may fill, a few bytes written ahead included. */
const SPARE = LONGEST_MATCH + 16;
/** From here on a call to copy costs less than copying four bytes at a time. */
const LONG_MATCH = 128;
/** Input that one turn of the fast loop may look at. */
const AHEAD = 16;

// What comes next in the stream.
const BLOCK_HEAD = 0;
const STORED_LENGTH = 1;
const STORED_CHECK = 2;
const STORED = 3;
const CODES_HEAD = 4;
const CODE_LENGTH_LENGTHS = 5;
const CODE_LENGTHS = 6;
const SYMBOL = 7;
const DISTANCE = 8;
const DISTANCE_EXTRA = 9;
const ENDED = 10;
const BROKEN = 11;

const CODE_LENGTH_ORDER = Uint8Array.of(16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15);
const NO_INPUT = new Uint8Array(0);

/**
 * Inflates raw deflate streams (RFC 1951), fed in parts of any size. Holds 64 KiB of output and no input.
 * What comes out before a fault or the end of the input is complete: no byte waits for those after it.
 */
export class Inflater {
  /** What was found wrong; null unless `run` has answered "fault". */
  fault: InflateFault | null = null;
  readonly #output = new Uint8Array(BUFFER);
  readonly #outputView = new DataView(this.#output.buffer);
  /** Output is `[0, #length)`; what precedes `#taken` was taken and stays as far as matches may reach. */
  #length = 0;
  #taken = 0;
  #next = BLOCK_HEAD;
  #isLastBlock = false;
  #input: Uint8Array = NO_INPUT;
  #at = 0;
  /** Place in the stream of the first byte of `#input`. */
  #origin = 0;
  /** The next `#bits` bits, lowest first; fewer than 8 whenever something was just read. */
  #hold = 0;
  #bits = 0;
  readonly #dynamicLiterals = new HuffmanTable(LITERAL_ALPHABET);
  readonly #dynamicDistances = new HuffmanTable(DISTANCE_ALPHABET);
  readonly #codeLengths = new HuffmanTable(CODE_LENGTH_ALPHABET);
  #literals = this.#dynamicLiterals;
  #distances = this.#dynamicDistances;
  readonly #lengths = new Uint8Array(320);
  #literalCount = 0;
  #totalCount = 0;
  #codeLengthCount = 0;
  /** Code lengths read so far. */
  #read = 0;
  /** Bytes of a stored block that are still to come; or the length of the match whose distance comes next. */
  #count = 0;
  /** The entry of the distance whose extra bits come next. */
  #distance = 0;

  /** Bytes of the stream used so far; after "end" those of the whole stream. */
  get position(): number {
    return this.#origin + this.#at;
  }

  /** Bytes that `take` would give. */
  get available(): number {
    return this.#length - this.#taken;
  }

  /** Starts a new stream; output that was not taken is forgotten. */
  reset(): void {
    this.fault = null;
    this.#length = 0;
    this.#taken = 0;
    this.#next = BLOCK_HEAD;
    this.#at = 0;
    this.#origin = 0;
    this.#hold = 0;
    this.#bits = 0;
  }

  /**
   * Goes on with `input[from]` until it must pause, and answers why; `position` tells how much it used.
   * "input": all is used. "output": call `take` and go on with the rest. After "end" and "fault" nothing more is used.
   */
  run(input: Uint8Array, from = 0): InflatePause {
    if (this.#length > BUFFER - SPARE && this.#taken === this.#length) this.#slide();
    this.#input = input;
    this.#origin += this.#at - from;
    this.#at = from;
    const pause = this.#run();
    this.#input = NO_INPUT;
    return pause;
  }

  /** What came out since it was last called, at most 64 KiB; the caller's own. */
  take(): Uint8Array<ArrayBuffer> {
    const piece = this.#output.slice(this.#taken, this.#length);
    this.#taken = this.#length;
    return piece;
  }

  /** As `take`, but in memory of the inflater: the bytes hold until it runs again. */
  lend(): Uint8Array<ArrayBuffer> {
    const piece = this.#output.subarray(this.#taken, this.#length);
    this.#taken = this.#length;
    return piece;
  }

  #slide(): void {
    this.#output.copyWithin(0, this.#length - WINDOW, this.#length);
    this.#length = WINDOW;
    this.#taken = WINDOW;
  }

  #run(): InflatePause {
    for (;;) {
      switch (this.#next) {
        case BLOCK_HEAD: {
          if (!this.#fill(3)) return "input";
          this.#isLastBlock = this.#drop(1) === 1;
          this.#beginBlock(this.#drop(2));
          break;
        }
        case STORED_LENGTH: {
          if (!this.#fill(16)) return "input";
          this.#count = this.#drop(16);
          this.#next = STORED_CHECK;
          break;
        }
        case STORED_CHECK: {
          if (!this.#fill(16)) return "input";
          if ((this.#drop(16) ^ this.#count) === 0xffff) this.#next = STORED;
          else this.#fail("stored block with a wrong length check");
          break;
        }
        case STORED: {
          const pause = this.#copyStored();
          if (pause !== null) return pause;
          this.#endBlock();
          break;
        }
        case CODES_HEAD: {
          if (!this.#fill(14)) return "input";
          const literals = this.#drop(5) + 257;
          const distances = this.#drop(5) + 1;
          this.#literalCount = literals;
          this.#totalCount = literals + distances;
          this.#codeLengthCount = this.#drop(4) + 4;
          this.#read = 0;
          this.#lengths.fill(0, 0, 19);
          this.#next = CODE_LENGTH_LENGTHS;
          if (literals > 286 || distances > 30) this.#fail("deflate block with too many codes");
          break;
        }
        case CODE_LENGTH_LENGTHS: {
          while (this.#read < this.#codeLengthCount) {
            if (!this.#fill(3)) return "input";
            this.#lengths[CODE_LENGTH_ORDER[this.#read++]!] = this.#drop(3);
          }
          this.#read = 0;
          this.#next = CODE_LENGTHS;
          if (!this.#codeLengths.build(this.#lengths, 0, 19)) this.#fail("deflate block with impossible code lengths");
          break;
        }
        case CODE_LENGTHS: {
          const pause = this.#readCodeLengths();
          if (pause !== null) return pause;
          break;
        }
        case SYMBOL: {
          if (this.#length > BUFFER - SPARE) return "output";
          if (this.#at <= this.#input.length - AHEAD) this.#runFast();
          else if (!this.#symbol()) return "input";
          break;
        }
        case DISTANCE: {
          const entry = this.#peek(this.#distances, false);
          if (entry === 0) return "input";
          this.#drop((entry >> 5) & 15);
          this.#distance = entry;
          this.#next = DISTANCE_EXTRA;
          if ((entry & SPECIAL) !== 0) this.#fail("deflate distance code that does not exist");
          break;
        }
        case DISTANCE_EXTRA: {
          const entry = this.#distance;
          const extra = (entry & 31) - ((entry >> 5) & 15);
          if (!this.#fill(extra)) return "input";
          this.#copy(((entry >>> VALUE_SHIFT) & VALUE_MASK) + this.#drop(extra));
          break;
        }
        case ENDED:
          return "end";
        default:
          return "fault";
      }
    }
  }

  #beginBlock(kind: number): void {
    if (kind === 0) {
      this.#hold = 0;
      this.#bits = 0;
      this.#next = STORED_LENGTH;
    } else if (kind === 1) {
      fixedTables ??= buildFixedTables();
      this.#literals = fixedTables.literals;
      this.#distances = fixedTables.distances;
      this.#next = SYMBOL;
    } else if (kind === 2) this.#next = CODES_HEAD;
    else this.#fail("deflate block of type 3");
  }

  #endBlock(): void {
    this.#next = this.#isLastBlock ? ENDED : BLOCK_HEAD;
  }

  #copyStored(): InflatePause | null {
    const at = this.#at;
    const count = Math.min(this.#count, this.#input.length - at, BUFFER - this.#length);
    this.#output.set(this.#input.subarray(at, at + count), this.#length);
    this.#length += count;
    this.#count -= count;
    this.#at = at + count;
    if (this.#count === 0) return null;
    return this.#length === BUFFER ? "output" : "input";
  }

  #readCodeLengths(): InflatePause | null {
    const lengths = this.#lengths;
    const input = this.#input;
    const { entries, indexBits } = this.#codeLengths;
    const mask = (1 << indexBits) - 1;
    const total = this.#totalCount;
    let read = this.#read;
    let at = this.#at;
    let hold = this.#hold;
    let bits = this.#bits;
    let wrong: string | null = null;
    while (read < total) {
      const entry = entries[hold & mask]!;
      const symbol = entry >>> VALUE_SHIFT;
      const length = entry & 31;
      // 16 repeats the last 3 + 2 bits, 17 zero 3 + 3 bits, 18 zero 11 + 7 bits times, RFC 1951 §3.2.7
      const extra = symbol < 16 ? 0 : symbol === 16 ? 2 : symbol === 17 ? 3 : 7;
      if (length + extra > bits) {
        if (at === input.length) break;
        hold |= input[at++]! << bits;
        bits += 8;
        continue;
      }
      const repeat = (hold >>> length) & ((1 << extra) - 1);
      hold >>>= length + extra;
      bits -= length + extra;
      if (symbol < 16) {
        lengths[read++] = symbol;
        continue;
      }
      const end = read + repeat + (symbol === 18 ? 11 : 3);
      if (end > total) wrong = "deflate block with too many code lengths";
      else if (symbol === 16 && read === 0) wrong = "deflate block repeats a code length before the first";
      if (wrong !== null) break;
      for (const value = symbol === 16 ? lengths[read - 1]! : 0; read < end; ) lengths[read++] = value;
    }
    this.#read = read;
    this.#at = at;
    this.#hold = hold;
    this.#bits = bits;
    if (wrong !== null) this.#fail(wrong);
    else if (read < total) return "input";
    else this.#buildCodes();
    return null;
  }

  #buildCodes(): void {
    const lengths = this.#lengths;
    const literals = this.#literalCount;
    this.#literals = this.#dynamicLiterals;
    this.#distances = this.#dynamicDistances;
    this.#next = SYMBOL;
    if (lengths[256] === 0) this.#fail("deflate block without an end code");
    else if (!this.#literals.build(lengths, 0, literals) || !this.#distances.build(lengths, literals, this.#totalCount))
      this.#fail("deflate block with impossible codes");
  }

  /** Reads one literal, length or end, byte by byte; false, and nothing read, when the input ends before its end. */
  #symbol(): boolean {
    const entry = this.#peek(this.#literals, true);
    if (entry === 0) return false;
    const extra = this.#drop(entry & 31) >>> ((entry >> 5) & 15);
    if (entry < 0) this.#output[this.#length++] = entry >>> VALUE_SHIFT;
    else if ((entry & SPECIAL) === 0) {
      this.#count = ((entry >>> VALUE_SHIFT) & VALUE_MASK) + extra;
      this.#next = DISTANCE;
    } else if ((entry & END) !== 0) this.#endBlock();
    else this.#fail("deflate length code that does not exist");
    return true;
  }

  #copy(distance: number): void {
    const output = this.#output;
    let length = this.#length;
    if (distance > length) {
      this.#fail("deflate distance before the first byte");
      return;
    }
    for (const end = length + this.#count; length < end; length++) output[length] = output[length - distance]!;
    this.#length = length;
    this.#next = SYMBOL;
  }

  /**
   * Symbols as long as there is input to look ahead and room. Everything is kept in locals, and two literals are taken
   * from one filling of the bits. What is wrong is left unread, for the slow way to meet it again.
   */
  #runFast(): void {
    const input = this.#input;
    const output = this.#output;
    const view = this.#outputView;
    const literals = this.#literals.entries;
    const distances = this.#distances.entries;
    const literalBits = this.#literals.indexBits;
    const distanceBits = this.#distances.indexBits;
    const literalMask = (1 << literalBits) - 1;
    const distanceMask = (1 << distanceBits) - 1;
    const lastAt = input.length - AHEAD;
    const lastLength = BUFFER - SPARE;
    let length = this.#length;
    let at = this.#at;
    let hold = this.#hold;
    let bits = this.#bits;
    let isWrong = false;
    while (at <= lastAt && length <= lastLength) {
      // Whole bytes up to 24 to 31 bits; those above are the same that the next filling sets again.
      hold |= (input[at]! | (input[at + 1]! << 8) | (input[at + 2]! << 16) | (input[at + 3]! << 24)) << bits;
      at += (31 - bits) >> 3;
      bits |= 24;
      let entry = literals[hold & literalMask]!;
      if (entry < 0) {
        hold >>>= entry & 31;
        bits -= entry & 31;
        output[length++] = entry >>> VALUE_SHIFT;
        entry = literals[hold & literalMask]!;
        if (entry < 0) {
          hold >>>= entry & 31;
          bits -= entry & 31;
          output[length++] = entry >>> VALUE_SHIFT;
          continue;
        }
        hold |= (input[at]! | (input[at + 1]! << 8) | (input[at + 2]! << 16) | (input[at + 3]! << 24)) << bits;
        at += (31 - bits) >> 3;
        bits |= 24;
      }
      if ((entry & SPECIAL) !== 0) {
        if ((entry & LINK) !== 0) {
          const index = (hold >>> literalBits) & ((1 << ((entry >> 5) & 15)) - 1);
          entry = literals[((entry >>> VALUE_SHIFT) & VALUE_MASK) + index]!;
        }
        if (entry < 0) {
          hold >>>= entry & 31;
          bits -= entry & 31;
          output[length++] = entry >>> VALUE_SHIFT;
          continue;
        }
        if ((entry & SPECIAL) !== 0) {
          if ((entry & END) !== 0) {
            hold >>>= entry & 31;
            bits -= entry & 31;
            this.#endBlock();
          } else isWrong = true;
          break;
        }
      }
      const total = entry & 31;
      const count = ((entry >>> VALUE_SHIFT) & VALUE_MASK) + ((hold & ((1 << total) - 1)) >>> ((entry >> 5) & 15));
      hold >>>= total;
      bits -= total;
      hold |= (input[at]! | (input[at + 1]! << 8) | (input[at + 2]! << 16) | (input[at + 3]! << 24)) << bits;
      at += (31 - bits) >> 3;
      bits |= 24;
      entry = distances[hold & distanceMask]!;
      if ((entry & SPECIAL) !== 0) {
        if ((entry & LINK) !== 0) {
          const index = (hold >>> distanceBits) & ((1 << ((entry >> 5) & 15)) - 1);
          entry = distances[((entry >>> VALUE_SHIFT) & VALUE_MASK) + index]!;
        }
        if ((entry & SPECIAL) !== 0) {
          this.#count = count;
          this.#next = DISTANCE;
          break;
        }
      }
      const code = (entry >> 5) & 15;
      const extra = (entry & 31) - code;
      hold >>>= code;
      bits -= code;
      if (bits < extra) {
        hold |= (input[at]! | (input[at + 1]! << 8) | (input[at + 2]! << 16) | (input[at + 3]! << 24)) << bits;
        at += (31 - bits) >> 3;
        bits |= 24;
      }
      const distance = ((entry >>> VALUE_SHIFT) & VALUE_MASK) + (hold & ((1 << extra) - 1));
      if (distance > length) {
        this.#count = count;
        this.#distance = entry;
        this.#next = DISTANCE_EXTRA;
        break;
      }
      hold >>>= extra;
      bits -= extra;
      const end = length + count;
      if (count >= LONG_MATCH && (distance === 1 || distance >= count)) {
        if (distance === 1) output.fill(output[length - 1]!, length, end);
        else output.copyWithin(length, length - distance, end - distance);
        length = end;
      } else if (distance >= 4) {
        // Up to three bytes too many are written, and overwritten by what comes next.
        for (let i = length; i < end; i += 4) view.setUint32(i, view.getUint32(i - distance));
        length = end;
      } else for (; length < end; length++) output[length] = output[length - distance]!;
    }
    // Whole bytes are given back. They all are of this input, as one symbol needs more bits than were held before.
    at -= bits >> 3;
    bits &= 7;
    this.#length = length;
    this.#at = at;
    this.#hold = hold & ((1 << bits) - 1);
    this.#bits = bits;
    if (isWrong) this.#symbol();
  }

  /**
   * The entry of the next code, which is there in full, with its extra bits if `whole`; 0 when the input ends before.
   * No entry is 0, as each takes a bit at least.
   */
  #peek(table: HuffmanTable, whole: boolean): number {
    const { entries, indexBits } = table;
    const mask = (1 << indexBits) - 1;
    do {
      let entry = entries[this.#hold & mask]!;
      if ((entry & LINK) !== 0) {
        if (this.#bits < indexBits) continue;
        const index = (this.#hold >>> indexBits) & ((1 << ((entry >> 5) & 15)) - 1);
        entry = entries[((entry >>> VALUE_SHIFT) & VALUE_MASK) + index]!;
      }
      if ((whole ? entry & 31 : (entry >> 5) & 15) <= this.#bits) return entry;
    } while (this.#fill(this.#bits + 1));
    return 0;
  }

  /** Takes input until `count` bits are held, 24 at most; false when it ends before. */
  #fill(count: number): boolean {
    while (this.#bits < count) {
      if (this.#at >= this.#input.length) return false;
      this.#hold |= this.#input[this.#at++]! << this.#bits;
      this.#bits += 8;
    }
    return true;
  }

  /** Takes bits that are held. */
  #drop(count: number): number {
    const value = this.#hold & ((1 << count) - 1);
    this.#hold >>>= count;
    this.#bits -= count;
    return value;
  }

  /** The last bit read is what shows it; fewer than 8 bits are held, so that it is in the last byte used. */
  #fail(message: string): void {
    this.#next = BROKEN;
    this.fault = { offset: this.position - 1, message };
  }
}

interface FixedTables {
  readonly literals: HuffmanTable;
  readonly distances: HuffmanTable;
}

/** Built when the first block needs them, never changed. */
let fixedTables: FixedTables | null = null;

// RFC 1951 §3.2.6
function buildFixedTables(): FixedTables {
  const lengths = new Uint8Array(320)
    .fill(8, 0, 144)
    .fill(9, 144, 256)
    .fill(7, 256, 280)
    .fill(8, 280, 288)
    .fill(5, 288);
  const literals = new HuffmanTable(LITERAL_ALPHABET);
  const distances = new HuffmanTable(DISTANCE_ALPHABET);
  literals.build(lengths, 0, 288);
  distances.build(lengths, 288, 320);
  return { literals, distances };
}
