import { Worker } from "node:worker_threads";
import type { AskedTable, Elsewhere, FarReading, FarSource, ReadPart } from "../../sql/elsewhere.ts";
import { formatModules } from "../input/formats.ts";
import type { ReadOptions } from "../input/recordings.ts";
import { heed } from "../run/ending.ts";
import { threadsHere } from "../run/threads.ts";
import type { RowsGiven } from "./rows-thread.ts";
import { type FromRows, type ToRows, unpacked, unpackedFailure } from "./rows-wire.ts";
import { areHere, plainOptions } from "./threads.ts";

/** Recordings that a thread has in hand: it opens one while it reads another. */
const IN_HAND = 2;

/** Fewer recordings are read on this thread: others would take longer to start and to warm up. */
const LEAST = 32;

/** Threads that read the rows of recordings for SQL. They start with the first statement that they are worth it for. */
export class RowsThreads implements Elsewhere {
  readonly room: number;
  readonly #count: number;
  readonly #given: RowsGiven;
  #threads: readonly { readonly worker: Worker; busy: number }[] | null = null;
  readonly #readings = new Map<number, Inbox>();
  #number = 0;

  constructor(read: ReadOptions, count: number = threadsHere()) {
    this.#count = count;
    this.room = count * IN_HAND;
    this.#given = { read: plainOptions(read), formatModules: formatModules() };
  }

  takes(sources: readonly FarSource[]): boolean {
    return this.#count > 1 && sources.length >= LEAST && areHere(sources);
  }

  read(source: FarSource, tables: readonly AskedTable[], more: readonly string[]): FarReading {
    this.#threads ??= this.#started();
    const [thread] = [...this.#threads].sort((a, b) => a.busy - b.busy);
    const number = this.#number++;
    const inbox = new Inbox();
    this.#readings.set(number, inbox);
    // a thread keeps the command from ending only while it reads
    if (thread!.busy++ === 0) thread!.worker.ref();
    const post = (message: ToRows): void => thread!.worker.postMessage(message);
    const { name, file, tags, more: cells } = source;
    post({ number, how: "read", source: { name, file, tags, more: cells }, tables, more });
    const close = (): void => {
      if (!this.#readings.delete(number)) return;
      post({ number, how: "leave" });
      if (--thread!.busy === 0) thread!.worker.unref();
    };
    return { parts: this.#parts(file!, inbox, () => post({ number, how: "taken" }), close), close };
  }

  async close(): Promise<void> {
    await Promise.all((this.#threads ?? []).map(({ worker }) => worker.terminate()));
  }

  async *#parts(path: string, inbox: Inbox, taken: () => void, close: () => void): AsyncGenerator<ReadPart, void> {
    try {
      for (;;) {
        const message = await inbox.next();
        if (message.how === "fault") throw new Error(message.text);
        if (message.how === "end" || message.how === "failed") {
          if (message.findings.length > 0) heed(path, { findings: message.findings });
          if (message.how === "failed") throw unpackedFailure(message.failure);
          return;
        }
        if (message.how === "rows") {
          yield { how: "rows", batch: unpacked(message.length, message.cells) };
          taken();
        } else yield message;
      }
    } finally {
      close();
    }
  }

  #started(): readonly { readonly worker: Worker; busy: number }[] {
    const module = new URL("./rows-thread.js", import.meta.url);
    return Array.from({ length: this.#count }, () => {
      const worker = new Worker(module, { workerData: this.#given });
      worker.on("message", (message: FromRows) => this.#readings.get(message.number)?.put(message));
      worker.on("error", (error) =>
        this.#fail(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      );
      worker.on("exit", () => this.#fail("a thread ended before its work was done"));
      return { worker, busy: 0 };
    });
  }

  #fail(text: string): void {
    for (const [number, inbox] of this.#readings) inbox.put({ number, how: "fault", text });
  }
}

/** Messages that wait to be taken, in order. */
class Inbox {
  readonly #messages: FromRows[] = [];
  #wake: (() => void) | null = null;

  put(message: FromRows): void {
    this.#messages.push(message);
    this.#wake?.();
    this.#wake = null;
  }

  async next(): Promise<FromRows> {
    while (this.#messages.length === 0) await new Promise<void>((wake) => (this.#wake = wake));
    return this.#messages.shift()!;
  }
}
