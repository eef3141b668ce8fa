import type { Recording } from "../model/recording.ts";
import { Reel, type Wanted } from "./reel.ts";
import type { Stretch } from "./stretch.ts";

/** Look-aheads under way at most. */
const AHEAD = 4;

/** A stretch takes a sixteenth of the memory, and a message in it so many bytes, with what undoing it needs. */
const SHARE = 16;
const ROW_BYTES = 512;

/** A piece of a recording that somebody wants. */
export interface Want {
  readonly reel: Reel;
  readonly wanted: Wanted;
}

/**
 * Plans the reading for all recordings that play together. What is needed now is asked for in one turn, so that a
 * source which merges reads sees all of it at once; what will be needed comes behind, little at a time, and gives way.
 */
export class Library {
  /** Bytes kept in memory, about. */
  readonly memory: number;
  readonly #reels = new Map<Recording, Reel>();
  #ahead = new AbortController();
  #aheadCount = 0;
  /** A look-ahead failed: no more until something is needed, which will tell why. */
  #isWary = false;

  constructor(memory: number) {
    this.memory = memory;
  }

  /** One for each recording, however often it plays. */
  reelOf(recording: Recording): Reel {
    const known = this.#reels.get(recording);
    if (known !== undefined) return known;
    const bytes = this.memory / SHARE;
    const made = new Reel(recording, { bytes, rows: bytes / ROW_BYTES });
    this.#reels.set(recording, made);
    return made;
  }

  /** Fetches what is needed now, in the order of `wants`. Look-aheads that are not among it are left off. */
  need(wants: readonly Want[], signal: AbortSignal): Promise<Stretch[]> {
    const ahead = this.#ahead;
    this.#ahead = new AbortController();
    this.#isWary = false;
    const coming = wants.map(({ reel, wanted }) => reel.load(wanted, signal));
    ahead.abort();
    return Promise.all(coming).finally(() => this.#trim());
  }

  /** Fetches what will be needed, one piece of a recording at a time. */
  lookAhead(wants: readonly Want[]): void {
    const { signal } = this.#ahead;
    for (const { reel, wanted } of wants) {
      if (this.#isWary || this.#aheadCount >= AHEAD || reel.isLoading) continue;
      this.#aheadCount++;
      reel
        .load(wanted, signal)
        .then(
          () => this.#trim(),
          () => {
            if (!signal.aborted) this.#isWary = true;
          },
        )
        .finally(() => this.#aheadCount--);
    }
  }

  /** Leaves off everything under way. */
  stop(): void {
    this.#ahead.abort();
    this.#ahead = new AbortController();
  }

  /** The largest reels lose what was used longest ago. */
  #trim(): void {
    const reels = [...this.#reels.values()];
    const bytes = (): number => reels.reduce((sum, reel) => sum + reel.byteLength, 0);
    while (bytes() > this.memory) {
      reels.sort((a, b) => b.byteLength - a.byteLength);
      if (!reels.some((reel) => reel.dropOldest())) return;
    }
  }
}
