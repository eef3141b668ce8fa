/**
 * Keyframes of one property over time: times in seconds that ascend strictly as float32, and `width` numbers for each. A
 * value that stays is kept with its first and its last time alone.
 */
export class Track {
  /** Between two keyframes the value holds, or is interpolated. */
  readonly isStep: boolean;
  readonly #width: number;
  readonly #times: number[] = [];
  /** All of them float32. */
  readonly #values: number[] = [];
  /** The last time at which the value was seen again; NaN: none. */
  #again = Number.NaN;

  constructor(width: number, isStep: boolean) {
    this.#width = width;
    this.isStep = isStep;
  }

  get length(): number {
    return this.#times.length;
  }

  /** Adds a value, already as float32; gives the number of keyframes that were added. */
  add(time: number, value: ArrayLike<number>): number {
    const before = this.#times.length;
    const at = Math.fround(time);
    if (before > 0 && this.#isLast(value)) {
      this.#again = at;
      return 0;
    }
    if (!this.isStep && this.#again > this.#times[before - 1]!) {
      this.#times.push(this.#again);
      for (let k = 0, from = this.#values.length - this.#width; k < this.#width; k++)
        this.#values.push(this.#values[from + k]!);
    }
    this.#again = Number.NaN;
    const last = this.#times.length - 1;
    // of two values at what is one time as float32 the later one holds
    if (last >= 0 && at <= this.#times[last]!) this.#values.length -= this.#width;
    else this.#times.push(at);
    for (let k = 0; k < this.#width; k++) this.#values.push(value[k]!);
    return this.#times.length - before;
  }

  /** Changes the sign of a quaternion that is far from the last: it turns the same, and interpolation is the short way. */
  turnToLast(value: Float32Array): void {
    if (this.length === 0) return;
    const from = this.#values.length - this.#width;
    let dot = 0;
    for (let k = 0; k < this.#width; k++) dot += this.#values[from + k]! * value[k]!;
    if (dot < 0) for (let k = 0; k < this.#width; k++) value[k] = -value[k]!;
  }

  take(): { readonly times: Float32Array<ArrayBuffer>; readonly values: Float32Array<ArrayBuffer> } {
    return { times: Float32Array.from(this.#times), values: Float32Array.from(this.#values) };
  }

  #isLast(value: ArrayLike<number>): boolean {
    const from = this.#values.length - this.#width;
    for (let k = 0; k < this.#width; k++) if (this.#values[from + k] !== value[k]) return false;
    return true;
  }
}
