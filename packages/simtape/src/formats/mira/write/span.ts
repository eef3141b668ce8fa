/** Earliest and latest of times; exact also beyond 2^53. */
export class Span {
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #exactFirst: bigint | null = null;
  #exactLast: bigint | null = null;

  /** `exact`: the time where a number does not hold it. */
  add(time: number, exact: bigint | null): void {
    if (exact !== null || this.#exactFirst !== null) {
      this.#addExact(exact ?? BigInt(time));
      return;
    }
    if (time < this.#first) this.#first = time;
    if (time > this.#last) this.#last = time;
  }

  /** 0 when there is none. */
  get first(): bigint {
    return this.#exactFirst ?? (this.#first === Number.POSITIVE_INFINITY ? 0n : BigInt(this.#first));
  }

  get last(): bigint {
    return this.#exactLast ?? (this.#last === Number.NEGATIVE_INFINITY ? 0n : BigInt(this.#last));
  }

  #addExact(time: bigint): void {
    const isEmpty = this.#exactFirst === null && this.#first === Number.POSITIVE_INFINITY;
    const { first, last } = this;
    this.#exactFirst = isEmpty || time < first ? time : first;
    this.#exactLast = isEmpty || time > last ? time : last;
  }
}
