import { ByteBuilder } from "../../../bytes/builder.ts";
import { WriteBehind } from "../../../io/sink/behind.ts";
import type { ByteSink } from "../../../io/sink/sink.ts";

/** Bytes handed to the sink at once. */
const PIECE = 1 << 20;
const ROOM = PIECE + (PIECE >> 3);
/** Bytes that may be on their way before the caller is asked to wait. */
const BEHIND = 4 << 20;

/** Bytes on their way into a file: built at once, handed on in pieces, behind the caller's back. */
export class Output {
  /** Where bytes are put; call `drain()` now and then. Another object after each piece. */
  builder: ByteBuilder = new ByteBuilder(ROOM);
  readonly #behind: WriteBehind;

  constructor(sink: ByteSink) {
    this.#behind = new WriteBehind(sink, BEHIND);
  }

  /** Null while there is room; rejects with the sink's error. */
  get ready(): Promise<void> | null {
    return this.#behind.ready;
  }

  drain(): void {
    if (this.builder.length >= PIECE) this.#send();
  }

  flush(): Promise<void> {
    this.#send();
    return this.#behind.flush();
  }

  /** Idempotent; when it fails, `abort()` still takes everything away. */
  close(): Promise<void> {
    this.#send();
    return this.#behind.close();
  }

  /** Idempotent; without effect after `close()`. */
  abort(): Promise<void> {
    return this.#behind.abort();
  }

  #send(): void {
    if (this.builder.length === 0) return;
    const bytes = this.builder.take();
    this.builder = new ByteBuilder(ROOM);
    this.#behind.write(bytes);
  }
}
