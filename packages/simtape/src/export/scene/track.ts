/** Numbers that grow: a Float32Array with room behind its end. */
class Numbers {
  #data = new Float32Array(8);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(k: number): number {
    return this.#data[k]!;
  }

  push(values: ArrayLike<number>): void {
    const need = this.#length + values.length;
    if (need > this.#data.length) {
      const grown = new Float32Array(Math.max(need, this.#data.length * 2));
      grown.set(this.#data);
      this.#data = grown;
    }
    this.#data.set(values, this.#length);
    this.#length = need;
  }

  /** Takes the last so many away. */
  drop(count: number): void {
    this.#length -= count;
  }

  /** What there is, of its own. */
  take(): Float32Array<ArrayBuffer> {
    return this.#data.slice(0, this.#length);
  }
}

/**
 * Keyframes of one property over time: times in seconds that ascend strictly as float32, and `width` numbers for each. A
 * value that stays is kept with its first and its last time alone.
 */
export class Track {
  readonly #width: number;
  /** Between two keyframes the value holds, or is interpolated. */
  readonly #isStep: boolean;
  readonly #times = new Numbers();
  readonly #values = new Numbers();
  /** The last time at which the value was seen again; NaN: none. */
  #again = Number.NaN;

  constructor(width: number, isStep: boolean) {
    this.#width = width;
    this.#isStep = isStep;
  }

  get length(): number {
    return this.#times.length;
  }

  /** Adds a value, already as float32; gives the number of keyframes that were added. */
  add(time: number, value: Float32Array): number {
    const before = this.length;
    if (before > 0 && this.#isLast(value)) {
      this.#again = Math.fround(time);
      return 0;
    }
    if (!this.#isStep && this.#again > this.#lastTime()) this.#push(this.#again, this.#last());
    this.#again = Number.NaN;
    this.#push(Math.fround(time), value);
    return this.length - before;
  }

  /** Changes the sign of a quaternion that is far from the last: it turns the same, and interpolation is the short way. */
  turnToLast(value: Float32Array): void {
    if (this.length === 0) return;
    const from = this.#values.length - this.#width;
    let dot = 0;
    for (let k = 0; k < this.#width; k++) dot += this.#values.at(from + k) * value[k]!;
    if (dot < 0) for (let k = 0; k < this.#width; k++) value[k] = -value[k]!;
  }

  #last(): Float32Array {
    return Float32Array.from({ length: this.#width }, (_, k) => this.#values.at(this.#values.length - this.#width + k));
  }

  #isLast(value: Float32Array): boolean {
    const from = this.#values.length - this.#width;
    for (let k = 0; k < this.#width; k++) if (this.#values.at(from + k) !== value[k]) return false;
    return true;
  }

  #lastTime(): number {
    return this.length === 0 ? Number.NEGATIVE_INFINITY : this.#times.at(this.length - 1);
  }

  /** Of two values at what is one time as float32 the later one holds. */
  #push(time: number, value: Float32Array): void {
    if (time <= this.#lastTime()) this.#values.drop(this.#width);
    else this.#times.push([time]);
    this.#values.push(value);
  }

  get isStep(): boolean {
    return this.#isStep;
  }

  take(): { readonly times: Float32Array<ArrayBuffer>; readonly values: Float32Array<ArrayBuffer> } {
    return { times: this.#times.take(), values: this.#values.take() };
  }
}
