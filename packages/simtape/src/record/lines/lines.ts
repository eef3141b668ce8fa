/** Bytes of a line at most, its end not counted. */
export const LONGEST_LINE: number = 1 << 20;

const LINE_FEED = 0x0a;

/** What stands in for a line that is longer than allowed: it is skipped, not kept. */
export const TOO_LONG: unique symbol = Symbol("a line of more than 1 MiB");

/** Cuts bytes into lines as they come; keeps no more than one line. */
export class LineSplitter {
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** The beginning of a line whose end has not come yet. */
  #carried: Uint8Array = new Uint8Array(0);
  #carriedLength = 0;

  /** More bytes; all lines of those before must have been taken. They are not kept, but for an unfinished line. */
  push(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#at = 0;
  }

  /** The next line, valid until the next call; null: its end has not come yet. */
  next(): Uint8Array | typeof TOO_LONG | null {
    const end = this.#bytes.indexOf(LINE_FEED, this.#at);
    if (end < 0) {
      this.#carry(this.#bytes.subarray(this.#at));
      this.#at = this.#bytes.length;
      return null;
    }
    const piece = this.#bytes.subarray(this.#at, end);
    this.#at = end + 1;
    return this.#carriedLength === 0 ? checked(piece) : this.#joined(piece);
  }

  /** What came behind the last end of a line; null: nothing. */
  rest(): Uint8Array | typeof TOO_LONG | null {
    return this.#carriedLength === 0 ? null : this.#joined(new Uint8Array(0));
  }

  #joined(piece: Uint8Array): Uint8Array | typeof TOO_LONG {
    this.#carry(piece);
    const length = this.#carriedLength;
    this.#carriedLength = 0;
    return length > LONGEST_LINE ? TOO_LONG : this.#carried.subarray(0, length);
  }

  #carry(piece: Uint8Array): void {
    const length = this.#carriedLength + piece.length;
    if (length <= LONGEST_LINE) {
      if (length > this.#carried.length) {
        const grown = new Uint8Array(Math.min(LONGEST_LINE, Math.max(4096, length * 2)));
        grown.set(this.#carried.subarray(0, this.#carriedLength));
        this.#carried = grown;
      }
      this.#carried.set(piece, this.#carriedLength);
    }
    this.#carriedLength = length;
  }
}

function checked(line: Uint8Array): Uint8Array | typeof TOO_LONG {
  return line.length > LONGEST_LINE ? TOO_LONG : line;
}
