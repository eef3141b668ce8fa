import { setMaxListeners } from "node:events";
import type { Bus } from "../bus/bus.ts";
import type { Log } from "../log.ts";
import { isStorageAway } from "../library/unreadable.ts";
import { type ClaimedJob, type Jobs, WAKE } from "./queue.ts";

/** What a handler gets besides its job. */
export interface Work {
  /** Aborted when the job was cancelled, or when another worker may have it. */
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly progress: (part: number) => void;
}

/** Does one job; the result is stored with the job. Doing the job twice must have the same effect as doing it once. */
export type Handler = (job: ClaimedJob, work: Work) => Promise<unknown>;

/** Thrown by a handler when another try would not help. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";
}

const LEASE = 15_000;
/** Milliseconds between checks for jobs that no message of the bus has announced. */
const LOOK = 1000;
/** Tries of a job; after the last one the job has failed. */
export const MOST_ATTEMPTS = 5;
/** Number of tries while storage is away, at last once a minute: for some 16 hours. */
const MOST_AWAY = 1000;
const LONGEST_WAIT = 60_000;
/** Milliseconds until a job that found the disk full is tried again; this does not count as a try. */
const FULL = 10_000;

/** Does jobs, one at a time, until it is stopped. */
export class Worker {
  readonly #jobs: Jobs;
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #log: Log;
  readonly #mayBegin: () => Promise<boolean>;
  readonly #rest: () => void;
  readonly #stop = new AbortController();
  readonly #unsubscribe: () => void;
  #wake: () => void = () => undefined;
  /** Whether it does a job now. */
  isBusy = false;
  /** Settles when the worker is stopped, after the job that it was doing. */
  readonly ended: Promise<void>;

  /** `mayBegin`: whether the disk has room for what a job writes. `rest` is called when no job is due. */
  constructor(
    jobs: Jobs,
    bus: Bus,
    handlers: ReadonlyMap<string, Handler>,
    log: Log,
    mayBegin: () => Promise<boolean> = () => Promise.resolve(true),
    rest: () => void = () => undefined,
  ) {
    this.#jobs = jobs;
    this.#handlers = handlers;
    this.#log = log;
    this.#mayBegin = mayBegin;
    this.#rest = rest;
    this.#unsubscribe = bus.subscribe(WAKE, () => this.#wake());
    this.ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#unsubscribe();
    this.#wake();
    await this.ended;
  }

  async #run(): Promise<void> {
    const kinds = [...this.#handlers.keys()];
    while (!this.#stop.signal.aborted) {
      // a job that is added during a check is found at once, too
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      try {
        const job = (await this.#mayBegin()) ? await this.#jobs.claim(kinds, LEASE) : null;
        if (job !== null) {
          this.isBusy = true;
          await this.#do(job).finally(() => {
            this.isBusy = false;
          });
          continue;
        }
        this.#rest();
      } catch (error) {
        this.#log.warn({ error: String(error) }, "jobs cannot be reached; trying again");
      }
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LOOK);
      });
      await Promise.race([woken, late]);
      clearTimeout(timer);
    }
  }

  async #do(job: ClaimedJob): Promise<void> {
    const controller = new AbortController();
    // every read of a recording adds a listener
    setMaxListeners(0, controller.signal);
    let part = 0;
    const renewing = setInterval(() => {
      this.#jobs.renew(job, LEASE, part).then(
        (isOurs) => {
          if (!isOurs) controller.abort();
        },
        // the next renewal may succeed before the lease ends
        () => undefined,
      );
    }, LEASE / 5);
    const stop = (): void => controller.abort();
    this.#stop.signal.addEventListener("abort", stop);
    try {
      const result = await this.#handlers.get(job.kind)!(job, {
        signal: controller.signal,
        progress: (to) => {
          part = to;
        },
      });
      await this.#jobs.finish(job, result);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // stopped in the middle: the next worker starts the job again
      const isStopped = this.#stop.signal.aborted;
      const isFull = (error as { code?: unknown }).code === "ENOSPC";
      const most = isStorageAway(error) ? MOST_AWAY : MOST_ATTEMPTS;
      const isPermanent = error instanceof PermanentError || (!isStopped && !isFull && job.attempts >= most);
      if (!isStopped)
        this.#log.warn({ job: job.id, kind: job.kind, subject: job.subject, error: message }, "job failed");
      await this.#jobs.fail(job, message, isPermanent ? null : isStopped ? 0 : isFull ? FULL : backOff(job.attempts));
    } finally {
      clearInterval(renewing);
      this.#stop.signal.removeEventListener("abort", stop);
    }
  }
}

/** Milliseconds until the next attempt. */
function backOff(attempts: number): number {
  return Math.min(LONGEST_WAIT, 1000 * 2 ** attempts);
}
