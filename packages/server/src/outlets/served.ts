import { open, type Recording, RecordingError } from "simtape";
import { Deck, type DeckEntry, type Outlet } from "simtape/live";
import { fileSpool } from "simtape/node";
import { outletAt } from "simtape/serving";
import type { OutletPlace } from "simtape/command";
import { SeekIndexes } from "../catalog/index/seek-indexes.ts";
import type { Library } from "../library/library.ts";
import type { Settings } from "../settings.ts";
import type { LoadedState, Offered, OutletState, Playing, Trouble, Wish } from "./messages.ts";

const SECOND = 1e9;

/** Why what is asked for cannot be done: a status of HTTP, and a text for the user. */
export class WishError extends Error {
  override readonly name = "WishError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What an outlet is made with. */
export interface ServedOptions {
  readonly name: string;
  readonly place: OutletPlace;
  readonly settings: Settings;
  readonly library: Library;
  /** Called with the id of each recording that begins to be shown. */
  readonly onShown: (id: string) => void;
}

/** One outlet, which plays recordings of the library: the one that clients or the staff have loaded last. */
export class Served {
  readonly name: string;
  readonly #place: OutletPlace;
  readonly #library: Library;
  readonly #indexes: SeekIndexes;
  readonly #deck = new Deck([]);
  #outlet: Outlet | null = null;
  #offered: readonly Offered[] = [];
  #trouble: Trouble | null = null;

  /** Rejects with `SourceError` if it cannot listen. */
  static async start({ settings, onShown, ...more }: ServedOptions): Promise<Served> {
    const served = new Served(more, new SeekIndexes(settings));
    served.#watch(onShown);
    served.#outlet = await outletAt(more.place, served.#deck, settings.intoOrigins);
    return served;
  }

  private constructor({ name, place, library }: Omit<ServedOptions, "settings" | "onShown">, indexes: SeekIndexes) {
    this.name = name;
    this.#place = place;
    this.#library = library;
    this.#indexes = indexes;
  }

  get state(): OutletState {
    const { clients, sentMessages, sentBytes, skippedFrames, waitingBytes = 0 } = this.#outlet!.status();
    return {
      ...{ name: this.name, kind: this.#place.kind, address: /ws:\S+/.exec(this.#outlet!.name)![0] },
      ...{ clients, sentMessages, sentBytes, skipped: skippedFrames, waitingBytes, offered: this.#offered.length },
      ...{ loaded: this.#loaded, trouble: this.#trouble },
    };
  }

  /** Clients may load these from now on. What is loaded stays if it is among them, unchanged. */
  async offer(offered: readonly Offered[]): Promise<void> {
    const shown = this.#deck.loadedEntry;
    this.#offered = offered;
    if (shown !== null) {
      const now = offered.find(({ id }) => id === shown.id);
      // before it is unloaded: the state of an outlet without a recording says why
      if (now === undefined) this.#fail(shown.name, "it is gone, or may no longer be shown here");
      else if (now.stamp !== shown.version) this.#fail(shown.name, "its files have changed");
    }
    await this.#deck.offer(offered.map((one) => this.#entryOf(one)));
  }

  /** Rejects with `WishError`. */
  async do(wish: Wish): Promise<void> {
    switch (wish.of) {
      case "load":
        await this.#load(wish.recording);
        await this.#control({ playing: true, rate: 1, at: 0, ...wish.playing });
        break;
      case "control":
        await this.#control(wish.playing);
        break;
      case "unload":
        await this.#deck.unload();
        break;
      default:
        wish satisfies never;
    }
  }

  async close(): Promise<void> {
    await this.#outlet?.close();
    await this.#deck.close();
  }

  get #loaded(): LoadedState | null {
    const { loaded, loadedEntry } = this.#deck;
    if (loaded === null || loadedEntry === null) return null;
    const { phase, time, rate, bounds, loop } = loaded.player.status;
    const start = bounds?.start ?? time;
    return {
      ...{ recording: loadedEntry.id!, name: loaded.name, phase, rate, repeat: loop !== null },
      time: (time - start) / SECOND,
      seconds: ((bounds?.end ?? start) - start) / SECOND,
    };
  }

  #watch(onShown: (id: string) => void): void {
    this.#deck.onLoad(({ name, player }) => {
      this.#trouble = null;
      onShown(this.#deck.loadedEntry!.id!);
      player.onStatus(({ error }) => {
        if (error !== null) this.#fail(name, error.message);
      });
    });
    this.#deck.onFailure((name, error) => this.#fail(name, messageOf(error)));
  }

  async #load(recording: Offered): Promise<void> {
    const isOffered = this.#offered.some(({ id, stamp }) => id === recording.id && stamp === recording.stamp);
    if (!isOffered) await this.offer([recording, ...this.#offered.filter(({ id }) => id !== recording.id)]);
    try {
      await this.#deck.load(this.#deck.indexOf(recording.id));
    } catch (error) {
      if (error instanceof RangeError) throw new WishError(409, error.message);
      throw new WishError(RecordingError.is(error) ? 422 : 503, messageOf(error));
    }
  }

  async #control({ playing, at, rate, repeat }: Playing): Promise<void> {
    const { loaded } = this.#deck;
    if (loaded === null) throw new WishError(409, "no recording is loaded");
    const { player, recording } = loaded;
    if (rate !== undefined) player.setRate(rate);
    if (repeat !== undefined) player.setLoop(repeat ? {} : null);
    if (at !== undefined) {
      const { start } = await recording.timeline();
      await player.seek(start + at * SECOND);
    }
    if (playing === true) player.play();
    if (playing === false) player.pause();
  }

  #entryOf({ id, name, key, stamp }: Offered): DeckEntry {
    return { id, name, version: stamp, open: () => this.#open(id, key) };
  }

  async #open(id: string, key: string): Promise<Recording> {
    const seekIndex = (await this.#indexes.source(id)) ?? undefined;
    return open(this.#library.bundle(key), { spool: fileSpool(), seekIndex });
  }

  #fail(recording: string, message: string): void {
    this.#trouble = { recording, message, at: new Date().toISOString() };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
