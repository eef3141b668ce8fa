// for users whose `lib` is older
/// <reference lib="esnext.disposable" preserve="true" />
import type { Recording } from "../model/recording.ts";
import type { Time, TimeRange } from "../model/values/time.ts";
import { Audience, type Picture } from "./audience.ts";
import { checkedCount, checkedLoop, checkedRate, checkedTime } from "./checks.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { FrameListener } from "./frame.ts";
import { Library, type Want } from "./library.ts";
import { stepFrom } from "./moments.ts";
import { type Bounds, positionAt, waysUntil } from "./passage.ts";
import { type Phase, STAGES } from "./stages.ts";
import { Track } from "./track.ts";
import { type Cause, type PlayEvent, type StepUnit, type Target, transition, type Transport } from "./transport.ts";

/** Between two frames: sixty in a second. */
const INTERVAL: Time = 16_666_667;
/** What will be played so soon, in wall time, is fetched ahead. */
const HORIZON: Time = 2e9;
/** Waiting is reported when it takes longer. */
const REPORT_WAIT: Time = 100e6;
/** From the beginning of a load to that of the next, for moves that overtake each other: a server is not flooded. */
const PACE: Time = 66e6;
/**
 * When its turn has come, a place that is older than the first waits for a newer one, until it is as old as the second.
 */
const FRESH: Time = 8e6;
const STILL: Time = 20e6;
/** From a move that overtook another until the pointer counts as resting. */
const DRAGGED: Time = 200e6;
/** From the beginning of a load that was overtaken to its being given up. */
const OVERDUE: Time = 250e6;
const MEMORY = 64 << 20;

/** What a player does at the moment. */
export interface PlayerStatus {
  readonly phase: Phase;
  /** Time of the frame that was shown last. */
  readonly time: Time;
  readonly rate: number;
  readonly loop: TimeRange | null;
  /** Times of the first and last message; null until they are known. */
  readonly bounds: Bounds | null;
  /** Why the phase is `"failed"`; play or seek to try again. */
  readonly error: { readonly code: string | null; readonly message: string } | null;
}

/** Plays recordings on one clock. Commands take effect at once and in the order given. */
export interface Player extends AsyncDisposable {
  readonly status: PlayerStatus;
  /** Plays. At the end, or backwards at the start, it begins from the other end. */
  play(): void;
  pause(): void;
  /**
   * Goes to a time; paused or playing stays as it is. Resolves to true when the time is shown, to false when another
   * command overtook it or it failed. For a pointer that is dragged, call it with every position: one load at a time,
   * fifteen in a second at most, and always the newest position next.
   */
  seek(time: Time): Promise<boolean>;
  /**
   * Pauses, and goes `count` steps; back when negative. Steps are ticks by default, else frames, else messages. Result
   * as of `seek`.
   */
  step(count: number, by?: StepUnit): Promise<boolean>;
  /** From -64 to 64; negative plays backwards. Throws `RangeError` for others and for 0: use `pause()`. */
  setRate(rate: number): void;
  /** Repeats a range, both ends included, until a seek leaves it. An absent bound is that of the recording. */
  setLoop(range: TimeRange | null): void;
  /** Calls `listener` with the present frame and with every later one, until the returned function is called. */
  subscribe(listener: FrameListener): () => void;
  /** Calls `listener` when anything in the status but its time has changed. */
  onStatus(listener: (status: PlayerStatus) => void): () => void;
  /** Stops for good. The recordings stay open. */
  close(): Promise<void>;
}

/** Another recording on the same clock. Before its start it shows the start, after its end it shows the end. */
export interface GhostOptions {
  readonly recording: Recording;
  /**
   * A time of the played recording and a time of the ghost that are shown together, those of a mark for instance;
   * absent: their starts.
   */
  readonly align?: { readonly main: Time; readonly ghost: Time } | undefined;
  /** Added to the ghost's times. */
  readonly offset?: Time | undefined;
  /** Ghost time per time of the played recording; default 1. */
  readonly rate?: number | undefined;
}

/** How playing begins. Everything is optional. */
export interface PlayOptions {
  readonly clock?: Clock | undefined;
  readonly ghosts?: readonly GhostOptions[] | undefined;
  /** Time to begin at, paused; default the start. */
  readonly at?: Time | undefined;
  readonly rate?: number | undefined;
  readonly loop?: TimeRange | null | undefined;
  /** At the end: stop there, or begin again. Default stop. */
  readonly atEnd?: "stop" | "repeat" | undefined;
  /** Interpolates between two messages of the motion channel. Default true. */
  readonly interpolate?: boolean | undefined;
  /** Sets whose things walk, for instance: states for pictures have their speeds. Default none; only with `interpolate`. */
  readonly speeds?: readonly string[] | undefined;
  /**
   * Seeks come from a user, with a pointer or a key that is held: those that follow each other within 100 ms are paced
   * although each was shown before the next came. Default false: they begin at once.
   */
  readonly interactive?: boolean | undefined;
  /** Wall time between two frames, nanoseconds; default a sixtieth of a second. */
  readonly interval?: Time | undefined;
  /** Bytes of recordings kept in memory, about; default 64 MiB. */
  readonly memory?: number | undefined;
}

/** Makes a player of a recording, paused. Throws `RangeError` for a wrong rate or loop. */
export function play(recording: Recording, options: PlayOptions = {}): Player {
  return new LocalPlayer(recording, options);
}

class LocalPlayer implements Player {
  readonly #clock: Clock;
  readonly #interval: Time;
  readonly #isInteractive: boolean;
  readonly #library: Library;
  /** The first is the recording played, the others are its ghosts. */
  readonly #tracks: readonly Track[];
  readonly #ghosts: readonly GhostOptions[];
  readonly #audience = new Audience();
  readonly #watchers = new Set<(status: PlayerStatus) => void>();
  #transport: Transport;
  /** Of the one activity. */
  #controller = new AbortController();
  #callOff: () => void = nothing;
  /** What the load that is under way is for, and when it began. */
  #loading: Target | null = null;
  #begunAt: Time = Number.NEGATIVE_INFINITY;
  #soughtAt: Time = Number.NEGATIVE_INFINITY;
  /** From the place before the newest to the newest. */
  #sinceOther: Time = Number.POSITIVE_INFINITY;
  /** Until then no move makes anything be read. */
  #pacedUntil: Time = Number.NEGATIVE_INFINITY;
  /** Until then more moves are likely to come, and nothing is read ahead. */
  #draggedUntil: Time = Number.NEGATIVE_INFINITY;
  /** Of moves that may still be shown: the one that is loaded, and the newest. */
  readonly #moves = new Map<Target, (isShown: boolean) => void>();

  constructor(recording: Recording, options: PlayOptions) {
    const { ghosts = [], rate = 1, loop = null, interpolate = true, speeds = [] } = options;
    this.#clock = options.clock ?? systemClock;
    this.#interval = options.interval ?? INTERVAL;
    this.#isInteractive = options.interactive ?? false;
    this.#library = new Library(options.memory ?? MEMORY, 1 + ghosts.length);
    this.#ghosts = ghosts;
    this.#tracks = [recording, ...ghosts.map((ghost) => ghost.recording)].map(
      (of) => new Track(this.#library.reelOf(of), interpolate, speeds),
    );
    this.#transport = {
      stage: "settling",
      generation: 0,
      bounds: null,
      anchor: { clock: 0, time: 0 },
      time: options.at ?? 0,
      shownAt: 0,
      rate: checkedRate(rate),
      loop: checkedLoop(loop),
      isRepeating: options.atEnd === "repeat",
      target: { kind: "start", from: options.at ?? null, steps: 0, by: null, cause: "seek" },
      cause: "seek",
      error: null,
    };
    void this.#load(0, this.#controller.signal);
  }

  get status(): PlayerStatus {
    return statusOf(this.#transport);
  }

  play(): void {
    this.#dispatch({ type: "play" });
  }

  pause(): void {
    this.#dispatch({ type: "pause" });
  }

  seek(time: Time): Promise<boolean> {
    return this.#move({ type: "seek", time: checkedTime(time) });
  }

  step(count: number, by?: StepUnit): Promise<boolean> {
    return this.#move({ type: "step", count: checkedCount(count), by: by ?? null });
  }

  setRate(rate: number): void {
    this.#dispatch({ type: "rate", rate: checkedRate(rate) });
  }

  setLoop(range: TimeRange | null): void {
    this.#dispatch({ type: "loop", loop: checkedLoop(range) });
  }

  subscribe(listener: FrameListener): () => void {
    return this.#audience.join(listener);
  }

  onStatus(listener: (status: PlayerStatus) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  close(): Promise<void> {
    this.#dispatch({ type: "close" });
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #move(event: PlayEvent): Promise<boolean> {
    return new Promise((resolve) => {
      this.#dispatch(event, resolve);
    });
  }

  /** The only place where anything changes: one event, one new transport, and what it says must be done. */
  #dispatch(event: PlayEvent, onMoved: (isShown: boolean) => void = nothing): void {
    const before = this.#transport;
    const now = this.#clock.now();
    if (event.type === "seek") this.#noteSeek(now);
    const after = transition(before, event, now);
    if (after.target === before.target) onMoved(false);
    else this.#moves.set(after.target, onMoved);
    if (after === before) return;
    this.#transport = after;
    if (after.generation !== before.generation) this.#begin(after);
    else if (after.target !== before.target) this.#overtake(now);
    this.#settle(event.type === "arrived" ? event.target : null);
    if (hasChanged(before, after)) for (const watcher of [...this.#watchers]) watcher(statusOf(after));
  }

  /** Tells the moves that were shown or never will be. */
  #settle(shown: Target | null): void {
    const { stage, target } = this.#transport;
    const isLoading = STAGES[stage].activity === "load";
    for (const [move, onMoved] of [...this.#moves]) {
      const isComing = isLoading && (move === target || move === this.#loading);
      if (isComing && move !== shown) continue;
      this.#moves.delete(move);
      onMoved(move === shown);
    }
  }

  /** Leaves off what was done, and does what the stage is for. */
  #begin({ stage, generation, target }: Transport): void {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#loading = null;
    this.#callOff();
    this.#callOff = nothing;
    const now = this.#clock.now();
    switch (STAGES[stage].activity) {
      case "load":
        if (stage === "waiting") this.#wake(now + REPORT_WAIT, () => this.#dispatch({ type: "delayed" }));
        if (now < Math.max(this.#pacedUntil, this.#draggedUntil) && this.#isPaced(target)) this.#queue(now);
        else void this.#load(generation, this.#controller.signal);
        break;
      case "run":
        this.#lookAhead();
        this.#schedule(generation, now);
        break;
      case null:
        this.#library.stop();
        break;
      default:
        STAGES[stage].activity satisfies never;
    }
  }

  /** A newer place than the one that is loaded, or that waits for its turn. */
  #overtake(now: Time): void {
    if (this.#loading === null) {
      this.#queue(now);
      return;
    }
    this.#draggedUntil = now + DRAGGED;
    this.#pacedUntil = this.#begunAt + PACE;
    this.#wake(this.#begunAt + OVERDUE, () => this.#dispatch({ type: "overdue" }));
  }

  /** Moves that were commanded while the thread was busy are taken first. */
  #queue(now: Time): void {
    this.#wake(Math.max(now, this.#pacedUntil), () => this.#takeTurn());
  }

  /** Loads the newest place, which is best begun as the pointer comes to it, when one comes soon after another. */
  #takeTurn(): void {
    const age = this.#clock.now() - this.#soughtAt;
    if (age > FRESH && age < STILL && this.#sinceOther < STILL)
      this.#wake(this.#soughtAt + STILL, () => this.#takeTurn());
    else void this.#load(this.#transport.generation, this.#controller.signal);
  }

  /** Who seeks again so soon while it plays drags something; at rest a program may simply seek one after another. */
  #noteSeek(now: Time): void {
    const isDragging = this.#isInteractive || this.#transport.stage === "running";
    if (isDragging && now < this.#soughtAt + DRAGGED / 2) {
      this.#draggedUntil = now + DRAGGED;
      this.#pacedUntil = Math.max(this.#pacedUntil, this.#begunAt + PACE);
    }
    this.#sinceOther = now - this.#soughtAt;
    this.#soughtAt = now;
  }

  /** A place that a pointer may be dragged over, and that is not in memory. */
  #isPaced({ kind, from, steps }: Target): boolean {
    if (kind !== "move" || from === null || steps !== 0) return false;
    return this.#transport.bounds === null || !this.#tracks.every((track) => track.reach(from));
  }

  async #load(generation: number, signal: AbortSignal): Promise<void> {
    this.#loading = this.#transport.target;
    this.#begunAt = this.#clock.now();
    if (this.#begunAt < this.#draggedUntil) this.#pacedUntil = this.#begunAt + PACE;
    try {
      if (this.#transport.bounds === null) {
        const bounds = await this.#open();
        if (generation !== this.#transport.generation) return;
        this.#dispatch({ type: "opened", ...bounds });
      }
      const target = this.#loading;
      const time = await this.#placeOf(target, signal);
      if (generation !== this.#transport.generation) return;
      const missing = this.#missing(target, time);
      const stretches = await this.#library.need(missing, signal);
      if (generation !== this.#transport.generation) return;
      for (const [i, { track }] of missing.entries()) track.enter(stretches[i]!);
      const picture = this.#picture(time, target.cause);
      this.#dispatch({ type: "arrived", target, time });
      this.#audience.show(picture);
    } catch (error) {
      if (generation !== this.#transport.generation) return;
      const isOvertaken = this.#loading !== this.#transport.target;
      this.#dispatch(isOvertaken ? { type: "overdue" } : { type: "failed", error });
    }
  }

  /** What is needed to look at a time, or to play on from it. */
  #missing({ kind }: Target, time: Time): (Want & { readonly track: Track })[] {
    const isForward = this.#transport.rate > 0;
    return this.#tracks.flatMap((track) => {
      const wanted = kind === "starved" ? track.starved(time, isForward) : track.needed(time);
      return wanted === null ? [] : [{ track, reel: track.reel, wanted }];
    });
  }

  /** Learns the bounds, and lays the ghosts beside the recording. */
  async #open(): Promise<Bounds> {
    const [main, ...others] = await Promise.all(this.#tracks.map((track) => track.reel.open()));
    for (const [i, { align, offset = 0, rate = 1 }] of this.#ghosts.entries()) {
      const at = (align?.main ?? main!.start) + offset;
      this.#tracks[i + 1]!.place({ at, own: align?.ghost ?? others[i]!.start, rate });
    }
    return main!;
  }

  async #placeOf({ from, steps, by }: Target, signal: AbortSignal): Promise<Time> {
    const { recording, timeline } = this.#tracks[0]!.reel;
    const time = Math.min(timeline.end, Math.max(timeline.start, from ?? timeline.start));
    return steps === 0 ? time : stepFrom(recording, timeline, time, steps, by, signal);
  }

  #tick(generation: number): void {
    const now = this.#clock.now();
    const { time, isEdge, lost } = positionAt(this.#transport, now);
    try {
      if (!this.#tracks.every((track) => track.reach(time))) {
        this.#dispatch({ type: "starved", time });
        return;
      }
      const picture = this.#picture(time, this.#transport.cause);
      this.#dispatch({ type: "shown", time, lost });
      this.#audience.show(picture);
      // A listener may have said what to do next.
      if (generation !== this.#transport.generation) return;
      if (isEdge) this.#dispatch({ type: "edge" });
    } catch (error) {
      this.#dispatch({ type: "failed", error });
    }
    if (generation !== this.#transport.generation) return;
    this.#lookAhead();
    this.#schedule(generation, now);
  }

  /** The next tick, an interval behind the one of `began`, or when a listener is free. */
  #schedule(generation: number, began: Time): void {
    const free = this.#audience.whenFree();
    if (free === null) {
      this.#wake(Math.max(began + this.#interval, this.#clock.now()), () => this.#tick(generation));
      return;
    }
    void free.then(() => {
      if (generation === this.#transport.generation) this.#schedule(generation, began);
    });
  }

  /** One alarm at a time. */
  #wake(at: Time, then: () => void): void {
    this.#callOff();
    this.#callOff = this.#clock.wake(at, then);
  }

  #lookAhead(): void {
    const now = this.#clock.now();
    if (now < this.#draggedUntil) return;
    const ways = waysUntil(this.#transport, now + HORIZON);
    const { ahead } = this.#library;
    const missing = ways.flatMap(({ from, to }) => this.#tracks.map((track) => track.lookAhead(from, to, ahead)));
    if (this.#library.lookAhead(missing.filter((want) => want !== null))) this.#pacedUntil = now + PACE;
  }

  #picture(time: Time, cause: Cause): Picture {
    const [main, ...ghosts] = this.#tracks.map((track) => track.at(time));
    return { time, cause, ...main!, ghosts: ghosts.map(({ state }) => state) };
  }
}

function nothing(): void {}

function statusOf({ stage, time, rate, loop, bounds, error }: Transport): PlayerStatus {
  const { phase } = STAGES[stage];
  return { phase, time, rate, loop: rangeOf(loop), bounds, error: phase === "failed" ? errorOf(error) : null };
}

/** Without the infinities that stand for absent bounds. */
function rangeOf(loop: Bounds | null): TimeRange | null {
  if (loop === null) return null;
  return {
    ...(loop.start === Number.NEGATIVE_INFINITY ? {} : { start: loop.start }),
    ...(loop.end === Number.POSITIVE_INFINITY ? {} : { end: loop.end }),
  };
}

function errorOf(error: unknown): PlayerStatus["error"] {
  if (!(error instanceof Error)) return { code: null, message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  return { code, message: error.message };
}

function hasChanged(a: Transport, b: Transport): boolean {
  if (STAGES[a.stage].phase !== STAGES[b.stage].phase) return true;
  return a.rate !== b.rate || a.loop !== b.loop || a.bounds !== b.bounds;
}
