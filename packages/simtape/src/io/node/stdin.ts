import type { Readable } from "node:stream";
import { ForwardSource, type Producer } from "../source/forward.ts";
import { type ByteSource, SourceError } from "../source/source.ts";
import type { SpoolFactory } from "../source/spool.ts";
import { fileSpool } from "./spool.ts";

/** What to read instead of standard input, and where to keep it. */
export interface StdinOptions {
  readonly input?: Readable;
  /** Default: a temporary file. */
  readonly spool?: SpoolFactory;
}

/**
 * Standard input as a source of ranges: what has come is kept in a temporary file. Reads wait until their bytes have
 * come, `size()` waits for the end. Closing it destroys the input.
 */
export function stdin(options: StdinOptions = {}): ByteSource {
  return new ForwardSource("standard input", new Input(options.input ?? process.stdin), options.spool ?? fileSpool());
}

class Input implements Producer {
  readonly #input: Readable;
  #chunks: AsyncIterator<Uint8Array | string> | null = null;
  #failed: SourceError | null = null;

  constructor(input: Readable) {
    this.#input = input;
  }

  async next(): Promise<readonly Uint8Array[] | null> {
    if (this.#failed !== null) throw this.#failed;
    try {
      this.#chunks ??= this.#input[Symbol.asyncIterator]() as AsyncIterator<Uint8Array | string>;
      const { value, done } = await this.#chunks.next();
      if (done === true) return null;
      return [typeof value === "string" ? Buffer.from(value) : value];
    } catch (cause) {
      // An iterator that has thrown says it has ended: the next call must not take that for the end of the input.
      this.#failed = new SourceError("failed", "standard input broke off", { cause });
      throw this.#failed;
    }
  }

  async close(): Promise<void> {
    this.#failed ??= new SourceError("closed", "source is closed: standard input");
    this.#input.destroy();
  }
}
