/** Milliseconds within which the server sends the same packet to all clients. */
const WITHIN = 2000;

/**
 * Recognises a packet that the server sends to several clients: only the first copy counts as new. A packet that one
 * client gets twice counts twice.
 */
export class Echo<Client> {
  readonly #heard = new Map<string, { readonly at: number; readonly by: Set<Client> }[]>();
  readonly #now: () => number;
  #sweptAt: number;

  /** `now`: milliseconds of a clock that never jumps. */
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
