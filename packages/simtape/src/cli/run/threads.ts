import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

/** Tasks that a thread has in hand, so that it works on one while it waits for the disk for another. */
const IN_HAND = 2;

/** A message to a thread, and its answer. */
export interface ToThread<T> {
  readonly number: number;
  readonly task: T;
}
export type FromThread<A> = { readonly number: number } & ({ readonly answer: A } | { readonly error: string });

/** How many threads work at once on this machine, as long as others have something to do, too. */
export function threadsHere(): number {
  return Math.min(8, availableParallelism());
}

/**
 * Threads that do tasks of one kind. `module` answers each message `ToThread` by one `FromThread`. A task that fails there
 * has failed as a fault of ours: what can go wrong is part of an answer.
 */
export class Threads<T, A> {
  /** Tasks that they take at once. */
  readonly room: number;
  readonly #threads: readonly { readonly worker: Worker; busy: number }[];
  readonly #waiting = new Map<
    number,
    { readonly resolve: (answer: A) => void; readonly reject: (error: Error) => void }
  >();
  #number = 0;

  constructor(module: URL, given: unknown, count: number) {
    this.room = count * IN_HAND;
    this.#threads = Array.from({ length: count }, () => {
      const thread = { worker: new Worker(module, { workerData: given }), busy: 0 };
      thread.worker.on("message", (message: FromThread<A>) => {
        const waiting = this.#waiting.get(message.number);
        this.#waiting.delete(message.number);
        thread.busy--;
        if ("error" in message) waiting?.reject(new Error(message.error));
        else waiting?.resolve(message.answer);
      });
      thread.worker.on("error", (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
      thread.worker.on("exit", () => this.#fail(new Error("a thread ended before its work was done")));
      return thread;
    });
  }

  /** At most `room` tasks at once. Rejects with what is wrong with the thread, or with the code in it. */
  do(task: T): Promise<A> {
    const [thread] = [...this.#threads].sort((a, b) => a.busy - b.busy);
    const number = this.#number++;
    thread!.busy++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      thread!.worker.postMessage({ number, task } satisfies ToThread<T>);
    });
  }

  async close(): Promise<void> {
    this.#waiting.clear();
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
