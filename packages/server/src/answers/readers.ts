import { Worker as Thread } from "node:worker_threads";
import { Problem } from "../problem.ts";
import type { Log } from "../log.ts";
import type { Settings } from "../settings.ts";
import type { Asked, FromThread, Question } from "./question.ts";

/** Number of threads that read. */
const MOST_THREADS = 2;
/** Most questions that wait for a thread. */
const MOST_WAITING = 64;
/** Milliseconds for one answer, and for a thread to stop after an answer that took too long. */
const PATIENCE = 30_000;
const GRACE = 5000;
/** Milliseconds after which an idle thread ends and gives back its memory. */
const IDLE = 60_000;
/** MiB of a thread: an answer that needs more ends the thread. */
const MEMORY = 1024;
/** MiB for the short-lived objects of a thread, which never gives back memory that it once had for them. */
const NEW_SPACE = 12;

interface Waiting {
  readonly number: number;
  readonly asked: Asked;
  readonly question: Question;
  readonly signal: AbortSignal;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/** Threads that answer questions about recordings; the first questions start them. */
export class Readers {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #readers = new Set<Reader>();
  readonly #waiting: Waiting[] = [];
  #number = 0;
  #isClosed = false;

  constructor(settings: Settings, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /**
   * Resolves to the answer as text. Rejects with `Problem`, also when the queue is full. Aborting `signal` cancels the
   * question.
   */
  ask(asked: Asked, question: Question, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= MOST_WAITING || this.#isClosed) {
        reject(new Problem(503, "too many requests at once; try again in some seconds"));
        return;
      }
      this.#waiting.push({ number: this.#number++, asked, question, signal, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Problem(503, "this node is shutting down"));
    await Promise.all([...this.#readers].map((reader) => reader.end()));
  }

  #next(): void {
    while (this.#waiting[0]?.signal.aborted === true)
      this.#waiting.shift()!.reject(new Problem(499, "the request was cancelled"));
    if (this.#waiting.length === 0) return;
    let reader = [...this.#readers].find(({ isFree }) => isFree);
    if (reader === undefined) {
      if (this.#readers.size >= MOST_THREADS) return;
      const made: Reader = new Reader(this.#settings, this.#log, () => this.#readers.delete(made));
      reader = made;
      this.#readers.add(made);
    }
    const question = this.#waiting.shift()!;
    void reader.answer(question).finally(() => this.#next());
  }
}

/** One thread, and the question that it is answering. */
class Reader {
  readonly #thread: Thread;
  readonly #log: Log;
  #current: Waiting | null = null;
  #done: (() => void) | null = null;
  #isOver = false;
  #idle: NodeJS.Timeout | null = null;

  constructor(settings: Settings, log: Log, over: () => void) {
    this.#log = log;
    this.#thread = new Thread(new URL("./thread.js", import.meta.url), {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY, maxYoungGenerationSizeMb: NEW_SPACE },
    });
    this.#thread.on("message", ({ number, answer }: FromThread) => {
      if (this.#current?.number !== number) return;
      const { resolve, reject } = this.#current;
      if (typeof answer === "string") resolve(answer);
      else {
        const { status, message, more } = answer;
        if (status === 500) this.#log.error({ error: message }, "a recording could not be read");
        reject(status === 500 ? new Error(message) : new Problem(status, message, more));
      }
      this.#settle();
    });
    this.#thread.on("error", (error) => this.#log.error({ error: String(error) }, "a reading thread ended"));
    this.#thread.on("exit", () => {
      this.#isOver = true;
      over();
      this.#current?.reject(new Problem(422, "the answer needs more memory than the limit"));
      this.#settle();
    });
    this.#thread.unref();
  }

  get isFree(): boolean {
    return this.#current === null && !this.#isOver;
  }

  /** Settles when the question is answered or has failed. */
  answer(waiting: Waiting): Promise<void> {
    const { number, asked, question, signal } = waiting;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#current = waiting;
    let last: NodeJS.Timeout | null = null;
    const cancel = (): void => {
      this.#thread.postMessage({ cancel: number });
      last ??= setTimeout(() => void this.#thread.terminate(), GRACE);
    };
    const patience = setTimeout(cancel, PATIENCE);
    signal.addEventListener("abort", cancel, { once: true });
    this.#thread.ref();
    this.#thread.postMessage({ number, asked, question });
    return new Promise((resolve) => {
      this.#done = () => {
        clearTimeout(patience);
        if (last !== null) clearTimeout(last);
        signal.removeEventListener("abort", cancel);
        this.#thread.unref();
        resolve();
      };
    });
  }

  async end(): Promise<void> {
    await this.#thread.terminate();
  }

  #settle(): void {
    this.#current = null;
    this.#done?.();
    this.#done = null;
    if (!this.#isOver) this.#idle = setTimeout(() => void this.#thread.terminate(), IDLE).unref();
  }
}
