/** Milliseconds between the first client and the last that the server says the same thing to. */
const WITHIN = 2000;

/**
 * What a server says to several clients at once is one thing: of what a client hears, whether it was not heard before
 * by another. What one client hears twice are two things.
 */
export class Echo<Client> {
  readonly #heard = new Map<string, { readonly at: number; readonly by: Set<Client> }[]>();
  readonly #now: () => number;
  #sweptAt: number;

  /** `now`: milliseconds of a clock that is never set. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#sweptAt = now();
  }

  isNew(client: Client, what: string): boolean {
    const now = this.#now();
    this.#sweep(now);
    const before = this.#heard.get(what) ?? [];
    const echo = before.find(({ at, by }) => now - at <= WITHIN && !by.has(client));
    if (echo === undefined) {
      before.push({ at: now, by: new Set([client]) });
      this.#heard.set(what, before);
    } else echo.by.add(client);
    return echo === undefined;
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt <= WITHIN) return;
    this.#sweptAt = now;
    for (const [what, all] of this.#heard) {
      const left = all.filter(({ at }) => now - at <= WITHIN);
      if (left.length === 0) this.#heard.delete(what);
      else this.#heard.set(what, left);
    }
  }
}
