import type { ByteSource } from "./source.ts";

/** A source that counts what is asked of it. */
export interface CountedSource extends ByteSource {
  /** Calls of `read`, failed ones included. */
  readonly reads: number;
  /** Bytes that were given back. */
  readonly bytes: number;
  /** Both counts start again at 0. */
  reset(): void;
}

/** Counts the reads of `source` and the bytes they gave; closing it closes `source`. */
export function counted(source: ByteSource): CountedSource {
  return new Counted(source);
}

class Counted implements CountedSource {
  readonly #source: ByteSource;
  #reads = 0;
  #bytes = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get name(): string {
    return this.#source.name;
  }

  get reads(): number {
    return this.#reads;
  }

  get bytes(): number {
    return this.#bytes;
  }

  reset(): void {
    this.#reads = 0;
    this.#bytes = 0;
  }

  size(): Promise<number | null> {
    return this.#source.size();
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#reads++;
    const bytes = await this.#source.read(offset, length, signal);
    this.#bytes += bytes.length;
    return bytes;
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}
