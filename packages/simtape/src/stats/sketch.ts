/** Numbers kept of the highest level. */
const ROOM = 400;
/** Each level below has so much of the room of the one above, and at least `LEAST`. */
const SHRINK = 2 / 3;
const LEAST = 8;

/**
 * Quantiles of any number of numbers in about 10 kB: the sketch of Karnin, Lang and Liberty ("Optimal quantile approximation
 * in streams", 2016). The rank of what it gives is wrong by less than one percent of all in 99 of 100 cases; up to 400 numbers
 * it is exact. The same numbers in the same order give the same: coins are thrown by a generator with a fixed seed.
 */
export class QuantileSketch {
  /** By level: numbers that stand for 2^level each. */
  readonly #levels: number[][] = [[]];
  #count = 0;
  #size = 0;
  #room = ROOM;
  #coin = 0x2545f491;

  get count(): number {
    return this.#count;
  }

  add(number: number): void {
    this.#levels[0]!.push(number);
    this.#count++;
    this.#size++;
    if (this.#size > this.#room) this.#compact();
  }

  /** The number below which a part of all is, `0` to `1`; NaN: there are none. */
  quantile(part: number): number {
    if (this.#count === 0) return Number.NaN;
    const all: { readonly number: number; readonly weight: number }[] = [];
    for (const [level, numbers] of this.#levels.entries())
      for (const number of numbers) all.push({ number, weight: 2 ** level });
    all.sort((a, b) => a.number - b.number);
    const total = all.reduce((sum, { weight }) => sum + weight, 0);
    const rank = Math.min(total - 1, Math.max(0, Math.ceil(part * total) - 1));
    let below = 0;
    for (const { number, weight } of all) {
      below += weight;
      if (below > rank) return number;
    }
    return all.at(-1)!.number;
  }

  /** Of the lowest level that is full every second number goes one level up; which of them, a coin says. */
  #compact(): void {
    for (let level = 0; level < this.#levels.length; level++) {
      const numbers = this.#levels[level]!;
      if (numbers.length < roomOf(level, this.#levels.length)) continue;
      if (level + 1 === this.#levels.length) this.#grow();
      numbers.sort((a, b) => a - b);
      // of an odd number one stays behind
      const left = numbers.length % 2 === 1 ? [numbers.pop()!] : [];
      const above = this.#levels[level + 1]!;
      for (let i = this.#toss(); i < numbers.length; i += 2) above.push(numbers[i]!);
      this.#size -= numbers.length / 2;
      this.#levels[level] = left;
      if (this.#size <= this.#room) return;
    }
  }

  #grow(): void {
    this.#levels.push([]);
    this.#room = this.#levels.reduce((sum, _, level) => sum + roomOf(level, this.#levels.length), 0);
  }

  #toss(): 0 | 1 {
    this.#coin ^= this.#coin << 13;
    this.#coin ^= this.#coin >>> 17;
    this.#coin ^= this.#coin << 5;
    return ((this.#coin >>> 7) & 1) as 0 | 1;
  }
}

function roomOf(level: number, levels: number): number {
  return Math.max(LEAST, Math.ceil(ROOM * SHRINK ** (levels - 1 - level)));
}
