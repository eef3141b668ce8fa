import type { ByteSink, ReadableSink } from "../sink/sink.ts";
import { StoreError } from "./store.ts";

/** What a store does with the bytes of a sink. Never called twice at once. */
export interface SinkWork {
  /** At the end, or over what is there. */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  flush(): Promise<void>;
  /** The object appears. When this fails `discard` follows. */
  finish(): Promise<void>;
  /** Nothing of it is left. */
  discard(): Promise<void>;
}

/**
 * A sink out of its work: calls go one after the other, and after a failed one the rest fails likewise, so that no
 * object has a hole. `close()` that fails leaves nothing, and fails again when it is called again.
 */
export function storeSink(name: string, work: SinkWork, signal?: AbortSignal): ByteSink {
  return new StoreSink(name, work, signal);
}

/** As `storeSink`, of work that can give back what it was given. */
export function readableStoreSink(
  name: string,
  work: SinkWork & { read(offset: number, length: number): Promise<Uint8Array> },
  signal?: AbortSignal,
): ReadableSink {
  const sink = new StoreSink(name, work, signal);
  const read = (offset: number, length: number): Promise<Uint8Array> =>
    sink.behind(() => work.read(offset, Math.max(0, Math.min(length, sink.position - offset))));
  return Object.assign(sink, { read });
}

class StoreSink implements ByteSink {
  readonly name: string;
  readonly #work: SinkWork;
  readonly #signal: AbortSignal | undefined;
  #position = 0;
  #tail: Promise<void> = Promise.resolve();
  #ending: Promise<void> | null = null;

  constructor(name: string, work: SinkWork, signal: AbortSignal | undefined) {
    this.name = name;
    this.#work = work;
    this.#signal = signal;
  }

  get position(): number {
    return this.#position;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#refuse();
    const at = this.#position;
    this.#position += bytes.length;
    return this.#queue(() => this.#work.write(at, bytes));
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#refuse();
    if (offset < 0 || offset + bytes.length > this.#position)
      throw new RangeError(`${bytes.length} bytes at ${offset}, ${this.#position} are written: ${this.name}`);
    return this.#queue(() => this.#work.write(offset, bytes));
  }

  async flush(): Promise<void> {
    this.#refuse();
    return this.#queue(() => this.#work.flush());
  }

  close(): Promise<void> {
    this.#ending ??= this.#queue(() => this.#work.finish()).catch(async (error: unknown) => {
      await this.#work.discard().catch(() => undefined);
      throw error;
    });
    return this.#ending;
  }

  async abort(): Promise<void> {
    if (this.#ending !== null) return this.#ending.catch(() => undefined);
    this.#ending = this.#tail.catch(() => undefined).then(() => this.#work.discard());
    return this.#ending;
  }

  /** When all that was asked for before is done. */
  async behind<T>(work: () => Promise<T>): Promise<T> {
    this.#refuse();
    await this.#tail;
    return work();
  }

  #queue(work: () => Promise<void>): Promise<void> {
    this.#tail = this.#tail.then(() => {
      this.#signal?.throwIfAborted();
      return work();
    });
    this.#tail.catch(() => undefined);
    return this.#tail;
  }

  #refuse(): void {
    if (this.#ending !== null) throw new StoreError("malformed", `the object is closed: ${this.name}`, null);
  }
}
