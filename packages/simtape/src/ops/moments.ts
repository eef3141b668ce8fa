import type { MessageBatch } from "../model/messages/batch.ts";
import { Growth } from "../model/state/growth.ts";
import type { Reader } from "../model/reader.ts";
import { MutableState, type State } from "../model/state/state.ts";
import type { Time } from "../model/values/time.ts";
import { LookedAt } from "./looked-at.ts";

/** How often a state is held, about: as it is folded, as it was shown, and by whom it is shown to as it was before. */
const COPIES = 4;
/** Bytes that a value takes in all of that, and where it is written to and looked for, about. */
const VALUE = 2000;
/** Bytes that a thing that has a place takes in all of that, about: its place is held several times. */
const THING = 3000;
/** Memory of the changes of one message that are noted, about, and messages between two looks at the budget. */
const NOTED = 640;
const LOOK_EVERY = 1024;

/** What no moment shows: `count` messages or changes at `path`. */
export type Skipped = (path: string, reason: string, count: number) => void;

/**
 * Folds a recording moment by moment: a moment is all messages of one time. Of what is said twice in one, the last
 * holds; what it took the place of goes to `skipped`, and so do messages from which nothing follows that holds.
 */
export class Moments {
  /** What holds at the last moment, which is its time. */
  readonly state: MutableState = new MutableState();
  readonly #reader: Reader;
  readonly #growth: Growth;
  readonly #lookedAt: LookedAt;
  readonly #onMoment: (state: State) => void;
  readonly #skipped: Skipped | null;
  /** Messages by channel from which nothing follows; -1 for the other channels. */
  readonly #happenings: Float64Array;
  /** By channel: the last moment with a message of it. */
  readonly #seen: Float64Array;
  /** Channels of the messages of the moment, when changes are noted. */
  readonly #messages: number[] = [];
  #time: Time | null = null;
  #moment = 0;
  #isNoting = false;

  /** `onMoment` sees the state of each. */
  constructor(reader: Reader, onMoment: (state: State) => void, skipped: Skipped | null = null) {
    this.#reader = reader;
    this.#growth = new Growth(reader.budget, COPIES);
    this.#lookedAt = new LookedAt(reader);
    this.#onMoment = onMoment;
    this.#skipped = skipped;
    this.#happenings = Float64Array.from(reader.channels, ({ id }) => (reader.state.holds?.(id) === false ? 0 : -1));
    this.#seen = new Float64Array(reader.channels.length);
    reader.state.begin?.(this.state);
  }

  /** Everything that was said before `time`, to go on from; no moment is shown. */
  async begin(time: Time): Promise<void> {
    for await (const batch of this.#reader.batches({ end: time })) {
      this.#growth.apply(this.#reader.state, this.state, batch, 0, batch.length);
    }
  }

  /** Folds a batch; its last moment is open until the next batch, or the end. */
  add(batch: MessageBatch): void {
    const { length, time, channel } = batch;
    for (let from = 0; from < length; ) {
      let to = from + 1;
      while (to < length && time[to] === time[from]) to++;
      if (time[from] !== this.#time) {
        this.#show();
        this.#time = time[from]!;
        this.#moment++;
        this.#isNoting = this.#skipped !== null && (to === length || this.#isRepeated(batch, from, to));
      }
      for (let i = from; i < to; i++) if (this.#happenings[channel[i]!]! >= 0) this.#happenings[channel[i]!]!++;
      if (this.#isNoting) this.#note(batch, from, to);
      else this.#growth.apply(this.#reader.state, this.state, batch, from, to);
      from = to;
    }
  }

  end(): void {
    this.#show();
    this.#time = null;
    this.#happenings.forEach((count, id) => {
      if (count > 0)
        this.#skipped?.(
          this.#reader.channels[id]!.name,
          "its messages change no state, and conversions carry state",
          count,
        );
    });
  }

  #isRepeated({ channel }: MessageBatch, from: number, to: number): boolean {
    for (let i = from; i < to; i++) {
      if (this.#seen[channel[i]!] === this.#moment) return true;
      this.#seen[channel[i]!] = this.#moment;
    }
    return false;
  }

  #note(batch: MessageBatch, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.state.savepoint();
      const count = this.#messages.push(batch.channel[i]!);
      if (count % LOOK_EVERY === 0) this.#reader.budget?.fit("the changes of one moment", count * NOTED);
      this.#reader.state.apply(this.state, batch, i);
      this.#growth.folded(this.state, batch.end[i]! - batch.start[i]!);
    }
  }

  #show(): void {
    if (this.#time === null) return;
    if (this.#isNoting) {
      for (const [path, count] of this.state.overwritten(this.#messages)) {
        this.#skipped?.(path, "it changed more than once in one moment: only the last change is carried", count);
      }
      this.state.forget();
      this.#messages.length = 0;
    }
    this.state.time = this.#time;
    const state = this.state.freeze();
    this.#lookedAt.add(state);
    this.#reader.budget?.fit("its values", state.values.size * VALUE);
    this.#reader.budget?.fit("its things", placedIn(state) * THING);
    this.#onMoment(state);
  }
}

/** How many things of a state have a place. */
function placedIn({ sets }: State): number {
  let count = 0;
  for (const { ids, columns } of sets.values())
    if (columns.has("position") || columns.has("geodetic")) count += ids.length;
  return count;
}
