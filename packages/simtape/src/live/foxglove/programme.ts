import type { MessageBatch } from "../../model/messages/batch.ts";
import type { Recording } from "../../model/recording.ts";
import type { State } from "../../model/state/state.ts";
import { after, type Time, type Timeline } from "../../model/values/time.ts";
import type { Channel } from "../../model/values/value.ts";
import type { Board } from "./board.ts";
import { Breath } from "./breath.ts";
import type { Subscription } from "./client.ts";

/** Messages by which a recording is introduced: about so many bytes of them are looked at. */
export const INTRODUCED: number = 64 << 20;

/**
 * Says on a board what a recording holds, as a player moves through it. Its calls do not overlap. All reject with
 * `RecordingError`.
 */
export abstract class Programme {
  protected readonly recording: Recording;
  protected readonly board: Board;
  protected readonly timeline: Timeline;
  readonly #breath = new Breath();
  #isClosed = false;

  constructor(recording: Recording, board: Board, timeline: Timeline) {
    this.recording = recording;
    this.board = board;
    this.timeline = timeline;
  }

  /** Makes channels, as far as they can be known at once. */
  abstract introduce(): Promise<void>;
  /** At the very start: nothing has been said, and the next `run` says everything from the first message on. */
  abstract rewind(): Promise<void>;
  /** Says every message up to `time`, that of `time` too, behind where it was. */
  abstract run(time: Time): Promise<void>;
  /** What it has read ahead is of no use any more: the next `run` begins behind `time`. */
  protected abstract moveTo(time: Time): Promise<void>;
  /** Writes a row, if any client wants it. */
  protected abstract say(batch: MessageBatch, row: number): void;
  /** Channels of the recording whose messages are on those of these subscriptions. */
  channelsOn(subscriptions: Iterable<Subscription>): readonly Channel[] {
    const numbers = new Set([...subscriptions].map(({ channel }) => channel));
    return this.recording.channels.filter((channel) => this.numbersOf(channel).some((number) => numbers.has(number)));
  }

  /** The numbers on the board that messages of a channel of the recording are on. */
  protected abstract numbersOf(channel: Channel): readonly number[];
  /** Whether a row of that channel is wanted. */
  protected isWanted(channel: Channel): boolean {
    return this.numbersOf(channel).some((number) => this.board.isWanted(number));
  }

  /** Says the state at `time`, all of it. `isJump`: what was said before holds no longer. */
  protected abstract sayState(state: State, time: Time, isJump: boolean): void;

  /** Says what every wanted channel says at `time`: its last message at or before it. */
  async jump(time: Time, state: State): Promise<void> {
    await this.moveTo(time);
    this.sayState(state, time, true);
    await this.sayLast(time, this.recording.channels);
  }

  /** Says the messages of `(time, from]`, the latest first, and then the state at `time`. */
  async back(time: Time, from: Time, state: State): Promise<void> {
    await this.moveTo(time);
    const wanted = this.recording.channels.filter((channel) => this.isWanted(channel));
    if (wanted.length > 0) {
      const query = { start: after(time), end: after(from), channels: wanted, reverse: true };
      for await (const batch of this.recording.batches(query)) {
        for (let row = batch.length - 1; row >= 0; row--) this.say(batch, row);
        await this.rest();
        if (this.#isClosed) return;
      }
    }
    this.sayState(state, time, false);
  }

  /** Of each of these channels that is wanted the last message at or before `time`. */
  async sayLast(time: Time, channels: readonly Channel[]): Promise<void> {
    let missing = channels.filter((channel) => this.isWanted(channel));
    const found: { readonly batch: MessageBatch; readonly row: number }[] = [];
    let end = after(time);
    while (missing.length > 0 && !this.#isClosed) {
      const ids = new Set(missing.map(({ id }) => id));
      let isLess = false;
      for await (const batch of this.recording.batches({ end, channels: missing, reverse: true })) {
        for (let row = batch.length - 1; row >= 0 && ids.size > 0; row--)
          if (ids.delete(batch.channel[row]!)) found.push({ batch, row });
        await this.rest();
        isLess = ids.size < missing.length;
        // what is found is not looked for in what lies before; rows of the same time stay in the range
        if (isLess) end = Math.min(end, after(batch.time[0] ?? end));
        if (isLess || this.#isClosed) break;
      }
      if (!isLess) break;
      missing = missing.filter(({ id }) => ids.has(id));
    }
    if (this.#isClosed) return;
    found.sort(
      (a, b) => a.batch.time[a.row]! - b.batch.time[b.row]! || a.batch.sequence[a.row]! - b.batch.sequence[b.row]!,
    );
    for (const { batch, row } of found) this.say(batch, row);
  }

  /** Sees to it that the board has the last message of every topic that it keeps one of. */
  refresh(): void {
    // it keeps none
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return Promise.resolve();
  }

  protected get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Lets sockets and requests have their turn, when it has worked long enough. */
  protected rest(): Promise<void> | null {
    return this.#breath.due();
  }
}
