import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { directoryStore } from "simtape/node";
import { type Outcome, type Recorder, record } from "simtape/record";
import { JOURNAL, journalFile, LineProtocol } from "simtape/serving";
import type { Line } from "../capture/capture.ts";

/** How a recording ended. */
export interface Ended {
  readonly id: string;
  readonly ticks: number;
  readonly bytes: number;
  readonly outcome: Outcome;
}

/** Milliseconds. */
const TICK = 50;
/** Lines that wait while a recording is being opened; then no more are taken. */
const MOST_WAITING = 100_000;

/** One recording of a dimension and all players in it, in a folder of its own with a journal beside it. Ticks go by the clock. */
export class WorldRecording {
  readonly id: string;
  readonly #lines: LineProtocol;
  readonly #opened: Promise<void>;
  readonly #start = performance.now();
  #tick = 0;
  #waiting: Line[] | null = [];
  /** Lines that could not be taken; when it is closed, also what found no room. */
  skipped = 0;
  failure: unknown = null;

  /** `failed` is called when the recording cannot be opened. */
  constructor(store: string, id: string, header: Line, failed: (error: unknown) => void) {
    this.id = id;
    this.#lines = new LineProtocol({
      open: (header) => open(store, id, header),
      skipped: () => {
        this.skipped++;
      },
      unknown: () => undefined,
    });
    this.#opened = this.#open(header).catch((error: unknown) => {
      this.failure = error;
      this.#waiting = null;
      failed(error);
    });
  }

  give(line: Line): void {
    this.#goToNow();
    this.#give(line);
  }

  /** A line that belongs to the one before: it stands in the same tick. */
  giveToo(line: Line): void {
    this.#give(line);
  }

  /** Tick of what was given last. */
  get tick(): number {
    return this.#tick;
  }

  /** Tick of the clock. */
  get now(): number {
    return Math.floor((performance.now() - this.#start) / TICK);
  }

  /** To be called a few times in a second. */
  poll(): void {
    this.#goToNow();
    if (this.#waiting === null && this.failure === null) this.#lines.poll();
  }

  /** What is said stands at the tick of the clock at which it was, however long the recording takes to open. */
  #goToNow(): void {
    const tick = this.now;
    if (tick > this.#tick) this.#give({ tick });
    this.#tick = tick;
  }

  #give(line: Line): void {
    if (this.failure !== null) return;
    if (this.#waiting === null) void this.#lines.give(line);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(line);
    else this.skipped++;
  }

  /** Null: there is no recording. */
  async close(): Promise<Ended | null> {
    this.#goToNow();
    await this.#opened;
    const { recorder } = this.#lines;
    if (recorder === null) return null;
    this.#lines.settle();
    await recorder.close({ outcome: "completed" });
    const { tick: ticks, bytes, dropped } = recorder.status;
    this.skipped += Object.values(dropped).reduce((all, some) => all + some, this.#lines.refused);
    return { id: this.id, ticks, bytes, outcome: "completed" };
  }

  async #open(header: Line): Promise<void> {
    await this.#lines.give(header);
    await this.#lines.give({ tick: 0 });
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const line of waiting) void this.#lines.give(line);
  }
}

async function open(store: string, id: string, header: object): Promise<Recorder> {
  await mkdir(join(store, id), { recursive: true });
  const journal = journalFile(join(store, id, JOURNAL));
  // with sounds
  return record(directoryStore(store), { ...header, id, journal, keepsPrevious: true, profile: "cinema" });
}
