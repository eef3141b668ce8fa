/** 64-bit words as pairs of 32 bits, the low one first. */
export type Longs = Uint32Array;

/** Packs `count` numbers of `bits` bits each into words; no number spans two words. */
export function longsFor(count: number, bits: number): number {
  return bits === 0 ? 0 : Math.ceil(count / Math.floor(64 / bits));
}

/** Big-endian words, as packets have them. */
export function longsOf(bytes: Uint8Array): Longs {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const longs = new Uint32Array(bytes.byteLength >> 2);
  for (let i = 0; i < longs.length; i += 2) {
    longs[i] = view.getUint32(4 * i + 4);
    longs[i + 1] = view.getUint32(4 * i);
  }
  return longs;
}

/** The inverse of `longsOf`. */
export function bytesOf(longs: Longs): Uint8Array {
  const bytes = new Uint8Array(4 * longs.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < longs.length; i += 2) {
    view.setUint32(4 * i + 4, longs[i]!);
    view.setUint32(4 * i, longs[i + 1]!);
  }
  return bytes;
}

/**
 * Unpacks numbers of `bits` bits each (1 to 16), from the lowest bit on. `spans`: without gaps, as before 1.16;
 * otherwise no number spans two words. The caller checks that there are enough words.
 */
export function unpack(longs: Longs, bits: number, count: number, spans = false): Uint16Array {
  const values = new Uint16Array(count);
  const mask = (1 << bits) - 1;
  const each = Math.floor(64 / bits);
  for (let i = 0, at = 0, inLong = 0; i < count; i++) {
    const [word, shift] = [at >>> 5, at & 31];
    let value = longs[word]! >>> shift;
    if (shift + bits > 32) value |= longs[word + 1]! << (32 - shift);
    values[i] = value & mask;
    at += bits;
    if (!spans && ++inLong === each) {
      inLong = 0;
      at = (at + 63) & ~63;
    }
  }
  return values;
}

/** The inverse of `unpack`, where no number spans two words. */
export function pack(values: ArrayLike<number>, bits: number): Longs {
  const longs = new Uint32Array(2 * longsFor(values.length, bits));
  const each = Math.floor(64 / bits);
  for (let i = 0, at = 0, inLong = 0; i < values.length; i++) {
    const [word, shift, value] = [at >>> 5, at & 31, values[i]!];
    longs[word]! |= value << shift;
    if (shift + bits > 32) longs[word + 1]! |= value >>> (32 - shift);
    at += bits;
    if (++inLong === each) {
      inLong = 0;
      at = (at + 63) & ~63;
    }
  }
  return longs;
}
