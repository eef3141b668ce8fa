/**
 * One piece of work with several waiters. A waiter's abort rejects that waiter alone; the work itself is aborted when
 * the last waiter has left. A failed or abandoned one is of no more use: a caller that keeps it must check `abandoned`
 * before joining, and drop it when it settles.
 */
export class Shared<T> {
  readonly #controller = new AbortController();
  readonly #result: Promise<T>;
  #waiters = 0;
  #settled = false;

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#result = work(this.#controller.signal);
    const settle = (): void => {
      this.#settled = true;
    };
    this.#result.then(settle, settle);
  }

  /** True when every waiter has left before the end. */
  get abandoned(): boolean {
    return this.#controller.signal.aborted;
  }

  join(signal?: AbortSignal): Promise<T> {
    if (signal === undefined) {
      this.#waiters++;
      return this.#result;
    }
    if (signal.aborted) {
      this.#release(signal.reason);
      return Promise.reject(signal.reason);
    }
    this.#waiters++;
    return new Promise<T>((resolve, reject) => {
      const abort = (): void => {
        reject(signal.reason);
        this.#waiters--;
        this.#release(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#result.then(
        (value) => {
          signal.removeEventListener("abort", abort);
          resolve(value);
        },
        (error: unknown) => {
          signal.removeEventListener("abort", abort);
          reject(error);
        },
      );
    });
  }

  #release(reason: unknown): void {
    if (this.#waiters === 0 && !this.#settled) this.#controller.abort(reason);
  }
}
