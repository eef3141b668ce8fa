import { SinkSource } from "./sink-source.ts";
import { type ByteSink, isReadable, type ReadableSink, type SinkBundle } from "./sink.ts";
import type { SourceBundle } from "../source/source.ts";

/** What `work` writes takes its names when `work` resolves; when it rejects, nothing is left of it. */
export async function held<T>(to: SinkBundle, work: (files: HeldFiles) => Promise<T>): Promise<T> {
  const files = new HeldFiles(to);
  try {
    const made = await work(files);
    await files.release();
    return made;
  } catch (error) {
    await files.abort();
    throw error;
  }
}

/**
 * Files on their way to `to` that do not take their names when they are closed but when `release()` says so: what was
 * written can be read back before, and thrown away.
 */
export class HeldFiles implements SinkBundle {
  readonly name: string | null;
  readonly #to: SinkBundle;
  readonly #there: SourceBundle | null;
  /** Names of files that cannot be held. */
  readonly #loose = new Set<string | null>();
  /** By name; the main one by null. */
  readonly #held = new Map<string | null, HeldSink>();
  /** All but the main one, in the order in which they were closed. */
  readonly #finished: ByteSink[] = [];
  #main: ByteSink | null = null;

  /**
   * `there`: where files are found that cannot be read before they are finished, as objects of a store; they take their
   * names when they are closed. Absent: such files are refused.
   */
  constructor(to: SinkBundle, there: SourceBundle | null = null) {
    this.name = to.name;
    this.#to = to;
    this.#there = there;
  }

  /** Throws `RangeError` when what is written there cannot be read back, now or later. */
  async open(name?: string): Promise<ByteSink> {
    const sink = await this.#to.open(name);
    const key = this.#key(name);
    if (!isReadable(sink)) {
      if (this.#there !== null) {
        this.#loose.add(key);
        return sink;
      }
      await sink.abort();
      throw new RangeError(`cannot be read back before it is finished: ${sink.name}`);
    }
    const held = new HeldSink(sink, () => {
      if (key === null) this.#main = sink;
      else this.#finished.push(sink);
    });
    this.#held.set(key, held);
    return held;
  }

  /** What was written and finished, as long as it is held. */
  get written(): SourceBundle {
    return {
      name: this.name,
      open: async (name) => {
        const key = this.#key(name);
        if (this.#loose.has(key)) return this.#there!.open(name);
        const held = this.#held.get(key);
        return held?.isFinished === true ? new SinkSource(held.sink) : null;
      },
    };
  }

  /** All files take their names, the main one last: who finds it finds the others. */
  async release(): Promise<void> {
    for (const sink of this.#finished) await sink.close();
    await this.#main?.close();
  }

  /** Nothing is left of any that was held. */
  async abort(): Promise<void> {
    for (const { sink } of this.#held.values()) await sink.abort();
    this.#held.clear();
  }

  #key(name: string | undefined): string | null {
    return name === undefined || name === this.name ? null : name;
  }
}

class HeldSink implements ReadableSink {
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

  read(offset: number, length: number): Promise<Uint8Array> {
    return this.sink.read(offset, length);
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
