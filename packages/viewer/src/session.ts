import {
  connectPlayer,
  type Frame,
  type Player,
  type PlayerStatus,
  type StepUnit,
  type Time,
  type TimeRange,
} from "simtape";
import { Client, QueryError, type QueryOptions } from "./client.ts";
import type { Answer, Ask, Opened, Place, Placement, QueryName } from "./protocol.ts";
import { Store } from "./store.ts";

/** A recording of this page: the first is the one played, the others are its ghosts. */
export interface Deck {
  readonly opened: Opened;
  readonly place: Place;
  readonly placement: Placement;
}

/** One thing, or one message. */
export type Selection =
  | { readonly kind: "thing"; readonly set: string; readonly id: number | string }
  | { readonly kind: "message"; readonly time: Time; readonly sequence: number };

export interface ViewerState {
  readonly phase: "empty" | "opening" | "open" | "failed";
  /** What is being opened: bytes read, of how many. */
  readonly opening: { readonly name: string; readonly done: number; readonly total: number | null } | null;
  readonly failure: { readonly name: string; readonly code: string | null; readonly message: string } | null;
  readonly decks: readonly Deck[];
  /** `time` in it is that of the last change of anything else: see `Session.frame` for the time shown. */
  readonly status: PlayerStatus;
  readonly selection: Selection | null;
  /** Something to tell the user, for a moment. */
  readonly notice: string | null;
  /** What panels keep in the address, by a key of their own: plain JSON. */
  readonly shared: Readonly<Record<string, unknown>>;
}

/** What can be saved as a picture: drawn now, and handed out before anything else is drawn. */
export type Picture = () => HTMLCanvasElement;

export interface OpenAt {
  readonly at?: Time | null;
  readonly loop?: TimeRange | null;
  readonly rate?: number;
  readonly selection?: Selection | null;
}

/** How long a notice is shown, milliseconds. */
const NOTICE = 4000;

const CLOSED: PlayerStatus = { phase: "closed", time: 0, rate: 1, loop: null, bounds: null, error: null };

const EMPTY: ViewerState = {
  phase: "empty",
  opening: null,
  failure: null,
  decks: [],
  status: CLOSED,
  selection: null,
  notice: null,
  shared: {},
};

/** Everything a page has open. One for each page; React reads `store`, panels draw in `onFrame`. */
export class Session {
  readonly store: Store<ViewerState> = new Store(EMPTY);
  #client: Client | null = null;
  #player: Player | null = null;
  #frame: Frame | null = null;
  /** What the player was begun with; null when its first frame was shown, after which it tells itself. */
  #begun: Required<Omit<OpenAt, "selection">> | null = null;
  readonly #watchers = new Set<(frame: Frame) => void>();
  #opening = new AbortController();
  #notice: ReturnType<typeof setTimeout> | null = null;
  /** Where the address says that the recording that will be opened next was left. */
  #left: OpenAt = {};
  /** By the id of the panel that draws it. */
  readonly pictures: Map<string, Picture> = new Map();

  /** Shown last. */
  get frame(): Frame | null {
    return this.#frame;
  }

  /** Bounds of what is played; of nothing, when nothing is open. */
  get bounds(): { readonly start: Time; readonly end: Time } {
    return this.store.value.decks[0]?.opened.timeline ?? { start: 0, end: 0 };
  }

  get isPlaying(): boolean {
    const { phase } = this.store.value.status;
    return phase === "playing" || phase === "buffering";
  }

  /**
   * Calls `watcher` inside an animation frame with what is shown now and then with every frame that follows, until the
   * function given back is called. The next frame is asked for when all watchers have come back.
   */
  onFrame(watcher: (frame: Frame) => void): () => void {
    this.#watchers.add(watcher);
    if (this.#frame !== null) {
      requestAnimationFrame(() => {
        if (this.#frame !== null && this.#watchers.has(watcher)) watcher(this.#frame);
      });
    }
    return () => this.#watchers.delete(watcher);
  }

  /** Asks the worker. Rejects with `QueryError`, or with the signal's reason. */
  query<K extends QueryName>(name: K, ask: Ask<K>, options?: QueryOptions): Promise<Answer<K>> {
    this.#client ??= new Client();
    return this.#client.query(name, ask, options);
  }

  /** Opens another recording instead of all that are open. What cannot be opened is in `failure`; overtaken, nothing happens. */
  async open(place: Place, from?: OpenAt): Promise<void> {
    const { at = null, loop = null, rate = 1, selection = null } = from ?? this.#left;
    const opened = await this.#load(place);
    if (opened === null) return;
    const before = this.store.value.decks;
    this.#left = {};
    this.store.update({ decks: [{ opened, place, placement: {} }], selection });
    await this.#play(at, rate, loop);
    this.store.update({ phase: "open", opening: null });
    await this.#drop(before);
  }

  /** Lays another recording over the one that plays. */
  async addGhost(place: Place, placement: Placement = {}): Promise<void> {
    const opened = await this.#load(place);
    if (opened === null) return;
    this.store.update({ decks: [...this.store.value.decks, { opened, place, placement }] });
    await this.#replay();
    this.store.update({ phase: "open", opening: null });
  }

  /** Lays the `index`th deck, a ghost, elsewhere. */
  async placeGhost(index: number, placement: Placement): Promise<void> {
    const decks = this.store.value.decks.map((deck, i) => (i === index && i > 0 ? { ...deck, placement } : deck));
    this.store.update({ decks });
    await this.#replay();
  }

  async removeGhost(index: number): Promise<void> {
    const { decks } = this.store.value;
    const gone = decks[index];
    if (index === 0 || gone === undefined) return;
    this.store.update({ decks: decks.filter((deck) => deck !== gone) });
    await this.#replay();
    await this.#drop([gone]);
  }

  /** Back to the first page. */
  async close(): Promise<void> {
    this.#opening.abort();
    const { decks } = this.store.value;
    this.#leave();
    this.#frame = null;
    this.store.update({ phase: "empty", opening: null, failure: null, decks: [], status: CLOSED, selection: null });
    await this.#drop(decks);
  }

  /** Where to begin in the recording that is opened next, unless its opener says so. */
  leaveAt(from: OpenAt): void {
    this.#left = from;
  }

  tell(notice: string): void {
    if (this.#notice !== null) clearTimeout(this.#notice);
    this.store.update({ notice });
    this.#notice = setTimeout(() => this.store.update({ notice: null }), NOTICE);
  }

  /** Takes note that the user has seen why something could not be opened. */
  forgetFailure(): void {
    const { decks } = this.store.value;
    this.store.update({ failure: null, phase: decks.length > 0 ? "open" : "empty" });
  }

  play(): void {
    this.#player?.play();
  }

  pause(): void {
    this.#player?.pause();
  }

  seek(time: Time): Promise<boolean> {
    const { start, end } = this.bounds;
    return this.#player?.seek(Math.min(end, Math.max(start, Math.round(time)))) ?? Promise.resolve(false);
  }

  step(count: number, by?: StepUnit): Promise<boolean> {
    return this.#player?.step(count, by) ?? Promise.resolve(false);
  }

  setRate(rate: number): void {
    this.#player?.setRate(rate);
  }

  setLoop(range: TimeRange | null): void {
    this.#player?.setLoop(range);
  }

  select(selection: Selection | null): void {
    this.store.update({ selection });
  }

  /** Keeps something in the address; undefined takes it out. */
  share(key: string, value: unknown): void {
    const { [key]: _, ...others } = this.store.value.shared;
    this.store.update({ shared: value === undefined ? others : { ...others, [key]: value } });
  }

  /** Null, and `failure` says why, or another was to be opened meanwhile. */
  async #load(place: Place): Promise<Opened | null> {
    this.#opening.abort();
    const controller = new AbortController();
    this.#opening = controller;
    const { name } = place;
    this.store.update({ phase: "opening", opening: { name, done: 0, total: null }, failure: null });
    try {
      return await this.query(
        "open",
        { place },
        {
          signal: controller.signal,
          onProgress: ({ done, total }) => this.store.update({ opening: { name, done, total } }),
        },
      );
    } catch (error) {
      if (controller.signal.aborted) return null;
      const code = error instanceof QueryError ? error.code : null;
      const message = error instanceof Error ? error.message : String(error);
      this.store.update({ phase: "failed", opening: null, failure: { name, code, message } });
      return null;
    }
  }

  /** The same place, rate and loop with the decks there are now. */
  async #replay(): Promise<void> {
    const { at, rate, loop } = this.#begun ?? { at: this.#frame?.time ?? null, ...this.store.value.status };
    const wasPlaying = this.isPlaying;
    await this.#play(at, rate, loop);
    if (wasPlaying) this.play();
  }

  async #play(at: Time | null, rate: number, loop: TimeRange | null): Promise<void> {
    const [main, ...ghosts] = this.store.value.decks;
    this.#leave();
    this.#begun = { at, rate, loop };
    const { port1, port2 } = new MessageChannel();
    const player = connectPlayer(port1);
    this.#player = player;
    player.onStatus((status) => {
      if (player === this.#player) this.store.update({ status });
    });
    player.subscribe((frame) => this.#show(player, frame));
    this.#client ??= new Client();
    const ask = {
      recording: main!.opened.recording,
      port: port2,
      ghosts: ghosts.map(({ opened, placement }) => ({ ...placement, recording: opened.recording })),
      at,
      rate,
      loop,
    };
    await this.#client.query("play", ask, {}, [port2]);
  }

  #leave(): void {
    void this.#player?.close();
    this.#player = null;
  }

  #show(player: Player, frame: Frame): Promise<void> {
    return new Promise((resolve) => {
      requestAnimationFrame(() => {
        if (player === this.#player) {
          this.#frame = frame;
          this.#begun = null;
          for (const watcher of [...this.#watchers]) watcher(frame);
        }
        resolve();
      });
    });
  }

  async #drop(decks: readonly Deck[]): Promise<void> {
    await Promise.all(decks.map(({ opened }) => this.query("close", { recording: opened.recording })));
  }
}
