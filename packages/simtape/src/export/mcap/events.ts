import type { RecordingEvent } from "../../model/query/event.ts";
import type { Time } from "../../model/values/time.ts";
import type { Clock } from "./clock.ts";
import type { Drainable } from "./topic-sink.ts";
import type { Topics } from "./topics.ts";
import { LOG } from "./well-known.ts";

/** Levels of `foxglove.Log`. */
const INFO = 2;
const WARNING = 3;
/** Kinds of events that are more than a piece of news. */
const WARNINGS: ReadonlySet<string> = new Set(["collision", "hurt", "death", "crash", "error", "warning", "bumper"]);

/** The events of a recording as `foxglove.Log`, in step with the messages. */
export class EventMessages {
  readonly #topics: Topics;
  readonly #clock: Clock;
  readonly #arrays: AsyncGenerator<readonly RecordingEvent[]>;
  readonly #first: Time;
  readonly #file: Drainable | null;
  #array: readonly RecordingEvent[] = [];
  #next = 0;
  #isDone = false;
  count = 0;

  /**
   * `first`: what was earlier, as notes may be, is written at this time. `file`: what the topics are written into, if it
   * holds messages; null: it holds none.
   */
  constructor(
    topics: Topics,
    clock: Clock,
    events: AsyncGenerator<readonly RecordingEvent[]>,
    first: Time,
    file: Drainable | null,
  ) {
    this.#topics = topics;
    this.#clock = clock;
    this.#arrays = events;
    this.#first = first;
    this.#file = file;
  }

  /** Whether `writeUntil` has something to do. */
  isDue(time: Time): boolean {
    return !this.#isDone && (this.#next === this.#array.length || this.#array[this.#next]!.time <= time);
  }

  /** Writes the events at or before a time that are not written yet. One moment may have any number of them. */
  async writeUntil(time: Time): Promise<void> {
    while (!this.#isDone) {
      for (; this.#next < this.#array.length; this.#next++) {
        const event = this.#array[this.#next]!;
        if (event.time > time) return;
        if (this.#file?.isOverfull === true) await this.#file.drain();
        this.#write(event);
      }
      const { value, done } = await this.#arrays.next();
      this.#array = done === true ? [] : value;
      this.#next = 0;
      this.#isDone = done === true;
    }
  }

  async close(): Promise<void> {
    this.#isDone = true;
    await this.#arrays.return(undefined);
  }

  #write({ time: at, kind, text, channel, sequence }: RecordingEvent): void {
    const time = Math.max(this.#first, Math.round(at));
    const topic = this.#topics.of("/state/events", LOG);
    const { proto } = this.#topics;
    proto.time(1, this.#clock, time);
    proto.varint(2, WARNINGS.has(kind) ? WARNING : INFO);
    proto.text(3, text);
    proto.text(4, kind);
    proto.text(5, channel ?? "");
    proto.fixed32(6, sequence !== null && sequence >= 0 && sequence <= 0xffff_ffff ? sequence : 0);
    this.#topics.say(topic, time, this.count++);
  }
}
