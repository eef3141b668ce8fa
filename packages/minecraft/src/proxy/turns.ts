/** Milliseconds between two reports of one player. */
const BETWEEN = 30_000;

/** When each player may report again. */
export class Turns {
  readonly #now: () => number;
  /** By UUID. */
  readonly #taken = new Map<string, number>();

  /** `now`: milliseconds of a clock that never jumps. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes the turn of a player. Returns a text when the player must wait. */
  take(uuid: string): string | null {
    const now = this.#now();
    const waits = (this.#taken.get(uuid) ?? Number.NEGATIVE_INFINITY) + BETWEEN - now;
    if (waits > 0) return `Wait ${Math.ceil(waits / 1000)} seconds for the next report.`;
    this.#taken.set(uuid, now);
    return null;
  }
}
