import type { Recording } from "../model/recording.ts";
import { Reel, type Wanted } from "./reel.ts";
import type { Limits, Stretch } from "./stretch.ts";

/** Look-aheads under way at most. */
const AHEAD = 4;

/** Stretches that each track has room for, and bytes that a message in one takes, with what undoing it needs. */
const SHARES = 16;
const ROW_BYTES = 512;

/** A piece of a recording that is wanted. */
export interface Want {
  readonly reel: Reel;
  readonly wanted: Wanted;
}

/**
 * Plans the reading for all recordings that play together. What is needed now is asked for in one turn, so that a
 * source which merges reads sees all of it at once; what will be needed comes behind, little at a time, and gives way.
 */
export class Library {
  /** Bytes of look-ahead that each track may have: half of its share. */
  readonly ahead: number;
  readonly #memory: number;
  readonly #limits: Limits;
  readonly #reels = new Map<Recording, Reel>();
  #looking = new AbortController();
  #lookingCount = 0;
  /** A look-ahead failed: no more until something is needed, which will tell why. */
  #isWary = false;

  /** Keeps about `memory` bytes, for so many tracks. */
  constructor(memory: number, tracks: number) {
    const bytes = memory / (SHARES * tracks);
    this.ahead = memory / (2 * tracks);
    this.#memory = memory;
    this.#limits = { bytes, rows: bytes / ROW_BYTES };
  }

  /** One for each recording, however often it plays. */
  reelOf(recording: Recording): Reel {
    const known = this.#reels.get(recording);
    if (known !== undefined) return known;
    const made = new Reel(recording, this.#limits);
    this.#reels.set(recording, made);
    return made;
  }

  /** Fetches what is needed now, in the order of `wants`. Look-aheads that are not among it are left off. */
  need(wants: readonly Want[], signal: AbortSignal): Promise<Stretch[]> {
    const ahead = this.#looking;
    this.#looking = new AbortController();
    this.#isWary = false;
    const coming = wants.map(({ reel, wanted }) => reel.load(wanted, signal));
    ahead.abort();
    return Promise.all(coming).finally(() => this.#trim());
  }

  /** Fetches what will be needed, one piece of a recording at a time. True when any was begun. */
  lookAhead(wants: readonly Want[]): boolean {
    const { signal } = this.#looking;
    let hasBegun = false;
    for (const { reel, wanted } of wants) {
      if (this.#isWary || this.#lookingCount >= AHEAD || reel.isLoading) continue;
      this.#lookingCount++;
      hasBegun = true;
      reel
        .load(wanted, signal)
        .then(
          () => this.#trim(),
          () => {
            if (!signal.aborted) this.#isWary = true;
          },
        )
        .finally(() => this.#lookingCount--);
    }
    return hasBegun;
  }

  /** Leaves off everything under way. */
  stop(): void {
    this.#looking.abort();
    this.#looking = new AbortController();
  }

  /** The largest reels lose what was used longest ago. */
  #trim(): void {
    const reels = [...this.#reels.values()];
    const bytes = (): number => reels.reduce((sum, reel) => sum + reel.byteLength, 0);
    while (bytes() > this.#memory) {
      reels.sort((a, b) => b.byteLength - a.byteLength);
      if (!reels.some((reel) => reel.dropOldest())) return;
    }
  }
}
