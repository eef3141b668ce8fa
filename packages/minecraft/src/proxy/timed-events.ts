import { EventRecorder, type LiveTarget, type LiveEvent, type LiveEvents } from "simtape/record";
import type { HeaderOptions } from "simtape/serving";
import { Losses } from "./losses.ts";
import { OwnTicks, type Placed } from "./own-ticks.ts";

/** Milliseconds. */
const TICK = 50;
/** Ticks for which events wait: a step that is late by less than this gets the tick in which it was made. */
const DELAY = 20;
/** Most events that wait; further ones are lost. */
const MOST_WAITING = 100_000;

/** Most names of players that are kept for the reasons of losses. */
const MOST_NAMES = 10_000;

/** The present time, in milliseconds. */
export interface Clock {
  /** From a clock that never jumps. */
  readonly now: () => number;
  /** Since 1970. */
  readonly wall: () => number;
}

const SYSTEM: Clock = { now: () => performance.now(), wall: () => Date.now() };

/**
 * Writes events into a recorder or a ring as they happen. An event is placed in the tick of the clock in which it
 * arrives; events of a client about itself are placed by `OwnTicks`. For that, all events wait for a second.
 */
export class TimedEvents<T extends LiveTarget> {
  /** Settles when events are recorded, or when it is certain that they never will be. */
  readonly opened: Promise<void>;
  /** Number of events that could not be recorded. */
  readonly losses: Losses = new Losses();
  readonly #clock: Clock;
  readonly #start: number;
  /** Time of tick 0; milliseconds since 1970. */
  readonly startedAt: number;
  /** Null: the recorder is not open. */
  #recorder: EventRecorder<T> | null = null;
  #tick = 0;
  /** The last tick whose events are all recorded. */
  #passed = -1;
  #count = 0;
  #waiting: Placed[] = [];
  readonly #own = new Map<object, OwnTicks>();
  /** The client whose events about itself arrive now; null: none. */
  #speaker: OwnTicks | null = null;
  #waits = 0;
  /** Names of players by their numbers, for the reasons of losses. */
  readonly #names = new Map<string | number, string>();
  failure: unknown = null;

  /** `failed` is called when the recorder cannot be opened. */
  constructor(
    header: HeaderOptions,
    open: (header: HeaderOptions) => Promise<T>,
    failed: (error: unknown) => void,
    clock: Clock = SYSTEM,
  ) {
    this.#clock = clock;
    this.#start = clock.now();
    this.startedAt = clock.wall();
    const opened = open({ ...header, epoch: BigInt(Math.floor(this.startedAt)) * 1_000_000n });
    this.opened = opened
      .then((target) => {
        this.#recorder = new EventRecorder(target);
      })
      .catch((error: unknown) => {
        this.failure = error;
        this.#waiting = [];
        this.#own.clear();
        failed(error);
      });
  }

  /** The recorder or ring; null: it is not open. */
  get target(): T | null {
    return this.#recorder?.target ?? null;
  }

  /** Things that had no room in the world. */
  get refused(): number {
    return this.#recorder?.refused ?? 0;
  }

  /** Tick in which the last event arrived. */
  get tick(): number {
    return this.#tick;
  }

  /** Milliseconds since tick 0 began. */
  get elapsed(): number {
    return this.#clock.now() - this.#start;
  }

  /** Adds an event that happens now, of the client that sends it, if any. */
  give(event: LiveEvent): void {
    this.#tick = Math.max(this.#tick, Math.floor(this.elapsed / TICK));
    this.giveToo(event);
  }

  /** Adds an event that arrived with the previous one. */
  giveToo(event: LiveEvent): void {
    if (this.failure !== null) return;
    if (event.kind === "join" || event.kind === "spawn") this.#name(event.value);
    if (++this.#waits > MOST_WAITING) {
      this.losses.add(`more than ${MOST_WAITING} events wait to be recorded`);
      this.#waits--;
    } else if (this.#speaker !== null) this.#speaker.add(event, this.#tick, this.#count++);
    else this.#waiting.push({ tick: this.#tick, order: this.#count++, event });
  }

  /** Counts an event that is not recorded, with the reason. */
  lose(event: LiveEvent, reason: string): void {
    const { value } = event;
    const id = typeof value === "object" && "id" in value ? (value.id as string | number | undefined) : undefined;
    const of = id === undefined ? "" : ` of ${this.#names.get(id) ?? id}`;
    this.losses.add(`${event.kind}${of}: ${reason}`);
  }

  /** The following events are sent by this client about itself; null: they are not. */
  speaks(client: object | null): void {
    let own = client === null ? null : (this.#own.get(client) ?? null);
    if (own === null && client !== null) {
      own = new OwnTicks(this.#passed);
      this.#own.set(client, own);
    }
    this.#speaker = own;
  }

  /** Call this a few times in a second, when all received events were added. */
  poll(): void {
    if (this.#recorder === null) return;
    this.#pass(Math.floor(this.elapsed / TICK) - DELAY, false);
    this.#recorder.target.poll();
  }

  /** Records all events now; they keep their ticks. */
  flush(): void {
    this.#tick = Math.max(this.#tick, Math.floor(this.elapsed / TICK));
    if (this.#recorder !== null) this.#pass(this.#tick, true);
  }

  /** Does the same as soon as the recorder is open, and ends it. Null: the recorder could not be opened. */
  async finish(): Promise<T | null> {
    this.#tick = Math.max(this.#tick, Math.floor(this.elapsed / TICK));
    await this.opened;
    this.flush();
    return this.target;
  }

  /** Writes the events up to this tick. */
  #pass(until: number, isLast: boolean): void {
    const count = this.#waiting.findIndex(({ tick }) => tick > until);
    const due = this.#waiting.splice(0, count < 0 ? this.#waiting.length : count);
    for (const [client, own] of this.#own) {
      for (const placed of own.take(until, isLast)) due.push(placed);
      if (own.size === 0) this.#own.delete(client);
    }
    // within a tick, events keep their order: events of a player come after its join and before its leave
    due.sort((a, b) => a.tick - b.tick || a.order - b.order);
    for (const { tick, event } of due) {
      this.#goTo(tick);
      this.#record(event);
    }
    this.#waits -= due.length;
    this.#goTo(until);
    this.#passed = Math.max(this.#passed, until);
  }

  #record(event: LiveEvent): void {
    try {
      this.#recorder!.record(event);
    } catch (error) {
      this.lose(event, error instanceof Error ? error.message : String(error));
    }
  }

  #name({ id, name }: Pick<LiveEvents["spawn"], "id" | "name">): void {
    if (name !== undefined && this.#names.size < MOST_NAMES) this.#names.set(id, name);
  }

  #goTo(tick: number): void {
    if (tick > this.#recorder!.target.tick) this.#recorder!.goTo(tick);
  }
}
