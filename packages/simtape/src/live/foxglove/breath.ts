/** Milliseconds of work in one piece. */
const WORK = 8;

/** Says when it is time to let others work: sockets, timers. */
export class Breath {
  #since = performance.now();

  /** Null: not yet. */
  due(): Promise<void> | null {
    if (performance.now() - this.#since < WORK) return null;
    return new Promise((resolve) => {
      setTimeout(() => {
        this.#since = performance.now();
        resolve();
      }, 0);
    });
  }
}
