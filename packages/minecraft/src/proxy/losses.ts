/** Most reasons that are kept. */
const MOST_REASONS = 5;

/** Number of events that could not be recorded, and the first reasons. */
export class Losses {
  readonly #reasons: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Each reason for the first losses, once. */
  get reasons(): readonly string[] {
    return this.#reasons;
  }

  add(reason: string, count = 1): void {
    this.#count += count;
    if (this.#reasons.length < MOST_REASONS && !this.#reasons.includes(reason)) this.#reasons.push(reason);
  }

  /** Adds the losses of another recording. */
  addAll({ count, reasons }: Losses): void {
    this.#count += count;
    for (const reason of reasons) this.add(reason, 0);
  }
}

/** The losses as a sentence. */
export function lossText({ count, reasons }: Pick<Losses, "count" | "reasons">): string {
  const what = count === 1 ? "1 event" : `${count} events`;
  return `${what} could not be recorded: ${reasons.join("; ")}`;
}
