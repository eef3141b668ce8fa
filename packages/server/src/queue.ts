import { Problem } from "./problem.ts";

/** A question that waits. Aborting `signal` takes it out of the queue, or ends its answer. */
export interface Waiting {
  readonly signal: AbortSignal;
  readonly reject: (error: Error) => void;
}

/** What answers questions, one at a time. */
export interface Answerer<W> {
  readonly isFree: boolean;
  /** Settles when the question is answered or has failed. */
  answer(waiting: W): Promise<void>;
  end(): Promise<void>;
}

/** How many answer at most, how many questions wait for them at most, and what the questions are called. */
export interface QueueLimits {
  readonly answerers: number;
  readonly waiting: number;
  readonly name: string;
}

/** Questions in front of those who answer: the first questions start them. */
export class Queue<W extends Waiting> {
  readonly #limits: QueueLimits;
  readonly #start: (over: () => void) => Answerer<W>;
  readonly #answerers = new Set<Answerer<W>>();
  readonly #waiting: W[] = [];
  #isClosed = false;

  /** `start` makes one that answers, which calls `over` when it has ended. */
  constructor(limits: QueueLimits, start: (over: () => void) => Answerer<W>) {
    this.#limits = limits;
    this.#start = start;
  }

  /** Rejects the question with `Problem` when it has no place. */
  add(waiting: W): void {
    const { waiting: most, name } = this.#limits;
    if (this.#waiting.length >= most || this.#isClosed)
      waiting.reject(new Problem(503, `too many ${name} at once; try again in some seconds`));
    else {
      this.#waiting.push(waiting);
      this.#next();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Problem(503, "this node is shutting down"));
    await Promise.all([...this.#answerers].map((one) => one.end()));
  }

  #next(): void {
    while (this.#waiting[0]?.signal.aborted === true)
      this.#waiting.shift()!.reject(new Problem(499, "the request was cancelled"));
    if (this.#waiting.length === 0 || this.#isClosed) return;
    let free = [...this.#answerers].find(({ isFree }) => isFree);
    if (free === undefined) {
      if (this.#answerers.size >= this.#limits.answerers) return;
      const made = this.#start(() => {
        this.#answerers.delete(made);
        this.#next();
      });
      free = made;
      this.#answerers.add(made);
    }
    void free.answer(this.#waiting.shift()!).finally(() => this.#next());
  }
}
