import type { Lost } from "../../../model/writer.ts";

/** Bits of the fraction of an f64 that an f32 has not. */
const DROPPED = 29n;
const FRACTION = (1n << 52n) - 1n;

/** Counts numbers that a narrower one does not hold, with the greatest error, by path. */
export class Narrowing {
  readonly #of = new Map<string, { count: number; error: number }>();

  get isExact(): boolean {
    return this.#of.size === 0;
  }

  rounded(path: string, error: number): void {
    const found = this.#of.get(path);
    if (found === undefined) this.#of.set(path, { count: 1, error });
    else {
      found.count++;
      found.error = Math.max(found.error, error);
    }
  }

  lost(): Lost[] {
    return Array.from(this.#of, ([path, { count, error }]) => ({
      path,
      count,
      reason: `numbers of 64 bits were rounded to 32, by ${Number(error.toPrecision(3))} at most`,
    }));
  }
}

/** Numbers of 32 bits as such of 64: exact, also what is no number. */
export function widened(bytes: Uint8Array): Uint8Array {
  const count = bytes.length / 4;
  const [view, out] = [viewOf(bytes), viewOf(new Uint8Array(count * 8))];
  for (let i = 0; i < count; i++) {
    const value = view.getFloat32(4 * i, true);
    if (!Number.isNaN(value)) out.setFloat64(8 * i, value, true);
    else {
      // what stands in it stays
      const bits = BigInt(view.getUint32(4 * i, true));
      const wide = ((bits >> 31n) << 63n) | (0x7ffn << 52n) | ((bits & 0x7fffffn) << DROPPED);
      out.setBigUint64(8 * i, wide, true);
    }
  }
  return bytesOf(out);
}

/** Numbers of 64 bits as such of 32; those that change are counted. */
export function narrowed(bytes: Uint8Array, path: string, narrowing: Narrowing): Uint8Array {
  const count = bytes.length / 8;
  const [view, out] = [viewOf(bytes), viewOf(new Uint8Array(count * 4))];
  for (let i = 0; i < count; i++) {
    const value = view.getFloat64(8 * i, true);
    if (!Number.isNaN(value)) {
      out.setFloat32(4 * i, value, true);
      const rounded = Math.fround(value);
      if (rounded !== value) narrowing.rounded(path, Math.abs(rounded - value));
    } else {
      const bits = view.getBigUint64(8 * i, true);
      const fraction = Number((bits & FRACTION) >> DROPPED);
      const sign = Number(bits >> 63n) * 0x8000_0000;
      out.setUint32(4 * i, sign + 0x7f80_0000 + (fraction === 0 ? 0x40_0000 : fraction), true);
    }
  }
  return bytesOf(out);
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function bytesOf({ buffer, byteOffset, byteLength }: DataView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
