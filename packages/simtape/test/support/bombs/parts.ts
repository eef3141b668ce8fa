import { ByteBuilder, loadZstd, type Zstd } from "../../../src/kit.ts";

/** A small file that asks for far more than it is: memory, objects or time. */
export interface Bomb {
  readonly name: string;
  /** The name of its main file. */
  readonly file: string;
  /** `size` scales it: 1 is as large as the long run has it. */
  readonly make: (size: number) => Uint8Array;
}

export const zstd: Zstd = await loadZstd();
export const MiB: number = 1 << 20;

export function built(write: (out: ByteBuilder) => void): Uint8Array {
  const out = new ByteBuilder();
  write(out);
  return out.take();
}

export function times(count: number): number {
  return Math.max(1, Math.round(count));
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

export function zeros(length: number): Uint8Array {
  return new Uint8Array(length);
}

export function varint(out: ByteBuilder, value: number): ByteBuilder {
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) out.u8((rest & 0x7f) | 0x80);
  return out.u8(rest);
}
