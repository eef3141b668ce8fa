import type { ByteSink } from "../io/sink/sink.ts";

/** Characters that are gathered before they are written. */
const PIECE = 1 << 18;

/** Text written to a file in pieces. A caller adds lines, and waits for `drain` where some have gathered. */
export class TextOutput {
  readonly #sink: ByteSink;
  readonly #encoder = new TextEncoder();
  #lines: string[] = [];
  #length = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** With its line end. */
  line(text: string): void {
    this.#lines.push(text);
    this.#length += text.length + 1;
  }

  /** Whether so much has gathered that it is to be written. */
  get isFull(): boolean {
    return this.#length >= PIECE;
  }

  /** Writes what has gathered. */
  async drain(): Promise<void> {
    if (this.#lines.length === 0) return;
    const text = `${this.#lines.join("\n")}\n`;
    this.#lines = [];
    this.#length = 0;
    await this.#sink.write(this.#encoder.encode(text));
  }
}
