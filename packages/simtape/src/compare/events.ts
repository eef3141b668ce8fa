import type { RecordingEvent } from "../model/query/event.ts";
import type { Recording } from "../model/recording.ts";
import type { Time } from "../model/values/time.ts";
import type { ComparedEvent, EventDifference } from "./report.ts";

/** Differences that are listed. */
const MOST = 1000;
/** How long an event waits for its like of the other side, nanoseconds, and how many do. */
const WINDOW: Time = 10e9;
const MOST_WAITING = 10_000;

/** Which events are compared. Times are those of A; `end` is exclusive. */
export interface EventRange {
  readonly start: Time;
  readonly end: Time;
  /** Added to times of B. */
  readonly shift: Time;
  /** How far the times of one event may be apart. */
  readonly near: Time;
  /** Only what the files list beside their messages. */
  readonly listed: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface EventsCompared {
  readonly same: number;
  readonly differing: number;
  readonly differences: readonly EventDifference[];
}

interface Waiting extends ComparedEvent {
  readonly key: string;
  readonly who: string;
  /** Place among the events of its side. */
  readonly place: number;
}

/** The events of one side in order, one at a time. */
class Events {
  readonly #arrays: AsyncIterator<readonly RecordingEvent[]>;
  readonly #shift: Time;
  #array: readonly RecordingEvent[] = [];
  #next = 0;
  #place = 0;

  constructor(recording: Recording, { start, end, listed, signal }: EventRange, shift: Time) {
    this.#arrays = recording.events({ start: start - shift, end: end - shift, listed, signal })[Symbol.asyncIterator]();
    this.#shift = shift;
  }

  async next(): Promise<Waiting | null> {
    while (this.#next >= this.#array.length) {
      const { done, value } = await this.#arrays.next();
      if (done === true) return null;
      this.#array = value;
      this.#next = 0;
    }
    const { time, kind, text, who } = this.#array[this.#next++]!;
    const ids = who.map(({ set, id }) => `${set}/${id}`).join(" ");
    const at = time + this.#shift;
    return { time: at, kind, text, key: `${kind}\0${ids}\0${text}`, who: `${ids}\0${text}`, place: this.#place++ };
  }
}

/** Goes through the events of both side by side and pairs those that say the same; a few seconds are in memory. */
export async function compareEvents(a: Recording, b: Recording, range: EventRange): Promise<EventsCompared> {
  const sides = [new Events(a, range, 0), new Events(b, range, range.shift)] as const;
  const pairing = new Pairing(range.near);
  let [one, other] = [await sides[0].next(), await sides[1].next()];
  while (one !== null || other !== null) {
    if (other === null || (one !== null && one.time <= other.time)) {
      pairing.add(0, one!);
      one = await sides[0].next();
    } else {
      pairing.add(1, other);
      other = await sides[1].next();
    }
  }
  return pairing.end();
}

class Pairing {
  readonly #near: Time;
  /** By side: those that wait, in order. */
  readonly #waiting: readonly [Map<Waiting, true>, Map<Waiting, true>] = [new Map(), new Map()];
  readonly #byKey: readonly [Map<string, Waiting[]>, Map<string, Waiting[]>] = [new Map(), new Map()];
  readonly #found: EventDifference[] = [];
  #differing = 0;
  #same = 0;
  /** The pair whose event of B stands last. */
  #last: { readonly b: number; readonly time: Time } = { b: -1, time: Number.NEGATIVE_INFINITY };

  constructor(near: Time) {
    this.#near = near;
  }

  add(side: 0 | 1, event: Waiting): void {
    const others = this.#byKey[1 - side]!;
    const like = others.get(event.key)?.[0];
    if (like === undefined) {
      this.#waiting[side].set(event, true);
      const queue = this.#byKey[side].get(event.key);
      if (queue === undefined) this.#byKey[side].set(event.key, [event]);
      else queue.push(event);
      this.#release(event.time);
      return;
    }
    this.#take((1 - side) as 0 | 1, like);
    const [a, b] = side === 0 ? [event, like] : [like, event];
    if (Math.abs(a.time - b.time) > this.#near) this.#differ("time", a, b);
    else if (b.place < this.#last.b && Math.abs(this.#last.time - a.time) <= this.#near) this.#differ("order", a, b);
    else this.#same++;
    if (b.place > this.#last.b) this.#last = { b: b.place, time: a.time };
  }

  end(): EventsCompared {
    this.#release(Number.POSITIVE_INFINITY);
    const differences = this.#found.sort((x, y) => (x.a ?? x.b)!.time - (y.a ?? y.b)!.time);
    return { same: this.#same, differing: this.#differing, differences };
  }

  /** Those that have waited too long are in one alone; two of other kinds that are alike otherwise are one. */
  #release(now: Time): void {
    for (const side of [0, 1] as const) {
      for (const event of this.#waiting[side].keys()) {
        if (event.time >= now - WINDOW && this.#waiting[side].size <= MOST_WAITING) break;
        this.#take(side, event);
        const other = [...this.#waiting[1 - side]!.keys()].find(
          ({ time, who }) => Math.abs(time - event.time) <= this.#near && who === event.who,
        );
        if (other !== undefined) this.#take((1 - side) as 0 | 1, other);
        const [a, b] = side === 0 ? [event, other ?? null] : [other ?? null, event];
        this.#differ(other === undefined ? "only" : "kind", a, b);
      }
    }
  }

  #take(side: 0 | 1, event: Waiting): void {
    this.#waiting[side].delete(event);
    const queue = this.#byKey[side].get(event.key)!;
    if (queue.length === 1) this.#byKey[side].delete(event.key);
    else queue.splice(queue.indexOf(event), 1);
  }

  #differ(how: EventDifference["how"], a: Waiting | null, b: Waiting | null): void {
    this.#differing++;
    if (this.#found.length < MOST) this.#found.push({ how, a: plain(a), b: plain(b) });
  }
}

function plain(event: Waiting | null): ComparedEvent | null {
  return event === null ? null : { time: event.time, kind: event.kind, text: event.text };
}
