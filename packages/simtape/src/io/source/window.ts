import { Gate, NO_BYTES } from "./gate.ts";
import type { ByteSource } from "./source.ts";

/**
 * Bytes `[offset, offset + length)` of `source` as a source of their own; shorter when `source` ends before.
 * Closing it leaves `source` open. Throws `RangeError` when offset or length is not a non-negative safe integer.
 */
export function slice(source: ByteSource, offset: number, length: number, name: string = source.name): ByteSource {
  if (!Number.isSafeInteger(offset) || offset < 0) throw new RangeError(`slice at offset ${offset}: ${name}`);
  if (!Number.isSafeInteger(length) || length < 0) throw new RangeError(`slice of ${length} bytes: ${name}`);
  return new SliceSource(source, offset, length, name);
}

class SliceSource implements ByteSource {
  readonly name: string;
  readonly #gate: Gate;
  readonly #source: ByteSource;
  readonly #offset: number;
  readonly #length: number;

  constructor(source: ByteSource, offset: number, length: number, name: string) {
    this.name = name;
    this.#gate = new Gate(name);
    this.#source = source;
    this.#offset = offset;
    this.#length = length;
  }

  async size(): Promise<number | null> {
    this.#gate.refuse();
    const whole = await this.#source.size();
    return whole === null ? null : Math.min(this.#length, Math.max(0, whole - this.#offset));
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#gate.enter(offset, length, signal);
    const count = Math.min(length, this.#length - offset);
    if (count <= 0) return NO_BYTES;
    return this.#gate.run(signal, (inner) => this.#source.read(this.#offset + offset, count, inner));
  }

  async close(): Promise<void> {
    this.#gate.close();
  }
}
