import { type ByteSink, isReadable, type SinkBundle } from "./sink.ts";
import { SinkSource } from "./sink-source.ts";
import type { ByteSource, SourceBundle } from "./source.ts";

/**
 * Files that are written and read again before any of them takes its name: `release` gives them their names, `drop`
 * leaves nothing. Throws `RangeError` on opening a sink that cannot be read back.
 */
export class HeldFiles implements SinkBundle {
  readonly name: string | null;
  readonly #to: SinkBundle;
  readonly #sinks = new Map<string | undefined, ByteSink>();

  constructor(to: SinkBundle) {
    this.#to = to;
    this.name = to.name;
  }

  async open(name?: string): Promise<ByteSink> {
    const sink = await this.#to.open(name);
    if (!isReadable(sink)) throw new RangeError(`what is written cannot be read back: ${sink.name}`);
    this.#sinks.set(name, sink);
    return {
      name: sink.name,
      get position(): number {
        return sink.position;
      },
      write: (bytes) => sink.write(bytes),
      writeAt: (offset, bytes) => sink.writeAt(offset, bytes),
      flush: () => sink.flush(),
      close: () => sink.flush(),
      abort: () => sink.abort(),
    };
  }

  /** Everything written so far. */
  get written(): SourceBundle {
    return {
      name: this.name,
      open: async (name): Promise<ByteSource | null> => {
        const sink = this.#sinks.get(name) ?? (name === this.name ? this.#sinks.get(undefined) : undefined);
        return sink === undefined || !isReadable(sink) ? null : new SinkSource(sink);
      },
    };
  }

  async release(): Promise<void> {
    for (const sink of this.#sinks.values()) await sink.close();
  }

  async drop(): Promise<void> {
    for (const sink of this.#sinks.values()) await sink.abort();
  }
}
