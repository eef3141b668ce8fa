/** Cube roots of the first 64 primes, 32 bits of their fractions; the square roots of the first eight begin the hash. */
const ROUND = new Uint32Array(64);
const START = new Uint32Array(8);
for (let n = 2, count = 0; count < 64; n++) {
  let isPrime = true;
  for (let by = 2; by * by <= n && isPrime; by++) isPrime = n % by !== 0;
  if (!isPrime) continue;
  ROUND[count] = fraction(Math.cbrt(n));
  if (count < 8) START[count] = fraction(Math.sqrt(n));
  count++;
}

function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32);
}

/** SHA-256 of bytes that come in pieces (FIPS 180-4); where the whole is in memory, `crypto.subtle` is faster. */
export class Sha256 {
  readonly #hash: Uint32Array = START.slice();
  readonly #words: Int32Array = new Int32Array(64);
  readonly #block: Uint8Array = new Uint8Array(64);
  #filled = 0;
  #length = 0;

  update(bytes: Uint8Array): this {
    this.#length += bytes.length;
    let at = 0;
    if (this.#filled > 0) {
      at = Math.min(64 - this.#filled, bytes.length);
      this.#block.set(bytes.subarray(0, at), this.#filled);
      this.#filled += at;
      if (this.#filled < 64) return this;
      this.#mix(this.#block, 0);
      this.#filled = 0;
    }
    for (; at + 64 <= bytes.length; at += 64) this.#mix(bytes, at);
    this.#block.set(bytes.subarray(at));
    this.#filled = bytes.length - at;
    return this;
  }

  /** Lower-case hexadecimal digits; the hash takes no more after that. */
  digest(): string {
    const length = this.#length;
    const end = new Uint8Array((this.#filled < 56 ? 64 : 128) - this.#filled);
    end[0] = 0x80;
    const view = new DataView(end.buffer);
    view.setUint32(end.length - 8, Math.floor(length / 2 ** 29));
    view.setUint32(end.length - 4, length * 8);
    this.update(end);
    return Array.from(this.#hash, (word) => word.toString(16).padStart(8, "0")).join("");
  }

  #mix(bytes: Uint8Array, start: number): void {
    const words = this.#words;
    for (let i = 0, at = start; i < 16; i++, at += 4) {
      words[i] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    }
    for (let i = 16; i < 64; i++) {
      const x = words[i - 15]!;
      const y = words[i - 2]!;
      const small = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const large = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      words[i] = (words[i - 16]! + small + words[i - 7]! + large) | 0;
    }
    const hash = this.#hash;
    let a = hash[0]! | 0;
    let b = hash[1]! | 0;
    let c = hash[2]! | 0;
    let d = hash[3]! | 0;
    let e = hash[4]! | 0;
    let f = hash[5]! | 0;
    let g = hash[6]! | 0;
    let h = hash[7]! | 0;
    for (let i = 0; i < 64; i++) {
      const large = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const first = (h + large + ((e & f) ^ (~e & g)) + ROUND[i]! + words[i]!) | 0;
      const small = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const second = (small + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    hash[0] = hash[0]! + a;
    hash[1] = hash[1]! + b;
    hash[2] = hash[2]! + c;
    hash[3] = hash[3]! + d;
    hash[4] = hash[4]! + e;
    hash[5] = hash[5]! + f;
    hash[6] = hash[6]! + g;
    hash[7] = hash[7]! + h;
  }
}
