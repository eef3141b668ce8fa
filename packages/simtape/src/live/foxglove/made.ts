import { ChannelMessages } from "../../export/mcap/channels.ts";
import { EventMessages } from "../../export/mcap/events.ts";
import { LaserScans } from "../../export/mcap/scans.ts";
import { StateMessages } from "../../export/mcap/state.ts";
import { Topics } from "../../export/mcap/topics.ts";
import { LOG } from "../../export/mcap/well-known.ts";
import type { MessageBatch } from "../../model/messages/batch.ts";
import { Fold } from "../../model/fold.ts";
import { unsetOrigin } from "../../model/axes/geodesy.ts";
import { type Stops, Walk } from "../../model/query/walk.ts";
import type { Recording } from "../../model/recording.ts";
import type { State } from "../../model/state/state.ts";
import { after, type Time, type Timeline } from "../../model/values/time.ts";
import type { Channel } from "../../model/values/value.ts";
import type { Board } from "./board.ts";
import { INTRODUCED, Programme } from "./programme.ts";

/** Topics of the state; events are news, and are no state. */
export const STATE_TOPICS = "/state/";
const EVENTS = "/state/events";
/** Milliseconds after which a state that no client wants is looked at, for things that have topics of their own. */
const LOOK_EVERY = 500;

/**
 * A recording of any other format: the messages that `export --to mcap` writes of it. Of what no client wants, nothing is
 * decoded.
 */
export class MadeProgramme extends Programme {
  readonly #topics: Topics;
  readonly #scans: LaserScans;
  readonly #channels: ChannelMessages;
  readonly #state: StateMessages;
  readonly #fold: Fold;
  readonly #events: number;
  #walk: Walk | null = null;
  #batches: AsyncGenerator<MessageBatch> | null = null;
  #folding: Generator<Time> | null = null;
  /** Of the row that is folded next; null: it is not known yet. */
  #next: Time | null = null;
  /** Where the walk begins, when it does. */
  #from: Time;
  #isStateSaid = false;
  /** Where the walk begins, if the state there was said. */
  #said: Time | null = null;
  #lookedAt = 0;
  #news: EventMessages | null = null;
  readonly #stops: Stops = {
    until: (next) => next,
    rows: (batch, from, to) => {
      for (let row = from; row < to; row++) this.say(batch, row);
    },
  };

  constructor(recording: Recording, board: Board, timeline: Timeline) {
    super(recording, board, timeline);
    const { clock } = board;
    this.#topics = new Topics(board);
    this.#scans = new LaserScans(this.#topics, clock);
    const { motion, channels, info, reader, sideCar } = recording;
    if (motion !== null) this.#scans.frame = `poses/${motion.name}`;
    this.#channels = new ChannelMessages(this.#topics, info.format, channels, this.#scans);
    this.#state = new StateMessages(this.#topics, clock, unsetOrigin(), undefined);
    this.#fold = new Fold(reader, undefined, undefined, undefined, sideCar?.states);
    this.#events = this.#topics.of(EVENTS, LOG);
    this.#from = timeline.start;
  }

  /** Looks for the first message of every channel among the first of the recording. */
  async introduce(): Promise<void> {
    const missing = new Set(this.recording.channels.map(({ id }) => id));
    let bytes = 0;
    for await (const batch of this.recording.batches()) {
      for (let row = 0; row < batch.length; row++) {
        bytes += batch.end[row]! - batch.start[row]!;
        if (!missing.delete(batch.channel[row]!)) continue;
        this.#channels.begin(batch, row);
        this.#scans.topicOf(this.recording.channels[batch.channel[row]!]!);
      }
      if (missing.size === 0 || bytes > INTRODUCED || this.isClosed) return;
      await this.rest();
    }
  }

  async rewind(): Promise<void> {
    await this.#leave();
    this.#from = this.timeline.start;
    this.#said = null;
    this.#state.restart({ sets: new Map() }, this.#from);
    this.board.forget();
  }

  protected async moveTo(time: Time): Promise<void> {
    await this.#leave();
    this.#from = after(time);
    this.#said = this.#from;
  }

  async run(time: Time): Promise<void> {
    this.#walk ??= await this.#begin();
    const walk = this.#walk;
    while (!this.isClosed) {
      if (this.#next !== null) {
        if (this.#next > time) return;
        this.#next = null;
      }
      if (this.#folding === null) {
        const { value, done } = await this.#batches!.next();
        if (done === true) return this.#moment(walk, time >= this.timeline.end ? Number.POSITIVE_INFINITY : time);
        this.#folding = walk.fold(value, this.#stops);
      }
      const { value, done } = this.#folding.next();
      if (done === true) {
        this.#folding = null;
        continue;
      }
      this.#next = value;
      // behind a jump the state was said
      if (walk.from !== this.#said) await this.#moment(walk, Number.NEGATIVE_INFINITY);
      const rest = this.rest();
      if (rest !== null) await rest;
    }
  }

  protected say(batch: MessageBatch, row: number): void {
    const channel = this.recording.channels[batch.channel[row]!]!;
    // a channel that is met for the first time is made known
    if (this.#channels.numberOf(channel.id) === null) this.#channels.begin(batch, row);
    if (this.isWanted(channel)) this.#channels.write(batch, row);
  }

  protected numbersOf(channel: Channel): readonly number[] {
    const number = this.#channels.numberOf(channel.id);
    const scans = this.#scans.topicOf(channel);
    return [...(number === null ? [] : [number]), ...(scans === null ? [] : [scans])];
  }

  protected override isWanted(channel: Channel): boolean {
    const number = this.#channels.numberOf(channel.id);
    if (number !== null && this.board.isWanted(number)) return true;
    const scans = this.#scans.topicOf(channel);
    return scans !== null && this.board.isWanted(scans);
  }

  protected sayState(state: State, time: Time, isJump: boolean): void {
    if (isJump) {
      this.#state.restart(state, time);
      this.board.forget();
    }
    this.#state.writeShown(state, time);
    this.#isStateSaid = true;
  }

  /** Sees to it that the board has the last message of every topic of the state. */
  override refresh(): void {
    if (this.#isStateSaid || this.#walk === null) return;
    this.#state.restart(this.#walk.state, this.#walk.from);
    this.#state.write(this.#walk.state, this.#walk.from);
    this.#isStateSaid = true;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#leave();
  }

  async #begin(): Promise<Walk> {
    const { start, end } = this.timeline;
    const range = { start: this.#from, end: after(end) };
    const walk = await Walk.begin(this.recording.reader, this.#fold, range, start, {});
    this.#batches = walk.batches();
    return walk;
  }

  /** The state of the walk is whole: it is said. Events up to `until` are, too. */
  async #moment(walk: Walk, until: Time): Promise<void> {
    const { from } = walk;
    if (this.#isStateWanted()) {
      if (!this.#isStateSaid) this.#state.restart(walk.state, from);
      this.#isStateSaid = true;
      this.#state.write(walk.state, from);
    } else {
      // clients that subscribe are given the state from the start
      this.#isStateSaid = false;
      const now = performance.now();
      if (now - this.#lookedAt > LOOK_EVERY) {
        this.#lookedAt = now;
        this.#state.write(walk.state, from);
      }
    }
    const news = this.#newsBehind(from);
    const to = Math.max(from, until);
    if (news?.isDue(to) === true) await news.writeUntil(to);
  }

  #isStateWanted(): boolean {
    return this.board.isAnyWanted(STATE_TOPICS);
  }

  #newsBehind(time: Time): EventMessages | null {
    if (!this.board.isWanted(this.#events)) {
      const news = this.#news;
      this.#news = null;
      void news?.close();
      return null;
    }
    const { start } = this.timeline;
    const range = time <= start ? {} : { start: time };
    this.#news ??= new EventMessages(this.#topics, this.board.clock, this.recording.events(range), start, null);
    return this.#news;
  }

  async #leave(): Promise<void> {
    const batches = this.#batches;
    const news = this.#news;
    this.#walk = null;
    this.#batches = null;
    this.#folding = null;
    this.#next = null;
    this.#news = null;
    await news?.close();
    await batches?.return(undefined);
  }
}
