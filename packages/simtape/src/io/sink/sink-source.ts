import type { ReadableSink } from "./sink.ts";
import { type ByteSource, SourceError } from "../source/source.ts";

/** What was written to a sink so far, as a source. Closing it leaves the sink open. */
export class SinkSource implements ByteSource {
  readonly name: string;
  readonly #sink: ReadableSink;
  #isClosed = false;

  constructor(sink: ReadableSink) {
    this.name = sink.name;
    this.#sink = sink;
  }

  async size(): Promise<number> {
    this.#check();
    return this.#sink.position;
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#check();
    signal?.throwIfAborted();
    return this.#sink.read(offset, length);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #check(): void {
    if (this.#isClosed) throw new SourceError("closed", `source is closed: ${this.name}`);
  }
}
