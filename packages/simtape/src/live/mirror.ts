import { LayoutError } from "../bytes/error.ts";
import { filesBundle } from "../io/source/bundle.ts";
import { MemoryFiles } from "../io/sink/sink.ts";
import type { MessageBatch } from "../model/messages/batch.ts";
import type { Format } from "../model/format.ts";
import { Growth } from "../model/state/growth.ts";
import { openBundle } from "../model/open.ts";
import { MutableState } from "../model/state/state.ts";
import type { StateModel } from "../model/state/state-model.ts";
import type { Time } from "../model/values/time.ts";
import type { Writer } from "../model/writer.ts";
import type { Recorder } from "../record/live/recorder.ts";
import type { FeedChannel, TakeDescription } from "./feed.ts";
import type { Gap } from "./journal.ts";
import type { Keeper } from "./session.ts";

/** What a mirror records into: a `Recorder` that takes whole states. */
export type MirrorTarget = Pick<Recorder, "tick" | "goTo" | "state" | "session" | "mark" | "ready" | "poll">;

/** Begins the recording, when the first message is there. `epoch`: Unix nanoseconds at its time 0. */
export type OpenMirror = (epoch: bigint) => Promise<MirrorTarget>;

/** Nanoseconds of a tick of the recording. */
const TICK: Time = 50_000_000;
/** Milliseconds of messages that are folded together. */
const FOLD_EVERY = 200;
/** Bytes that may wait to be folded: then the feed waits. */
const MOST_WAITING = 16 << 20;
/** Nanoseconds from messages that were folded before to those of a fold. */
const LEAD: Time = 1e6;
/** Nanoseconds by which times may fall back, or be ahead, before the clock of the source is taken for another one. */
const BACK: Time = 1e9;
const AHEAD: Time = 3600e9;
/** How often a state is held, about. */
const COPIES = 4;

/** Messages between which the clock of the source goes on evenly; `gap` stands before them. */
class Run {
  readonly gap: Gap | null;
  readonly channels: number[] = [];
  readonly times: Time[] = [];
  readonly payloads: Uint8Array[] = [];
  last: Time = Number.NEGATIVE_INFINITY;

  constructor(gap: Gap | null) {
    this.gap = gap;
  }

  add(channel: number, time: Time, payload: Uint8Array): void {
    this.channels.push(channel);
    this.times.push(time);
    this.payloads.push(payload);
    this.last = Math.max(this.last, time);
  }
}

/**
 * Records what a feed says as state, while it is said: messages are folded by the feed's own format, and what holds at
 * each tick of 50 ms goes into a live recording, which pages show while it grows. Memory holds the state and what has
 * arrived since the last fold. A time between two ticks becomes the later one.
 */
export class Mirror implements Keeper {
  readonly #format: Format;
  readonly #open: OpenMirror;
  readonly #specs: FeedChannel[] = [];
  readonly #state = new MutableState();
  readonly #timer: ReturnType<typeof setInterval>;
  #create: TakeDescription = {};
  #runs: Run[] = [new Run(null)];
  #waiting = 0;
  /**
   * The last message of each channel, of formats whose messages come whole: the first of a file may begin everything
   * again, so each fold begins with what was folded before, and leaves that out.
   */
  readonly #leads = new Map<number, Uint8Array>();
  #target: MirrorTarget | null = null;
  #growth: Growth | null = null;
  /** The state has changed since it was last recorded. */
  #isChanged = false;
  /** A time of the feed, and the tick that it is. */
  #anchor: { readonly time: Time; readonly tick: number } | null = null;
  #folding: Promise<void> = Promise.resolve();
  #isFolding = false;
  #failure: { readonly cause: unknown } | null = null;

  /** `open` is called once. The mirror must be closed. */
  constructor(format: Format, open: OpenMirror) {
    this.#format = format;
    this.#open = open;
    this.#timer = setInterval(() => {
      if (!this.#isFolding) void this.#foldAll();
    }, FOLD_EVERY);
  }

  channel(channel: FeedChannel): number {
    this.#specs.push(channel);
    return this.#specs.length - 1;
  }

  write(channel: number, _arrival: Time, time: Time, payload: Uint8Array): void {
    let run = this.#runs.at(-1)!;
    if (time < run.last - BACK || (run.times.length > 0 && time > run.last + AHEAD)) {
      run = new Run(null);
      this.#runs.push(run);
    }
    run.add(channel, time, payload.slice());
    this.#waiting += payload.length;
  }

  describe(_at: Time, create: TakeDescription): void {
    this.#create = create;
  }

  gap(gap: Gap): void {
    this.#runs.push(new Run(gap));
  }

  lost(): void {
    // counted by the session
  }

  /** Null while there is room. */
  get ready(): Promise<void> | null {
    if (this.#waiting < MOST_WAITING) return null;
    return this.#isFolding ? this.#folding : this.#foldAll();
  }

  /** Rejects when the recording has failed. */
  async flush(): Promise<void> {
    if (this.#failure !== null) throw this.#failure.cause;
  }

  /** Records what has arrived. The recording stays open: its maker closes it. Rejects when it has failed. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#folding;
    await this.#foldAll();
    await this.flush();
    this.#rest();
  }

  #foldAll(): Promise<void> {
    this.#isFolding = true;
    this.#folding = this.#fold()
      .catch((cause: unknown) => {
        this.#failure ??= { cause };
      })
      .finally(() => {
        this.#isFolding = false;
      });
    return this.#folding;
  }

  async #fold(): Promise<void> {
    const runs = this.#runs;
    if (this.#failure !== null || runs.every(({ times, gap }) => times.length === 0 && gap === null)) {
      this.#rest();
      this.#target?.poll();
      return;
    }
    this.#runs = [new Run(null)];
    // times of the next run are compared with these
    this.#runs[0]!.last = runs.at(-1)!.last;
    for (const run of runs) {
      if (run.gap !== null) this.#mark(run.gap);
      if (run.times.length > 0) await this.#record(run);
    }
    // what came meanwhile waits for the next fold
    this.#waiting = 0;
    for (const { payloads } of this.#runs) for (const { length } of payloads) this.#waiting += length;
    if (this.#target?.ready != null) await this.#target.ready;
  }

  /** Nothing more is said of the present tick for now. */
  #rest(): void {
    if (!this.#isChanged || this.#target === null) return;
    this.#show();
    this.#target.goTo(this.#target.tick + 1);
  }

  #show(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#target!.state(this.#state.freeze());
  }

  #mark({ from, until, reason }: Gap): void {
    if (this.#target === null) return;
    this.#rest();
    this.#target.session("rejoin");
    this.#target.mark("bookmark", `nothing for ${((until - from) / 1e9).toFixed(1)} s: ${reason}`);
  }

  async #record(run: Run): Promise<void> {
    let first = run.times[0]!;
    for (const time of run.times) first = Math.min(first, time);
    this.#target ??= await this.#open(this.#epochAt(first));
    const target = this.#target;
    const files = new MemoryFiles(`mirror.${this.#format.extensions[0]!}`);
    const isWhole = await this.#write(run, first, files);
    await using recording = await openBundle(filesBundle(files.files, files.name), [this.#format], {
      seekIndex: false,
    });
    const { reader } = recording;
    if (this.#growth === null) {
      this.#growth = new Growth(reader.budget, COPIES);
      reader.state.begin?.(this.#state);
    }
    const lead = this.#leads.size === 0 ? 0 : LEAD;
    for await (const batch of recording.batches({ start: lead })) {
      this.#apply(target, reader.state, batch, first - lead);
      if (target.ready !== null) await target.ready;
    }
    if (isWhole) for (const [i, channel] of run.channels.entries()) this.#leads.set(channel, run.payloads[i]!);
  }

  #apply(target: MirrorTarget, model: StateModel, batch: MessageBatch, first: Time): void {
    for (let from = 0; from < batch.length; ) {
      const tick = this.#tickOf(batch.time[from]! + first, target.tick);
      let to = from + 1;
      while (to < batch.length && this.#tickOf(batch.time[to]! + first, target.tick) === tick) to++;
      if (tick > target.tick) {
        this.#show();
        target.goTo(tick);
      }
      this.#growth!.apply(model, this.#state, batch, from, to);
      this.#isChanged = true;
      from = to;
    }
  }

  /** Never before `present`. */
  #tickOf(time: Time, present: number): number {
    this.#anchor ??= { time, tick: present };
    const tick = this.#anchor.tick + Math.ceil((time - this.#anchor.time) / TICK);
    if (tick >= present && tick <= present + AHEAD / TICK) return tick;
    if (tick < present && tick >= present - BACK / TICK) return present;
    this.#anchor = { time, tick: present };
    return present;
  }

  #epochAt(time: Time): bigint {
    const { epoch } = this.#create;
    return epoch === undefined ? BigInt(Date.now()) * 1_000_000n : epoch + BigInt(Math.round(time));
  }

  /**
   * The messages as a recording of their own format; what it does not take is left out. Gives whether they come whole.
   */
  async #write(run: Run, first: Time, files: MemoryFiles): Promise<boolean> {
    const writing = await this.#format.writing!();
    const writer: Writer = await writing.create(files, { ...this.#create, epoch: null, compression: "store" });
    try {
      const channels = writer.writeWhole === undefined ? this.#specs.map((spec) => writer.channel(spec)) : [];
      for (const payload of this.#leads.values()) writer.writeWhole?.(0, payload);
      const lead = this.#leads.size === 0 ? 0 : LEAD;
      for (let i = 0; i < run.times.length; i++) {
        const time = run.times[i]! - first + lead;
        try {
          if (writer.writeWhole !== undefined) writer.writeWhole(time, run.payloads[i]!);
          else writer.write(channels[run.channels[i]!]!, time, run.payloads[i]!);
        } catch (error) {
          if (!(error instanceof RangeError || error instanceof LayoutError)) throw error;
        }
        if (writer.ready !== null) await writer.ready;
      }
      await writer.close();
      return writer.writeWhole !== undefined;
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }
}
