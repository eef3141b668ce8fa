import { Worker as Thread } from "node:worker_threads";
import type { Log } from "../log.ts";
import type { Settings } from "../settings.ts";

/** What one thread has published, or this one. */
interface Told {
  readonly topic: string;
  readonly message: string;
}

/** Milliseconds until a thread that ended by a fault is begun again; twice as many each time until one is ready. */
const AGAIN = 1000;
const LONGEST_AGAIN = 15_000;
/** MiB in which a thread makes what is soon gone: what it had once it does not give back. */
const NURSERY = 12;

/** The threads of this process that do jobs. What one of them publishes reaches the others and `hear`. */
export class Threads {
  readonly #threads = new Set<Thread>();
  readonly #hear: (topic: string, message: string) => void;
  readonly #log: Log;
  #isStopped = false;
  #again = AGAIN;

  constructor(hear: (topic: string, message: string) => void, log: Log) {
    this.#hear = hear;
    this.#log = log;
  }

  /** Starts `settings.workers` threads, which use the database at `address`. */
  start(settings: Settings, address: string): void {
    for (let n = 0; n < settings.workers; n++) this.#startOne(settings, address);
  }

  tell(topic: string, message: string): void {
    for (const thread of this.#threads) thread.postMessage({ topic, message } satisfies Told);
  }

  /** Settles when all have ended, each behind the job that it was doing. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const ended = [...this.#threads].map((thread) => new Promise((resolve) => thread.once("exit", resolve)));
    for (const thread of this.#threads) thread.postMessage("stop");
    await Promise.all(ended);
  }

  #startOne(settings: Settings, address: string): void {
    const thread = new Thread(new URL("./thread.js", import.meta.url), {
      workerData: { settings, address },
      resourceLimits: { maxYoungGenerationSizeMb: NURSERY },
    });
    this.#threads.add(thread);
    thread.on("message", (told: Told | "ready") => {
      if (told === "ready") {
        this.#again = AGAIN;
        return;
      }
      this.#hear(told.topic, told.message);
      for (const other of this.#threads) if (other !== thread) other.postMessage(told);
    });
    thread.on("error", (error) => this.#log.error({ error: String(error) }, "a thread for jobs ended"));
    thread.on("exit", () => {
      this.#threads.delete(thread);
      if (this.#isStopped) return;
      setTimeout(() => this.#isStopped || this.#startOne(settings, address), this.#again).unref();
      this.#again = Math.min(LONGEST_AGAIN, 2 * this.#again);
    });
  }
}
