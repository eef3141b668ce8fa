import type { Recording } from "../model/recording.ts";
import { type Player, type PlayOptions, play } from "../play/player.ts";

/** A recording that a deck can load. */
export interface DeckEntry {
  readonly name: string;
  /** Opens it; the deck closes it. */
  readonly open: () => Promise<Recording>;
}

/** What a deck has loaded. */
export interface Loaded {
  readonly index: number;
  readonly name: string;
  readonly recording: Recording;
  readonly player: Player;
}

/**
 * Several recordings, of which one is loaded and played. Outlets show what it plays, and may load another. All outlets
 * of a deck share its player: a pause by one is a pause for all.
 */
export class Deck {
  readonly entries: readonly DeckEntry[];
  readonly #options: PlayOptions;
  readonly #listeners = new Set<(loaded: Loaded) => void>();
  #loaded: Loaded | null = null;
  #loading: Promise<unknown> = Promise.resolve();

  /** Throws `RangeError` without entries. */
  constructor(entries: readonly DeckEntry[], options: PlayOptions = {}) {
    if (entries.length === 0) throw new RangeError("a deck without recordings");
    this.entries = entries;
    this.#options = options;
  }

  /** Null until the first `load`. */
  get loaded(): Loaded | null {
    return this.#loaded;
  }

  /**
   * Loads a recording in place of the present one, paused unless the player before was playing. Throws `RangeError` for
   * an index without entry; rejects with `RecordingError`, and the present one stays.
   */
  load(index: number): Promise<Loaded> {
    if (this.entries[index] === undefined)
      throw new RangeError(`recording ${index} of ${this.entries.length}: the first is 0`);
    const loading = this.#loading.then(() => this.#load(index));
    this.#loading = loading.catch(() => undefined);
    return loading;
  }

  /** Calls `listener` with the present recording, if there is one, and with each that is loaded later. */
  onLoad(listener: (loaded: Loaded) => void): () => void {
    this.#listeners.add(listener);
    if (this.#loaded !== null) listener(this.#loaded);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#loading;
    await this.#leave();
  }

  async #load(index: number): Promise<Loaded> {
    const { name, open } = this.entries[index]!;
    const recording = await open();
    const before = this.#loaded?.player.status;
    const player = play(recording, before === undefined ? this.#options : { ...this.#options, rate: before.rate });
    await this.#leave();
    const loaded: Loaded = { index, name, recording, player };
    this.#loaded = loaded;
    if (before?.phase === "playing") player.play();
    for (const listener of this.#listeners) listener(loaded);
    return loaded;
  }

  async #leave(): Promise<void> {
    const { player, recording } = this.#loaded ?? {};
    this.#loaded = null;
    await player?.close();
    await recording?.close();
  }
}
