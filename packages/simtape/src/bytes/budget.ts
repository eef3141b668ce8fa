/** What an open recording may take when nothing else is said. */
const USUAL = 256 * 2 ** 20;
const MEBIBYTE = 2 ** 20;
/** The part of a budget that may be spared: a quarter. */
const SPARED = 4;

/** More was asked for than the budget of an open recording has. The model turns it into a `RecordingError`. */
export class BudgetError extends Error {
  constructor(what: string, wanted: number, allowed: number, budget: number) {
    super(
      `over budget: ${what} would take ${inMebibytes(Math.ceil(wanted / MEBIBYTE))}, ${inMebibytes(Math.floor(allowed / MEBIBYTE))} are allowed; ` +
        `if that is meant to be, raise the budget of ${inMebibytes(Math.ceil(budget / MEBIBYTE))} (--budget, or budget in the options of open)`,
    );
    this.name = "BudgetError";
  }
}

/**
 * What one open recording may cost, as one number: bytes of memory. Decoders ask before they allocate; what a file says
 * of itself never decides alone. Asked by chunk, never by message.
 */
export class Budget {
  /** Bytes of memory. */
  readonly limit: number;
  #held = 0;
  #spared = 0;
  /** Who gives up what is spared. */
  readonly #givers = new Set<() => void>();

  /** Throws `RangeError` for what is no number of bytes. */
  constructor(limit: number = USUAL) {
    if (!(limit > 0)) throw new RangeError(`a budget is a number of bytes, not ${limit}`);
    this.limit = limit;
  }

  /** The one that was given; one of so many bytes; the usual one. */
  static of(given: Budget | number | undefined): Budget {
    return given instanceof Budget ? given : new Budget(given);
  }

  /** Counts `bytes` that stay as long as the recording is open, about. Throws `BudgetError`, and then counts nothing. */
  hold(what: string, bytes: number): void {
    this.fit(what, bytes);
    this.#held += bytes;
  }

  /** For memory that goes again: throws `BudgetError` when `bytes` find no room beside what is held. */
  fit(what: string, bytes: number): void {
    if (this.#held + this.#spared + bytes > this.limit) this.#giveUp();
    if (this.#held + bytes > this.limit) throw new BudgetError(what, bytes, this.limit - this.#held, this.limit);
  }

  /** Bytes that `fit` has room for. */
  get left(): number {
    return this.limit - this.#held;
  }

  /**
   * Counts `bytes` that only save time: `giveUp` is called, and they count no more, when something else needs the room.
   * False, and nothing counted, where a quarter of the budget is spared already or the room is needed.
   */
  spare(bytes: number, giveUp: () => void): boolean {
    if (this.#spared + bytes > this.limit / SPARED || this.#held + this.#spared + bytes > this.limit) return false;
    this.#spared += bytes;
    this.#givers.add(giveUp);
    return true;
  }

  /** Says that `bytes` of what was spared are gone, for one that was not asked to give up since. */
  spareNoLonger(bytes: number): void {
    this.#spared -= bytes;
  }

  #giveUp(): void {
    this.#spared = 0;
    for (const giveUp of this.#givers) giveUp();
    this.#givers.clear();
  }

  /** Bytes that may be made of `size` stored ones: the budget for each MiB of them, and twice that for a beginning. */
  expansion(size: number): number {
    return this.limit * (2 + size / MEBIBYTE);
  }

  /** Throws `BudgetError` when `made` bytes are more than may be made of `size`. */
  expand(what: string, made: number, size: number): void {
    const allowed = this.expansion(size);
    if (made > allowed) throw new BudgetError(what, made, allowed, this.limit);
  }
}

function inMebibytes(count: number): string {
  return `${Math.max(0, count)} MiB`;
}
