import { SinkSource } from "./sink-source.ts";
import { type ByteSink, isReadable, type ReadableSink, type SinkBundle } from "./sink.ts";
import type { SourceBundle } from "./source.ts";

/**
 * Files on their way to `to` that do not take their names when they are closed but when `release()` says so: what was
 * written can be read back before, and thrown away.
 */
export class HeldFiles implements SinkBundle {
  readonly name: string | null;
  readonly #to: SinkBundle;
  /** By name; the main one by null. */
  readonly #held = new Map<string | null, HeldSink>();
  /** In the order in which they were closed. */
  readonly #finished: ByteSink[] = [];

  constructor(to: SinkBundle) {
    this.name = to.name;
    this.#to = to;
  }

  /** Throws `RangeError` when what is written there cannot be read back. */
  async open(name?: string): Promise<ByteSink> {
    const sink = await this.#to.open(name);
    if (!isReadable(sink)) throw new RangeError(`cannot be read back before it is finished: ${sink.name}`);
    const held = new HeldSink(sink, () => this.#finished.push(sink));
    this.#held.set(name === undefined || name === this.name ? null : name, held);
    return held;
  }

  /** What was written and finished, as long as it is held. */
  get written(): SourceBundle {
    return {
      name: this.name,
      open: async (name) => {
        const held = this.#held.get(name === undefined || name === this.name ? null : name);
        return held?.isFinished === true ? new SinkSource(held.sink) : null;
      },
    };
  }

  /** All files take their names, in the order in which they were closed. */
  async release(): Promise<void> {
    for (const sink of this.#finished) await sink.close();
  }

  /** Nothing is left of any. */
  async abort(): Promise<void> {
    for (const { sink } of this.#held.values()) await sink.abort();
    this.#held.clear();
  }
}

class HeldSink implements ByteSink {
  readonly sink: ReadableSink;
  /** It was closed, and not thrown away. */
  isFinished = false;

  readonly #finished: () => void;

  constructor(sink: ReadableSink, finished: () => void) {
    this.sink = sink;
    this.#finished = finished;
  }

  get name(): string {
    return this.sink.name;
  }

  get position(): number {
    return this.sink.position;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.sink.write(bytes);
  }

  writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    return this.sink.writeAt(offset, bytes);
  }

  flush(): Promise<void> {
    return this.sink.flush();
  }

  async close(): Promise<void> {
    if (this.isFinished) return;
    await this.sink.flush();
    this.isFinished = true;
    this.#finished();
  }

  async abort(): Promise<void> {
    if (!this.isFinished) await this.sink.abort();
  }
}
