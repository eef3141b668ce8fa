import type { MessageBatch } from "../model/messages/batch.ts";
import { Fold } from "../model/fold.ts";
import { Growth } from "../model/state/growth.ts";
import type { Recording } from "../model/recording.ts";
import { MutableState } from "../model/state/state.ts";
import { after, type Time } from "../model/values/time.ts";

/** One recording while it is compared: messages in order, and the state that they come to. Times are those of A. */
export class Side {
  readonly recording: Recording;
  /** Added to its own times. */
  readonly shift: Time;
  state: MutableState = new MutableState();
  /** The time of the message folded last; null: none was. */
  folded: Time | null = null;
  readonly #growth: Growth;
  readonly #end: Time;
  readonly #signal: AbortSignal | undefined;
  #batches: AsyncIterator<MessageBatch> | null = null;
  #batch: MessageBatch | null = null;
  #row = 0;
  #isOver = false;

  /** `end`: of A, exclusive. */
  constructor(recording: Recording, shift: Time, end: Time, signal: AbortSignal | undefined) {
    this.recording = recording;
    this.shift = shift;
    this.#end = end;
    this.#signal = signal;
    this.#growth = new Growth(recording.reader.budget, 3);
  }

  /** Messages from `start` on, and the state right before it. The state notes what is touched from then on. */
  async begin(start: Time, isFirst: boolean): Promise<void> {
    const { reader, sideCar } = this.recording;
    const fold = new Fold(reader, undefined, undefined, undefined, sideCar?.states);
    const own = start - this.shift;
    this.state = isFirst ? fold.begin() : await fold.at(-after(-own), this.#signal);
    this.state.touch();
    this.read(start);
  }

  /** Messages from `start` on, which are not folded yet. */
  read(start: Time): void {
    const bound = (time: Time): Time | undefined => (Number.isFinite(time) ? time - this.shift : undefined);
    const range = { start: bound(start), end: bound(this.#end), signal: this.#signal };
    this.#batches = this.recording.reader.batches(range)[Symbol.asyncIterator]();
    this.#batch = null;
    this.#row = 0;
    this.#isOver = false;
  }

  /** Ends the reading. */
  async stop(): Promise<void> {
    await this.#batches?.return?.();
    this.#batches = null;
  }

  /** Time of the next message; null when it is not known yet, or there is none. */
  get next(): Time | null {
    const batch = this.#batch;
    return batch !== null && this.#row < batch.length ? batch.time[this.#row]! + this.shift : null;
  }

  /** Reads on; gives the time of the next message, null at the end. */
  async more(): Promise<Time | null> {
    while (this.next === null && !this.#isOver) {
      const { done, value } = await this.#batches!.next();
      this.#signal?.throwIfAborted();
      this.#isOver = done === true;
      this.#batch = done === true ? null : value;
      this.#row = 0;
    }
    return this.next;
  }

  /** Folds what is at or before `time`; false when more has to be read for that. */
  to(time: Time): boolean {
    const batch = this.#batch;
    if (batch !== null) {
      const from = this.#row;
      let row = from;
      while (row < batch.length && batch.time[row]! + this.shift <= time) row++;
      if (row > from) {
        this.#growth.apply(this.recording.reader.state, this.state, batch, from, row);
        this.folded = batch.time[row - 1]! + this.shift;
      }
      this.#row = row;
      if (row < batch.length) return true;
    }
    return this.#isOver;
  }

  /** The batch that is being read, and the row in it that is next. */
  get at(): { readonly batch: MessageBatch | null; readonly row: number } {
    return { batch: this.#batch, row: this.#row };
  }

  /** Passes over rows, which were found equal to those of the other side. */
  pass(rows: number): void {
    this.#row += rows;
  }
}
