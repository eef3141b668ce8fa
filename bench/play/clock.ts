import type { Clock, Time } from "../../packages/simtape/dist/index.js";

/** A clock that rings as soon as all work that has begun is done, without waiting for the time itself. */
export class BenchClock implements Clock {
  /** Processor time of each ring, milliseconds. */
  readonly milliseconds: number[] = [];
  #now: Time = 0;
  #alarm: { readonly at: Time; readonly ring: () => void } | null = null;

  now(): Time {
    return this.#now;
  }

  wake(at: Time, ring: () => void): () => void {
    const alarm = { at, ring };
    this.#alarm = alarm;
    return () => {
      if (this.#alarm === alarm) this.#alarm = null;
    };
  }

  /** Rings until `isDone`. While no alarm is set, it waits for the reading that is under way. */
  async run(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      await turn();
      const alarm = this.#alarm;
      if (alarm === null) continue;
      this.#alarm = null;
      this.#now = alarm.at;
      const began = process.cpuUsage();
      alarm.ring();
      this.milliseconds.push(spent(began));
    }
  }
}

/** Milliseconds of processor time since then. */
export function spent(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
