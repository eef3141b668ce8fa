import { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteSink } from "../../../io/sink.ts";

/** Bytes handed to the sink at once. */
const PIECE = 1 << 20;
const ROOM = PIECE + (PIECE >> 3);
/** Bytes that may be on their way before the caller is asked to wait. */
const BEHIND = 4 << 20;

/** Bytes on their way into a file: built at once, handed on in pieces, behind the caller's back. */
export class Output {
  /** Where bytes are put; call `drain()` now and then. Another object after each piece. */
  builder: ByteBuilder = new ByteBuilder(ROOM);
  readonly #sink: ByteSink;
  #behind = 0;
  #failure: { readonly error: unknown } | null = null;
  /** Settles when everything handed over is written or has failed; never rejects. */
  #written: Promise<void> = Promise.resolve();
  #ready: Promise<void> | null = null;
  #isEnded = false;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Null while there is room; rejects with the sink's error. */
  get ready(): Promise<void> | null {
    return this.#ready;
  }

  drain(): void {
    if (this.builder.length >= PIECE) this.#send();
  }

  async flush(): Promise<void> {
    await this.#all();
    await this.#sink.flush();
  }

  async close(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    try {
      await this.#all();
    } catch (error) {
      await this.#sink.abort();
      throw error;
    }
    await this.#sink.close();
  }

  async abort(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#written;
    await this.#sink.abort();
  }

  async #all(): Promise<void> {
    this.#send();
    await this.#written;
    if (this.#failure !== null) throw this.#failure.error;
  }

  #send(): void {
    if (this.builder.length === 0 || this.#failure !== null) return;
    const bytes = this.builder.take();
    this.builder = new ByteBuilder(ROOM);
    this.#behind += bytes.length;
    const written = this.#sink.write(bytes).then(
      () => {
        this.#behind -= bytes.length;
      },
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#written = Promise.all([this.#written, written]).then(() => undefined);
    if (this.#behind < BEHIND || this.#ready !== null) return;
    this.#ready = this.#written.then(() => {
      // A failure stays: every later wait fails, too.
      if (this.#failure !== null) throw this.#failure.error;
      this.#ready = null;
    });
    this.#ready.catch(() => undefined);
  }
}
