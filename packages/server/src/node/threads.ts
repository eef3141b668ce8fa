import { Worker as Thread } from "node:worker_threads";
import type { Log } from "../log.ts";
import type { Settings } from "../settings.ts";

/** A message that one of the threads, or this one, has published. */
interface BusMessage {
  readonly topic: string;
  readonly message: string;
}

/** Milliseconds until a thread that failed is started again; doubled each time until a thread is ready. */
const AGAIN = 1000;
const LONGEST_AGAIN = 15_000;
/** MiB for the short-lived objects of a thread, which never gives back memory that it once had for them. */
const NEW_SPACE = 12;

/**
 * The threads of this process that do jobs. A message that one thread publishes reaches the other threads and `hear`.
 */
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
    for (const thread of this.#threads) thread.postMessage({ topic, message } satisfies BusMessage);
  }

  /** Settles when all threads have ended; each thread finishes the job that it is doing. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const ended = [...this.#threads].map((thread) => new Promise((resolve) => thread.once("exit", resolve)));
    for (const thread of this.#threads) thread.postMessage("stop");
    await Promise.all(ended);
  }

  #startOne(settings: Settings, address: string): void {
    const thread = new Thread(new URL("./thread.js", import.meta.url), {
      workerData: { settings, address },
      resourceLimits: { maxYoungGenerationSizeMb: NEW_SPACE },
    });
    this.#threads.add(thread);
    thread.on("message", (received: BusMessage | "ready") => {
      if (received === "ready") {
        this.#again = AGAIN;
        return;
      }
      this.#hear(received.topic, received.message);
      for (const other of this.#threads) if (other !== thread) other.postMessage(received);
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
