/** What an open recording may take when nothing else is said. */
const USUAL = 256 * 2 ** 20;
const MEBIBYTE = 2 ** 20;
/** The part of a budget that may be spared: a quarter. */
const SPARED = 4;

/** More was asked for than the budget of an open recording has. The model turns it into a `RecordingError`. */
export class BudgetError extends Error {
  /** `wanted`: how much that is, and what there is, in words; `times`: so many budgets would do. */
  constructor(what: string, wanted: string, times: number, budget: number) {
    const enough = budget * 2 ** Math.ceil(Math.log2(Math.max(2, times)));
    super(
      `over budget: ${what} would take ${wanted}; if that is meant to be, allow more: ` +
        `--budget ${amount(enough, Math.ceil).replace(" ", "")}, or budget in the options of open`,
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
    if (this.#held + bytes <= this.limit) return;
    const left = `${amount(this.left, Math.floor)} of ${amount(this.limit, Math.floor)} are left`;
    const wanted = `${amount(bytes, Math.ceil)} more, and ${left}`;
    throw new BudgetError(what, wanted, (this.#held + bytes) / this.limit, this.limit);
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
    if (made <= allowed) return;
    const wanted = `${amount(made, Math.ceil)}, and ${amount(allowed, Math.floor)} are allowed`;
    throw new BudgetError(what, wanted, made / allowed, this.limit);
  }
}

/** Bytes in a unit that leaves a number to read: `512 B`, `1.5 KiB`, `256 MiB`; rounded so that more stays more. */
function amount(bytes: number, round: (value: number) => number): string {
  const power = bytes < 1024 ? 0 : bytes < MEBIBYTE ? 1 : 2;
  const value = bytes / 1024 ** power;
  return `${value < 100 && power > 0 ? round(value * 10) / 10 : round(value)} ${["B", "KiB", "MiB"][power]!}`;
}
