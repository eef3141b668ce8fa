import { ByteBuilder } from "../../../bytes/builder.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import { WriteBehind } from "../../../io/sink/behind.ts";
import type { ByteSink } from "../../../io/sink/sink.ts";

/** Bytes gathered before they go to the sink, and room for the message that is the last of them. */
const PIECE = 1 << 20;
const ROOM = PIECE + (PIECE >> 3);

/** One file being written: bytes are put into `out`, `spill()` hands them on when they are many. */
export class Outlet {
  /** Where bytes are put; another one after `spill()` and `hand()`. */
  out: ByteBuilder = new ByteBuilder(ROOM);
  /** CRC-32 of the bytes handed on since it was set to 0; only when asked for. */
  crc = 0;
  readonly #hasCrc: boolean;
  readonly #behind: WriteBehind;

  /** Takes over the sink. */
  constructor(sink: ByteSink, hasCrc: boolean) {
    this.#behind = new WriteBehind(sink);
    this.#hasCrc = hasCrc;
  }

  /** Place of the next byte in the file. */
  get position(): number {
    return this.#behind.position + this.out.length;
  }

  get ready(): Promise<void> | null {
    return this.#behind.ready;
  }

  spill(): void {
    if (this.out.length >= PIECE) this.hand();
  }

  /** Hands everything on. */
  hand(): void {
    if (this.out.length === 0) return;
    const bytes = this.out.take();
    this.out = new ByteBuilder(ROOM);
    if (this.#hasCrc) this.crc = crc32(bytes, this.crc);
    this.#behind.write(bytes);
  }

  /** Overwrites bytes that were handed on before. */
  patch(offset: number, bytes: Uint8Array): void {
    this.#behind.writeAt(offset, bytes);
  }

  flush(): Promise<void> {
    this.hand();
    return this.#behind.flush();
  }

  close(): Promise<void> {
    this.hand();
    return this.#behind.close();
  }

  abort(): Promise<void> {
    return this.#behind.abort();
  }
}
