import type { Recording } from "../model/recording.ts";
import { type Player, type PlayOptions, play } from "../play/player.ts";

/** A recording that a deck can load. */
export interface DeckEntry {
  readonly name: string;
  /** What it is found by in a later list; absent: its name. */
  readonly id?: string | undefined;
  /** Differs when its content does; absent: the content stays. */
  readonly version?: string | undefined;
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
  #entries: readonly DeckEntry[];
  readonly #options: PlayOptions;
  readonly #listeners = new Set<DeckListener>();
  readonly #listListeners = new Set<() => void>();
  readonly #failureListeners = new Set<(name: string, error: unknown) => void>();
  #loaded: Loaded | null = null;
  #entry: DeckEntry | null = null;
  #loading: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** Without entries it has nothing to load until `offer`. */
  constructor(entries: readonly DeckEntry[], options: PlayOptions = {}) {
    this.#entries = entries;
    this.#options = options;
  }

  /** The recordings that can be loaded now. */
  get entries(): readonly DeckEntry[] {
    return this.#entries;
  }

  /** What is loaded, as it was in the list when it was. */
  get loadedEntry(): DeckEntry | null {
    return this.#entry;
  }

  /** Null until the first `load`, and after what was loaded has gone. */
  get loaded(): Loaded | null {
    return this.#loaded;
  }

  /** The index of the recording of that name or id; throws `RangeError` if it has none. */
  indexOf(nameOrId: string): number {
    const index = this.#entries.findIndex(({ name, id }) => id === nameOrId || name === nameOrId);
    if (index < 0) throw new RangeError(`no recording ${JSON.stringify(nameOrId)}`);
    return index;
  }

  /**
   * Loads a recording in place of the present one, paused unless the player before was playing. Throws `RangeError` for
   * an index without entry; rejects with `RecordingError`, and the present one stays.
   */
  load(index: number): Promise<Loaded> {
    const entry = this.#entries[index];
    if (entry === undefined) throw new RangeError(`recording ${index} of ${this.#entries.length}: the first is 0`);
    return this.#next(async () => {
      try {
        return await this.#load(entry);
      } catch (error) {
        for (const listener of this.#failureListeners) listener(entry.name, error);
        throw error;
      }
    });
  }

  /**
   * Has these recordings from now on. What is loaded stays if it is among them, by id and version, and is unloaded
   * otherwise. Settles when that is done.
   */
  offer(entries: readonly DeckEntry[]): Promise<void> {
    this.#entries = entries;
    return this.#next(async () => {
      if (this.#loaded !== null) {
        const index = this.#indexNow(this.#entry!);
        if (index < 0) await this.#unload();
        else if (index !== this.#loaded.index) this.#loaded = { ...this.#loaded, index };
      }
      for (const listener of this.#listListeners) listener();
    });
  }

  /** Closes what is loaded; the deck can load again. */
  unload(): Promise<void> {
    return this.#next(() => this.#unload());
  }

  /**
   * Calls `listener` with the present recording, if there is one, and with each that is loaded later; `unloaded` when
   * none takes its place.
   */
  onLoad(listener: (loaded: Loaded) => void, unloaded: () => void = () => undefined): () => void {
    const both = { loaded: listener, unloaded };
    this.#listeners.add(both);
    if (this.#loaded !== null) listener(this.#loaded);
    return () => this.#listeners.delete(both);
  }

  /** Calls `listener` after the list of recordings has changed. */
  onList(listener: () => void): () => void {
    this.#listListeners.add(listener);
    return () => this.#listListeners.delete(listener);
  }

  /** Calls `listener` after a recording could not be loaded, also one that a client asked for. */
  onFailure(listener: (name: string, error: unknown) => void): () => void {
    this.#failureListeners.add(listener);
    return () => this.#failureListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#listListeners.clear();
    this.#failureListeners.clear();
    await this.#loading;
    await this.#leave();
  }

  /** One change after the other. */
  #next<T>(change: () => Promise<T>): Promise<T> {
    const changing = this.#loading.then(change);
    this.#loading = changing.catch(() => undefined);
    return changing;
  }

  /** Two may have one name: the same object comes first. */
  #indexNow(wanted: DeckEntry): number {
    const index = this.#entries.indexOf(wanted);
    if (index >= 0) return index;
    return this.#entries.findIndex((entry) => idOf(entry) === idOf(wanted) && entry.version === wanted.version);
  }

  async #load(entry: DeckEntry): Promise<Loaded> {
    const { name } = entry;
    const recording = await entry.open();
    const index = this.#indexNow(entry);
    if (this.#isClosed || index < 0) {
      // it has gone while it was opened
      await recording.close();
      throw new RangeError(`no recording ${JSON.stringify(name)}`);
    }
    const before = this.#loaded?.player.status;
    const player = play(recording, before === undefined ? this.#options : { ...this.#options, rate: before.rate });
    await this.#leave();
    const loaded: Loaded = { index, name, recording, player };
    this.#loaded = loaded;
    this.#entry = entry;
    if (before?.phase === "playing") player.play();
    for (const listener of this.#listeners) listener.loaded(loaded);
    return loaded;
  }

  async #unload(): Promise<void> {
    if (this.#loaded === null) return;
    await this.#leave();
    for (const listener of this.#listeners) listener.unloaded();
  }

  async #leave(): Promise<void> {
    const { player, recording } = this.#loaded ?? {};
    this.#loaded = null;
    this.#entry = null;
    await player?.close();
    await recording?.close();
  }
}

interface DeckListener {
  readonly loaded: (loaded: Loaded) => void;
  readonly unloaded: () => void;
}

function idOf({ id, name }: DeckEntry): string {
  return id ?? name;
}
