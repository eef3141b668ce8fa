/** Bytes that may wait for a peer that does not take them; of a single line, whatever it has. */
const MOST_WAITING = 256 << 10;

/** The way to a peer: a connection, or standard output. */
export interface Way {
  /** Bytes that were written and that the system has not taken yet. */
  waiting(): number;
  /** `done` is called when the system has taken the line, or never will. */
  write(line: string, done: () => void): void;
}

/**
 * Lines for a peer that may be slow, or may not read at all. What finds no room is dropped and counted, and the peer
 * gets the count as soon as there is room again: `{"dropped":17}`.
 */
export class BoundedLines {
  readonly #way: Way;
  readonly #noteOf: (dropped: number) => string;
  #dropped = 0;

  constructor(way: Way, noteOf: (dropped: number) => string = (dropped) => JSON.stringify({ dropped })) {
    this.#way = way;
    this.#noteOf = noteOf;
  }

  /** False: there was no room, and the line is dropped. */
  tell(line: string): boolean {
    if (this.#way.waiting() >= MOST_WAITING) {
      this.#dropped++;
      return false;
    }
    this.#note();
    this.#way.write(line, this.#taken);
    return true;
  }

  readonly #taken = (): void => {
    if (this.#way.waiting() < MOST_WAITING) this.#note();
  };

  #note(): void {
    if (this.#dropped === 0) return;
    const note = this.#noteOf(this.#dropped);
    this.#dropped = 0;
    this.#way.write(note, this.#taken);
  }
}
