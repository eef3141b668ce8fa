import { Observable } from "./observable.ts";
import type { QueryOptions } from "./client.ts";
import type { Opened } from "./protocol.ts";
import type { Deck } from "./session.ts";

/** What came of a query that takes long. */
export interface Run<A> {
  readonly phase: "none" | "running" | "done" | "failed";
  /** Part of it that is done, 0 to 1. */
  readonly part: number;
  /** Of the one that was done last, also while the next one runs. */
  readonly answer: A | null;
  /** Why it failed. */
  readonly message: string | null;
}

/** A query that takes long: one at a time, of which the newest counts. */
export class LongQuery<A> {
  readonly run: Observable<Run<A>> = new Observable<Run<A>>({
    phase: "none",
    part: 0,
    answer: null,
    message: null,
  });
  #key: string | null = null;
  #running = new AbortController();

  /** Asks, unless what is asked by that key is what runs or is there. */
  async ask(key: string, query: (options: QueryOptions) => Promise<A>): Promise<void> {
    if (key === this.#key) return;
    this.#key = key;
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.run.update({ phase: "running", part: 0, message: null });
    try {
      const answer = await query({
        signal,
        onProgress: ({ done, total }) => this.run.update({ part: total === null ? 0 : done / Math.max(1, total) }),
      });
      if (!signal.aborted) this.run.set({ phase: "done", part: 1, answer, message: null });
    } catch (error) {
      if (signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      this.run.set({ phase: "failed", part: 0, answer: null, message });
    }
  }

  /** Calls off what runs. */
  stop(): void {
    if (this.run.value.phase !== "running") return;
    this.#key = null;
    this.#running.abort();
    this.run.update({ phase: this.run.value.answer === null ? "none" : "done" });
  }
}

/** One such query for each recording, as long as it is open. */
export class LongQueries<A> {
  readonly #all = new WeakMap<Opened, LongQuery<A>>();

  /** That of what a deck plays. */
  of({ opened }: Pick<Deck, "opened">): LongQuery<A> {
    const found = this.#all.get(opened) ?? new LongQuery<A>();
    this.#all.set(opened, found);
    return found;
  }
}
