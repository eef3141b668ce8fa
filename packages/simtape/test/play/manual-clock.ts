import type { Time } from "../../src/index.ts";
import type { Clock } from "../../src/play/clock.ts";

/** A clock that stands still until it is reported to go on. */
export class ManualClock implements Clock {
  #now: Time = 1_000_000_007;
  readonly #alarms = new Set<{ readonly at: Time; readonly ring: () => void }>();

  now(): Time {
    return this.#now;
  }

  wake(at: Time, then: () => void): () => void {
    const alarm = { at, ring: then };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }

  /** Alarms that have not rung. */
  get alarms(): number {
    return this.#alarms.size;
  }

  /** Goes on by `span`, with every alarm at its time and what it starts come to rest. */
  async advance(span: Time): Promise<void> {
    const until = this.#now + span;
    for (;;) {
      await settled();
      const next = [...this.#alarms].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      this.#now = Math.max(this.#now, next.at);
      this.#alarms.delete(next);
      next.ring();
    }
    this.#now = until;
    await settled();
  }

  /** Goes on without waking any waiter on the way: the machine slept. */
  async sleep(span: Time): Promise<void> {
    this.#now += span;
    await this.advance(0);
  }
}

/** Comes back when everything that waits for nothing but promises is done. */
export async function settled(turns = 2): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
