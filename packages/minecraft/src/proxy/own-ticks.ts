import type { LiveEvent } from "simtape/record";

/** Ticks by which a step may be placed later than the tick in which it arrived, when no earlier tick is free. */
const AHEAD = 4;
/** Packets that a client sends in each of its ticks, if it sends any. */
const STEPS: ReadonlySet<LiveEvent["kind"]> = new Set(["move", "teleport", "join"]);
/**
 * Events that stay in the tick in which they arrived. Players see the times of marks. Events that other clients see of
 * a player are in ticks of the clock: they must not come before the player's join, or after its leave.
 */
const PINNED: ReadonlySet<LiveEvent["kind"]> = new Set(["mark", "join", "subject", "leave"]);

/** An event, with the tick in which it is recorded. */
export interface Placed {
  readonly tick: number;
  /** Its position among all events, in order of arrival. */
  readonly order: number;
  readonly event: LiveEvent;
}

/** Events of one client that are placed in one tick. */
interface Group {
  /** Tick in which they arrived. */
  readonly came: number;
  /** The last tick in which they may be placed. */
  latest: number;
  readonly isStep: boolean;
  /** The group is placed in the tick in which it arrived, and all groups before it are placed earlier. */
  isPinned: boolean;
  readonly events: Omit<Placed, "tick">[];
  tick: number;
}

/**
 * Spreads the events that one client sends about itself over ticks. The client makes one step in each of its ticks, but
 * a busy machine sends several at once, or late. So each step gets a tick of its own: the one in which it arrived; or
 * the nearest earlier tick that is free, because the step was late; or one of the next few. The order does not change.
 * A step with a mark, such as the one through the finish, stays in its tick of arrival, and so do the first and the
 * last step.
 */
export class OwnTicks {
  #groups: Group[] = [];
  /** Nothing is placed before this tick any more, and no step in it. */
  #last: number;
  #lastStep: number;

  /** No event may be placed up to the tick `passed`. */
  constructor(passed: number) {
    this.#last = passed;
    this.#lastStep = passed;
  }

  /** Groups of events that wait for their tick. */
  get size(): number {
    return this.#groups.length;
  }

  /**
   * Adds an event that arrived in that tick; `order` ascends. An event that is no step is placed with the previous
   * step, if both arrived together.
   */
  add(event: LiveEvent, came: number, order: number): void {
    const isStep = STEPS.has(event.kind);
    const before = this.#groups.at(-1);
    const isPinned = PINNED.has(event.kind);
    if (!isStep && before?.came === came) {
      before.events.push({ order, event });
      before.isPinned ||= isPinned;
    } else this.#groups.push({ came, latest: came + AHEAD, isStep, isPinned, events: [{ order, event }], tick: came });
    if (isPinned) for (const group of this.#groups) group.latest = Math.min(group.latest, came);
  }

  /**
   * Returns the events up to this tick, in order; their ticks are final. `isLast`: places all events, none of them
   * later.
   */
  take(until: number, isLast = false): readonly Placed[] {
    if (isLast) for (const group of this.#groups) group.latest = Math.min(group.latest, until);
    this.#lay();
    let count = 0;
    while (count < this.#groups.length && this.#groups[count]!.tick <= until) count++;
    this.#last = Math.max(this.#last, until);
    this.#lastStep = Math.max(this.#lastStep, until);
    const taken = this.#groups.splice(0, count);
    return taken.flatMap(({ tick, events }) => events.map(({ order, event }) => ({ tick, order, event })));
  }

  #lay(): void {
    let [next, nextStep] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let i = this.#groups.length - 1; i >= 0; i--) {
      const group = this.#groups[i]!;
      const before = Math.min(next, group.isStep ? nextStep - 1 : next);
      group.tick = group.isPinned ? group.came : Math.min(group.came, before);
      next = group.tick;
      if (group.isStep) nextStep = group.tick;
    }
    let [last, lastStep] = [this.#last, this.#lastStep];
    for (const group of this.#groups) {
      const least = group.isStep ? Math.max(last, lastStep + 1) : last;
      // when no tick is free, two steps share one
      group.tick = Math.max(last, Math.min(Math.max(group.tick, least), group.latest));
      last = group.tick;
      if (group.isStep) lastStep = group.tick;
    }
  }
}
