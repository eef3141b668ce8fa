import {
  connectPlayer,
  type RemotePlayer,
  type Frame,
  type Player,
  type PlayerStatus,
  type StepUnit,
  type Time,
  type Timeline,
  type TimeRange,
} from "simtape";
import { Client, QueryError, type QueryOptions } from "./client.ts";
import type { Watcher, Pointing } from "./company.ts";
import type { Gaze } from "./gaze.ts";
import { isOffered } from "./open/files.ts";
import { formatAddresses } from "./open/formats.ts";
import type { Answer, Ask, Opened, Locator, Placement, QueryName } from "./protocol.ts";
import { Observable } from "./observable.ts";
import type { Subject, Thing } from "./subject.ts";
import { parseTime } from "./time.ts";
import type { Companion } from "./world/companion.ts";

/** A recording of this page: the first is the one played, the others are its ghosts. */
export interface Deck {
  readonly opened: Opened;
  readonly place: Locator;
  readonly placement: Placement;
}

/** One thing, one message, or one byte of the file. */
export type Selection =
  | { readonly kind: "thing"; readonly set: string; readonly id: number | string }
  | { readonly kind: "message"; readonly time: Time; readonly sequence: number }
  | { readonly kind: "byte"; readonly offset: number };

/** Why something could not be opened. */
export interface Failure {
  readonly place: Locator;
  readonly as: "main" | "ghost";
  readonly code: string | null;
  readonly message: string;
}

export interface ViewerState {
  readonly phase: "empty" | "opening" | "open" | "failed";
  /** What is being opened: bytes read, of how many. */
  readonly opening: { readonly place: Locator; readonly done: number; readonly total: number | null } | null;
  readonly failure: Failure | null;
  readonly decks: readonly Deck[];
  /** `time` in it is that of the last change of anything else: see `Session.time` for the time shown. */
  readonly status: PlayerStatus;
  /** Whether it plays, or will as soon as it can. */
  readonly isPlaying: boolean;
  readonly selection: Selection | null;
  /** What all panels are about; null: nothing is there that could be. */
  readonly subject: Subject | null;
  /** Something to tell the user, for a moment. */
  readonly notice: string | null;
  /** What panels keep in the address, by a key of their own: plain JSON. */
  readonly shared: Readonly<Record<string, unknown>>;
}

/**
 * The panel that shows the most of what is open: the scene, where nothing has a place the plots, and of one moment the
 * state.
 */
export function mainPanel({ decks: [deck] }: ViewerState): string {
  if (deck === undefined || deck.opened.placed !== null) return "scene";
  const { start, end } = deck.opened.timeline;
  return end > start ? "plots" : "state";
}

/** What can be saved as a picture: drawn now, and handed out before anything else is drawn. */
export type Picture = () => HTMLCanvasElement;

/** Where in a picture a thing is, 0 to 1 from the left and from the top, or outside of that; null: behind the camera, or nowhere. */
export type Sight = (set: string, id: number | string) => { readonly x: number; readonly y: number } | null;

/** The camera of a scene. */
export interface SceneCamera {
  /** Whether it goes along with what is followed. */
  readonly isFollowing: boolean;
  /** Whether places of the recording are degrees north, degrees east and metres. */
  readonly isGeodetic: boolean;
  /** Where it is; null before the first frame. */
  gaze(): Gaze | null;
  /** Puts it somewhere; null: the user has it again. */
  look(gaze: Gaze | null): void;
}

export interface OpenAt {
  /** As text, as people type it: `1:30`, `50%`, `t1200`. Null, or text that is no time: where the first thing has a place. */
  readonly at?: Time | string | null;
  readonly loop?: TimeRange | null;
  readonly rate?: number;
  readonly selection?: Selection | null;
  /** What it is about, where that is not what is selected. */
  readonly subject?: Thing | null;
  /** Files that show its world. */
  readonly companions?: readonly Locator[];
}

/** What is asked of the player here. */
export type Move =
  | { readonly move: "play" | "pause" | "step" }
  | { readonly move: "seek"; readonly time: Time }
  | { readonly move: "rate"; readonly rate: number }
  | { readonly move: "loop"; readonly range: TimeRange | null };

/** Where the player is to go. */
interface Goal {
  readonly time: Time;
  /** The player is there, or behind it already: the next frame that is shown tells the time. */
  isReached: boolean;
}

/** How long a notice is shown, milliseconds. */
const NOTICE = 4000;

const CLOSED: PlayerStatus = { phase: "closed", time: 0, rate: 1, loop: null, bounds: null, error: null };

/** Of the first page. */
const NOTHING = {
  phase: "empty",
  opening: null,
  failure: null,
  decks: [],
  status: CLOSED,
  isPlaying: false,
  selection: null,
  subject: null,
} as const satisfies Partial<ViewerState>;

/** Everything a page has open. One for each page; React reads `state`, panels draw in `onFrame`. */
export class Session {
  readonly state: Observable<ViewerState> = new Observable({ ...NOTHING, notice: null, shared: {} });
  #client: Client | null = null;
  #player: RemotePlayer | null = null;
  #frame: Frame | null = null;
  /** Where it is to go, while what is shown is still elsewhere. */
  #goal: Goal | null = null;
  readonly #watchers = new Set<(frame: Frame) => void>();
  readonly #moveWatchers = new Set<(move: Move) => void>();
  /** What each reader reads of the bulk; null: all of it. */
  readonly #readers = new Set<{ readonly groups: readonly string[] | null }>();
  /** What is being opened. */
  readonly #openings = new Set<AbortController>();
  /** Files that recordings may need beside them and that were given to the page, by name. */
  readonly #needed = new Map<string, File>();
  #notice: ReturnType<typeof setTimeout> | null = null;
  /** Where the address says that the recording that will be opened next was left. */
  #left: OpenAt = {};
  #omitted: readonly string[] = [];
  /** What plays is being made: what is missing at its end is no damage. */
  isGrowing = false;
  /** Brings a panel to the front, by its id; what lays the panels out says how. */
  showPanel: (id: string) => void = () => undefined;
  /** What was asked for last: what the player tells may be older. */
  #isToPlay = false;
  /** By the id of the panel that draws it. */
  readonly pictures: Map<string, Picture> = new Map();
  /** Likewise. */
  readonly sights: Map<string, Sight> = new Map();
  /** Files that show the world of what plays, and were given with it or named in the address. */
  readonly given: Observable<readonly Locator[]> = new Observable<readonly Locator[]>([]);
  /** Those that were read, and others that were found beside it: what shows them reads them. */
  readonly companions: Observable<readonly Companion[]> = new Observable<readonly Companion[]>([]);
  /** Why chunks of companions are not shown, each once: they are read as they are looked at. */
  readonly blockProblems: Observable<readonly string[]> = new Observable<readonly string[]>([]);
  /** Those who watch the same elsewhere: the scene shows them. */
  readonly company: Observable<readonly Watcher[]> = new Observable<readonly Watcher[]>([]);
  /** Of the scene, where one is shown. */
  camera: SceneCamera | null = null;
  /** Where the user points in the scene; null: no scene is there. */
  pointing: () => Pointing | null = () => null;

  /** Shown last. */
  get frame(): Frame | null {
    return this.#frame;
  }

  /** The time shown, or that of a move under way; null: nothing is open. */
  get time(): Time | null {
    return this.#goal?.time ?? this.#frame?.time ?? null;
  }

  /** Bounds of what is played; of nothing, when nothing is open. */
  get bounds(): { readonly start: Time; readonly end: Time } {
    const { start, end } = this.state.value.decks[0]?.opened.timeline ?? { start: 0, end: 0 };
    return { start, end };
  }

  get isPlaying(): boolean {
    return this.state.value.isPlaying;
  }

  /**
   * Calls `watcher` with what is shown now and then with every frame that follows, until the function given back is
   * called: inside an animation frame, or before it where a frame is elsewhere than the one before. The next frame is
   * asked for when all watchers have come back, and the animation frame is over.
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

  /** Calls `watcher` with all that is asked of the player from now on, until the function given back is called. */
  onMove(watcher: (move: Move) => void): () => void {
    this.#moveWatchers.add(watcher);
    return () => this.#moveWatchers.delete(watcher);
  }

  /**
   * Has the values of these groups in what is shown, null for all, until the function given back is called. Of values
   * that are not read and that are many in a crowd only the names are there.
   */
  read(groups: readonly string[] | null): () => void {
    const reader = { groups };
    this.#readers.add(reader);
    this.#omitValues();
    return () => {
      this.#readers.delete(reader);
      this.#omitValues();
    };
  }

  /** Asks the worker. Rejects with `QueryError`, or with the signal's reason. */
  query<K extends QueryName>(
    name: K,
    ask: Ask<K>,
    options?: QueryOptions,
    transfer?: Transferable[],
  ): Promise<Answer<K>> {
    this.#client ??= new Client();
    return this.#client.query(name, ask, options, transfer);
  }

  /**
   * Opens another recording instead of all that are open. What cannot be opened is in `failure`; overtaken, nothing
   * happens. Where it takes long until all of it is read, its head plays meanwhile.
   */
  async open(place: Locator, from: OpenAt = this.#left): Promise<void> {
    this.#callOff();
    let head = null as Opened | null;
    const opened = await this.#load(place, "main", (first) => {
      head = first;
      void this.#begin(first, place, { ...from, loop: null });
    });
    if (head === null) {
      if (opened !== null) await this.#begin(opened, place, from);
    } else if (opened !== null) {
      await this.#complete(head, opened, from);
    } else if (this.state.value.decks[0]?.opened === head) {
      const { failure } = this.state.value;
      void this.close();
      if (failure !== null) this.fail(failure);
    }
  }

  /** Lays another recording over the one that plays. Several may be on their way at a time. */
  async addGhost(place: Locator, placement: Placement = {}): Promise<void> {
    const opened = await this.#load(place, "ghost");
    if (opened === null) return;
    this.state.update({ decks: [...this.state.value.decks, { opened, place, placement }] });
    await this.#replay(place);
  }

  /** Lays the `index`th deck, a ghost, elsewhere. */
  async placeGhost(index: number, placement: Placement): Promise<void> {
    const decks = this.state.value.decks.map((deck, i) => (i === index && i > 0 ? { ...deck, placement } : deck));
    this.state.update({ decks });
    await this.#replay(decks[index]?.place);
  }

  async removeGhost(index: number): Promise<void> {
    const { decks } = this.state.value;
    const gone = decks[index];
    if (index === 0 || gone === undefined) return;
    this.state.update({ decks: decks.filter((deck) => deck !== gone) });
    await this.#replay();
    await this.#drop([gone]);
  }

  /** Keeps files that the recordings which will be opened may need beside them. */
  give(files: readonly File[]): void {
    for (const file of files) this.#needed.set(file.name, file);
  }

  /** Files that show the world of the recording that is opened next. */
  bring(companions: readonly Locator[]): void {
    if (companions.length > 0) this.#left = { ...this.#left, companions };
  }

  /** Shows more files of the world of what plays; one takes the place of another of its name. */
  accompany(places: readonly Locator[]): void {
    const kept = this.given.value.filter(({ name }) => places.every((place) => place.name !== name));
    this.given.set([...kept, ...places]);
  }

  /** Takes note that something cannot be opened. */
  fail(failure: Failure): void {
    this.state.update({ phase: "failed", failure });
  }

  /** Opens everything that is open again, where it was left: what it was read from is another one now. */
  async openAgain(): Promise<void> {
    const { decks, status, selection, subject } = this.state.value;
    const [main, ...ghosts] = decks;
    if (main === undefined) return;
    const { rate, loop } = status;
    const companions = this.given.value;
    await this.open(main.place, { at: this.time, rate, loop, selection, subject, companions });
    for (const { place, placement } of ghosts) await this.addGhost(place, placement);
  }

  /**
   * Opens what plays again, as it has grown; what is shown, selected and played stays. What cannot be opened now is left as
   * it is. False: nothing has changed.
   */
  async grow(): Promise<boolean> {
    const [main] = this.state.value.decks;
    if (main === undefined || main.opened.isHead || this.#openings.size > 0) return false;
    const { place } = main;
    const ask = { place, given: [...this.#needed.values()], modules: formatAddresses(), isOffered: false };
    const opened = await this.query("open", ask).catch(() => null);
    if (opened === null) return false;
    const { timeline, findings } = main.opened;
    const isSame = opened.timeline.end <= timeline.end && opened.findings.length === findings.length;
    if (this.state.value.decks[0] !== main || isSame) {
      await this.query("close", { recording: opened.recording });
      return false;
    }
    await this.#complete(main.opened, opened, {});
    return true;
  }

  /** Opens what could not be opened once more, as it was to be. */
  async tryAgain(): Promise<void> {
    const { failure } = this.state.value;
    if (failure?.as === "main") await this.open(failure.place);
    else if (failure?.as === "ghost") await this.addGhost(failure.place);
  }

  /** Back to the first page. */
  async close(): Promise<void> {
    this.#callOff();
    this.share("path", undefined);
    await this.#clear();
  }

  /** Closes all that is open, and ends the worker: the session plays nothing after that. */
  end(): void {
    this.#callOff();
    void this.#clear();
    if (this.#notice !== null) clearTimeout(this.#notice);
    this.#client?.end();
  }

  /** Where to begin in the recording that is opened next, unless its opener says so. */
  leaveAt(from: OpenAt): void {
    this.#left = from;
  }

  tell(notice: string): void {
    if (this.#notice !== null) clearTimeout(this.#notice);
    this.state.update({ notice });
    this.#notice = setTimeout(() => this.state.update({ notice: null }), NOTICE);
  }

  /** Takes note that the user has seen why something could not be opened. */
  forgetFailure(): void {
    const { decks } = this.state.value;
    const phase = this.#openings.size > 0 ? "opening" : decks.length > 0 ? "open" : "empty";
    this.state.update({ failure: null, phase });
  }

  /** Plays; at rest behind the loop, from where it begins. */
  play(): void {
    if (this.#player === null) return;
    const entry = this.isPlaying ? null : this.#loopEntry();
    if (entry !== null) void this.seek(entry);
    this.#setPlaying(true);
    this.#player.play();
    this.#tellMove({ move: "play" });
  }

  pause(): void {
    this.#setPlaying(false);
    this.#player?.pause();
    this.#tellMove({ move: "pause" });
  }

  async seek(time: Time): Promise<boolean> {
    const player = this.#player;
    if (player === null) return false;
    const { start, end } = this.bounds;
    const goal: Goal = { time: Math.min(end, Math.max(start, Math.round(time))), isReached: false };
    this.#goal = goal;
    const seeking = player.seek(goal.time);
    this.#tellMove({ move: "seek", time: goal.time });
    const isShown = await seeking;
    goal.isReached = true;
    if (!isShown && this.#goal === goal) this.#goal = null;
    return isShown;
  }

  async step(count: number, by?: StepUnit): Promise<boolean> {
    this.#setPlaying(false);
    const isShown = (await this.#player?.step(count, by)) ?? false;
    this.#tellMove({ move: "step" });
    return isShown;
  }

  setRate(rate: number): void {
    if (this.#player === null) return;
    this.#player.setRate(rate);
    this.#setStatus({ rate });
    this.#tellMove({ move: "rate", rate });
  }

  /** Plays a little faster or slower than the rate that is shown, so that it comes to where others are. */
  nudge(factor: number): void {
    this.#player?.setRate(this.state.value.status.rate * factor);
  }

  setLoop(range: TimeRange | null): void {
    const { start = this.bounds.start, end = this.bounds.end } = range ?? {};
    if (range !== null && start >= end) {
      this.tell("This recording has only one moment: there is nothing to loop");
    } else if (this.#player !== null) {
      this.#player.setLoop(range);
      this.#setStatus({ loop: range });
      this.#tellMove({ move: "loop", range });
    }
  }

  /**
   * A thing that is selected is the subject from then on, also when a message or a byte is selected after it; when nothing
   * is, the subject is the recording's own again.
   */
  select(selection: Selection | null): void {
    const { subject: before } = this.state.value;
    const isOver = selection === null && before?.isChosen === true;
    this.state.update({ selection, subject: selection?.kind === "thing" ? chosen(selection) : isOver ? null : before });
  }

  /** Makes a thing the subject, unless the user has chosen one. */
  regard({ set, id }: Thing): void {
    const { subject } = this.state.value;
    if (subject?.isChosen === true || (subject?.set === set && subject.id === id)) return;
    this.state.update({ subject: { set, id, isChosen: false } });
  }

  /** Keeps something in the address; undefined takes it out. */
  share(key: string, value: unknown): void {
    const { [key]: _, ...others } = this.state.value.shared;
    this.state.update({ shared: value === undefined ? others : { ...others, [key]: value } });
  }

  /** Calls off what is being opened; a head whose rest is not read any more is closed. */
  #callOff(): void {
    for (const controller of this.#openings) controller.abort();
    this.#openings.clear();
    if (this.state.value.decks[0]?.opened.isHead === true) void this.#clear();
  }

  /** Closes all that is open. */
  #clear(): Promise<void> {
    const { decks } = this.state.value;
    this.#leave();
    this.#frame = null;
    this.#goal = null;
    this.state.update(NOTHING);
    return this.#drop(decks);
  }

  /** Plays what was opened instead of all that are open; from its start when the head does not reach the time wanted. */
  async #begin(
    opened: Opened,
    place: Locator,
    { at = null, loop = null, rate = 1, selection = null, subject = null, companions = [] }: OpenAt,
  ): Promise<void> {
    const before = this.state.value.decks;
    // The way of a camera in one recording is nowhere in another.
    if (before.length > 0 && before[0]!.place.name !== place.name) this.share("path", undefined);
    const { isHead, placed, timeline } = opened;
    const first = placed ?? timeline.start;
    const wanted = timeIn(at, timeline);
    this.#left = {};
    this.#frame = null;
    this.#setPlaying(false);
    this.given.set(companions);
    this.state.update({
      decks: [{ opened, place, placement: {} }],
      selection: null,
      subject: subject === null ? null : chosen(subject),
    });
    if (selection !== null) this.select(selection);
    await this.#play(place, wanted === null || (isHead && wanted > timeline.end) ? first : wanted, rate, loop);
    await this.#drop(before);
  }

  /** Lays all of a recording where its head was: what is shown, selected and played stays. */
  async #complete(head: Opened, opened: Opened, { at = null, loop = null }: OpenAt): Promise<void> {
    const [main, ...ghosts] = this.state.value.decks;
    const { status } = this.state.value;
    const wanted = timeIn(at, opened.timeline);
    const isBehind = wanted !== null && wanted > head.timeline.end;
    this.state.update({ decks: [{ ...main!, opened }, ...ghosts] });
    // it stopped where the head does, not where it was to
    if (status.phase === "ended" && this.#isToPlay) this.#setPlaying(true);
    const time = isBehind ? wanted : (this.time ?? opened.timeline.start);
    await this.#play(main!.place, time, status.rate, status.loop ?? loop);
    await this.#drop([main!]);
  }

  /** Null, and `failure` says why, or it was called off. `onHead` gets the head, where there is one. */
  async #load(
    place: Locator,
    as: Failure["as"],
    onHead: (head: Opened) => void = ({ recording }) => void this.query("close", { recording }),
  ): Promise<Opened | null> {
    const controller = new AbortController();
    this.#openings.add(controller);
    this.state.update({ phase: "opening", opening: { place, done: 0, total: null }, failure: null });
    try {
      return await this.query(
        "open",
        { place, given: [...this.#needed.values()], modules: formatAddresses(), isOffered: isOffered(place) },
        {
          signal: controller.signal,
          onProgress: ({ done, total, partial }) => {
            this.state.update({ opening: { place, done, total } });
            if (partial !== undefined) onHead(partial as Opened);
          },
        },
      );
    } catch (error) {
      if (!controller.signal.aborted) this.#fail(place, as, error);
      return null;
    } finally {
      this.#openings.delete(controller);
      if (this.#openings.size === 0 && !controller.signal.aborted) this.state.update({ opening: null });
    }
  }

  #fail(place: Locator, as: Failure["as"], error: unknown): void {
    const code = error instanceof QueryError ? error.code : null;
    this.fail({ place, as, code, message: error instanceof Error ? error.message : String(error) });
  }

  /** The same place, rate and loop with the decks there are now. */
  async #replay(place = this.state.value.decks[0]?.place): Promise<void> {
    const { rate, loop } = this.state.value.status;
    if (place !== undefined) await this.#play(place, this.time ?? this.bounds.start, rate, loop);
  }

  /** Plays the decks, on from where it was to be. What cannot be played is the fault of `place`. */
  async #play(place: Locator, at: Time, rate: number, loop: TimeRange | null): Promise<void> {
    const [main, ...ghosts] = this.state.value.decks;
    this.#goal = { time: at, isReached: true };
    this.#leave();
    const { port1, port2 } = new MessageChannel();
    const player = connectPlayer(port1);
    this.#player = player;
    this.state.update({ status: { ...CLOSED, phase: "loading", time: at, rate, loop } });
    player.onStatus((status) => {
      if (player !== this.#player) return;
      this.#hear(status);
    });
    this.#omitted = [];
    this.#omitValues();
    player.subscribe((frame) => this.#show(player, frame));
    if (this.isPlaying) player.play();
    const ask = {
      recording: main!.opened.recording,
      port: port2,
      ghosts: ghosts.map(({ opened, placement }) => ({ ...placement, recording: opened.recording })),
      at,
      rate,
      loop,
    };
    this.#client ??= new Client();
    try {
      await this.#client.query("play", ask, {}, [port2]);
    } catch (error) {
      const as = place === main!.place ? "main" : "ghost";
      if (player === this.#player) this.#fail(place, as, error);
      return;
    }
    if (player === this.#player && this.#openings.size === 0) this.state.update({ phase: "open" });
  }

  /** Rate and loop are as they were asked for here last: the player may tell of those before. */
  #hear(status: PlayerStatus): void {
    const { rate, loop } = this.state.value.status;
    const { phase } = status;
    const isOver = phase === "ended" || phase === "failed" || phase === "closed";
    const isUnderWay = phase === "playing" || phase === "buffering";
    const isPlaying = isOver ? false : isUnderWay ? this.#isToPlay : this.isPlaying;
    this.state.update({ status: { ...status, rate, loop }, isPlaying });
  }

  #setPlaying(isPlaying: boolean): void {
    this.#isToPlay = isPlaying;
    this.state.update({ isPlaying });
  }

  #tellMove(move: Move): void {
    for (const watcher of [...this.#moveWatchers]) watcher(move);
  }

  #setStatus(changes: Partial<PlayerStatus>): void {
    this.state.update({ status: { ...this.state.value.status, ...changes } });
  }

  /** Where the loop is entered, when what is shown is behind it in the direction of playing. */
  #loopEntry(): Time | null {
    const { loop, rate } = this.state.value.status;
    const { bounds, time } = this;
    if (loop === null || time === null) return null;
    const start = Math.max(loop.start ?? bounds.start, bounds.start);
    const end = Math.min(loop.end ?? bounds.end, bounds.end);
    const isBehind = rate > 0 ? time > end : time < start;
    return isBehind && start < end ? (rate > 0 ? start : end) : null;
  }

  /** Tells the player what need not come. */
  #omitValues(): void {
    const readers = [...this.#readers];
    const bulk = new Set(this.state.value.decks.flatMap(({ opened }) => opened.showing.bulk ?? []));
    const omitted = [...bulk].filter((group) => !readers.some(({ groups }) => groups?.includes(group) ?? true));
    if (omitted.join(" ") === this.#omitted.join(" ")) return;
    this.#omitted = omitted;
    this.#player?.omitValues(omitted);
  }

  #leave(): void {
    const player = this.#player;
    this.#player = null;
    void player?.close();
  }

  /** What is elsewhere at once is shown at once: components that draw are done the sooner. */
  #show(player: Player, frame: Frame): Promise<void> {
    const isJump = frame.since === null;
    if (isJump) this.#tell(player, frame);
    return new Promise((resolve) => {
      requestAnimationFrame(() => {
        if (!isJump) this.#tell(player, frame);
        resolve();
      });
    });
  }

  #tell(player: Player, frame: Frame): void {
    if (player !== this.#player) return;
    this.#frame = frame;
    if (this.#goal?.isReached === true || this.#goal?.time === frame.time) this.#goal = null;
    for (const watcher of [...this.#watchers]) {
      // One that fails must not hold up the others, nor the frames to come.
      try {
        watcher(frame);
      } catch (error) {
        reportError(error);
      }
    }
  }

  async #drop(decks: readonly Deck[]): Promise<void> {
    await Promise.all(decks.map(({ opened }) => this.query("close", { recording: opened.recording })));
  }
}

function chosen({ set, id }: Thing): Subject {
  return { set, id, isChosen: true };
}

/** Null: none is wanted, or the text is no time of this recording. */
function timeIn(at: Time | string | null, timeline: Timeline): Time | null {
  return typeof at === "string" ? parseTime(at, timeline, timeline.start) : at;
}
