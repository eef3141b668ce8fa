import type { Time } from "../model/values/time.ts";
import type { FeedChannel, TakeDescription } from "./feed.ts";
import type { Gap, JournalWriter, LostNote } from "./journal.ts";
import type { Keeper } from "./session.ts";

/** How a take is cut into pieces. */
export interface PiecesOptions {
  /** Nanoseconds of a piece, by arrival, about: it ends with the first flush after them. */
  readonly length: Time;
  /** Unix nanoseconds at time 0 of the take. */
  readonly epoch: bigint;
  /** The journal of the next piece. */
  readonly next: () => Promise<JournalWriter>;
  /** Called when a piece has ended: its journal is closed. */
  readonly onEnd: (journal: JournalWriter) => void;
}

/**
 * A take of days, in pieces: each has a journal of its own, whose times begin at 0, and whose epoch says when that was.
 * What the pieces before have said is not repeated: `openingFrom` gives it when the piece is finished.
 */
export class Pieces implements Keeper {
  readonly #options: PiecesOptions;
  #journal: JournalWriter;
  readonly #specs: FeedChannel[] = [];
  #create: TakeDescription = {};
  /** When the piece began: by arrival, and by the time of its first message; null: it has none yet. */
  #from: { readonly arrival: Time; readonly time: Time } | null = { arrival: 0, time: 0 };
  /** When the last message arrived. */
  #arrived: Time = 0;

  constructor(first: JournalWriter, options: PiecesOptions) {
    this.#journal = first;
    this.#options = options;
  }

  channel(channel: FeedChannel): number {
    this.#specs.push(channel);
    return this.#journal.channel(channel);
  }

  write(channel: number, arrival: Time, time: Time, payload: Uint8Array): void {
    const from = this.#from ?? this.#begin(arrival, time);
    this.#arrived = arrival;
    this.#journal.write(channel, Math.max(0, arrival - from.arrival), time - from.time, payload);
  }

  describe(at: Time, create: TakeDescription): void {
    this.#create = create;
    if (this.#from !== null) this.#describe(at, this.#from);
  }

  gap({ from, until, reason }: Gap): void {
    const { time } = this.#from ?? this.#begin(until, until);
    this.#journal.gap({ from: Math.max(0, from - time), until: Math.max(0, until - time), reason });
  }

  lost(note: LostNote): void {
    const at = Math.max(0, note.at - (this.#from?.arrival ?? note.at));
    this.#journal.lost({ ...note, at });
  }

  get ready(): Promise<void> | null {
    return this.#journal.ready;
  }

  /** Flushes the piece, or begins the next one. */
  async flush(): Promise<void> {
    const { length, next, onEnd } = this.#options;
    if (this.#from === null || this.#arrived - this.#from.arrival < length) {
      await this.#journal.flush();
      return;
    }
    const journal = await next();
    for (const spec of this.#specs) journal.channel(spec);
    const ended = this.#journal;
    this.#journal = journal;
    this.#from = null;
    await ended.close();
    onEnd(ended);
  }

  /** Ends the last piece. */
  async close(): Promise<void> {
    await this.#journal.close();
    this.#options.onEnd(this.#journal);
  }

  #begin(arrival: Time, time: Time): { readonly arrival: Time; readonly time: Time } {
    this.#from = { arrival, time };
    this.#describe(arrival, this.#from);
    return this.#from;
  }

  #describe(at: Time, from: { readonly arrival: Time; readonly time: Time }): void {
    const epoch = (this.#create.epoch ?? this.#options.epoch) + BigInt(Math.round(from.time));
    this.#journal.describe(Math.max(0, at - from.arrival), { ...this.#create, epoch });
  }
}
