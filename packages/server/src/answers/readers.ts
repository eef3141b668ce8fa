import { Worker as Thread } from "node:worker_threads";
import { Problem } from "../problem.ts";
import { type Answerer, Queue, type Waiting } from "../queue.ts";
import type { Log } from "../log.ts";
import type { Settings } from "../settings.ts";
import { type Allowance, type Asked, type FromThread, type Question, TOO_LONG } from "./question.ts";

/** Number of threads that read. */
const MOST_THREADS = 2;
/** Most questions that wait for a thread. */
const MOST_WAITING = 64;
/** Milliseconds for one answer without an allowance, and for a thread to stop after an answer that took too long. */
const TIMEOUT = 30_000;
const GRACE = 5000;
/** Milliseconds until a new thread begins with its first answer. */
const LONGEST_START = 60_000;
/** Milliseconds after which an idle thread ends and gives back its memory. */
const IDLE = 60_000;
/** MiB of a thread: an answer that needs more ends the thread. */
const MEMORY = 1024;
/** MiB for the short-lived objects of a thread, which never gives back memory that it once had for them. */
const NEW_SPACE = 12;

interface Request extends Waiting {
  readonly number: number;
  readonly asked: Asked;
  readonly question: Question;
  readonly allowance: Allowance;
  readonly resolve: (answer: string) => void;
}

/** Threads that answer questions about recordings; the first questions start them. */
export class Readers {
  readonly #queue: Queue<Request>;
  #number = 0;

  constructor(settings: Settings, log: Log) {
    const limits = { answerers: MOST_THREADS, waiting: MOST_WAITING, name: "requests" };
    this.#queue = new Queue(limits, (over) => new Reader(settings, log, over));
  }

  /**
   * Resolves to the answer as text. Rejects with `Problem`, also when the queue is full. Aborting `signal` cancels the
   * question. An answer that takes longer than the allowance, from when a thread begins with it, is a problem of the code
   * `TOO_LONG`.
   */
  ask(
    asked: Asked,
    question: Question,
    signal: AbortSignal,
    allowance: Allowance = { left: TIMEOUT },
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#queue.add({ number: this.#number++, asked, question, signal, allowance, resolve, reject });
    });
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

/** One thread, and the question that it is answering. */
class Reader implements Answerer<Request> {
  readonly #thread: Thread;
  readonly #log: Log;
  #current: Request | null = null;
  #begins: (() => void) | null = null;
  #done: (() => void) | null = null;
  /** The answer was cancelled, and the thread is about to be ended. */
  #isLate = false;
  #isOver = false;
  #idle: NodeJS.Timeout | null = null;

  constructor(settings: Settings, log: Log, over: () => void) {
    this.#log = log;
    this.#thread = new Thread(new URL("./thread.js", import.meta.url), {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY, maxYoungGenerationSizeMb: NEW_SPACE },
    });
    this.#thread.on("message", (message: FromThread) => {
      if (this.#current?.number !== message.number) return;
      const { resolve, reject } = this.#current;
      if ("begins" in message) {
        this.#begins?.();
        return;
      }
      const { answer } = message;
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
      this.#current?.reject(
        this.#isLate
          ? new Problem(503, "reading took too long", { code: TOO_LONG })
          : new Problem(422, "the answer needs more memory than the limit"),
      );
      this.#settle();
    });
    this.#thread.unref();
  }

  get isFree(): boolean {
    return this.#current === null && !this.#isOver;
  }

  answer(waiting: Request): Promise<void> {
    const { number, asked, question, signal, allowance } = waiting;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#current = waiting;
    let last: NodeJS.Timeout | null = null;
    const cancel = (): void => {
      this.#isLate = true;
      this.#thread.postMessage({ cancel: number });
      last ??= setTimeout(() => void this.#thread.terminate(), GRACE);
    };
    let begun: number | null = null;
    // a thread that does not begin is given up, too
    let timer = setTimeout(cancel, LONGEST_START);
    this.#begins = () => {
      begun = performance.now();
      clearTimeout(timer);
      timer = setTimeout(cancel, allowance.left);
    };
    signal.addEventListener("abort", cancel, { once: true });
    this.#thread.ref();
    this.#thread.postMessage({ number, asked, question });
    return new Promise((resolve) => {
      this.#done = () => {
        clearTimeout(timer);
        if (last !== null) clearTimeout(last);
        if (begun !== null) allowance.left = Math.max(0, allowance.left - (performance.now() - begun));
        this.#isLate = false;
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
    this.#begins = null;
    if (!this.#isOver) this.#idle = setTimeout(() => void this.#thread.terminate(), IDLE).unref();
  }
}
