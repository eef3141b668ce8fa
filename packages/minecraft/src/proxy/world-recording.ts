import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { directoryStore } from "simtape/node";
import { type Outcome, type Recorder, record } from "simtape/record";
import { JOURNAL, journalFile, LineProtocol } from "simtape/serving";
import type { Line } from "./own-moves.ts";

/** How a recording ended. */
export interface Ended {
  readonly id: string;
  readonly ticks: number;
  readonly bytes: number;
  readonly outcome: Outcome;
}

/** Lines that wait while a recording is being opened; then no more are taken. */
const MOST_WAITING = 100_000;

/** One recording of all players of a world, in a folder of its own with a journal beside it. Ticks go by the clock. */
export class WorldRecording {
  readonly id: string;
  readonly #lines: LineProtocol;
  readonly #opened: Promise<void>;
  #waiting: Line[] | null = [];
  /** Lines that could not be taken; when it is closed, also what found no room. */
  skipped = 0;
  failure: unknown = null;

  /** `failed` is called when the recording cannot be opened. */
  constructor(store: string, id: string, server: string, failed: (error: unknown) => void) {
    this.id = id;
    this.#lines = new LineProtocol({
      open: (header) => open(store, id, header),
      ticks: "real",
      skipped: () => {
        this.skipped++;
      },
      unknown: () => undefined,
    });
    this.#opened = this.#open(server).catch((error: unknown) => {
      this.failure = error;
      this.#waiting = null;
      failed(error);
    });
  }

  give(line: Line): void {
    if (this.failure !== null) return;
    if (this.#waiting === null) void this.#lines.give(line);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(line);
    else this.skipped++;
  }

  /** To be called a few times in a second. */
  poll(): void {
    if (this.#waiting === null && this.failure === null) this.#lines.poll();
  }

  /** Null: there is no recording. */
  async close(): Promise<Ended | null> {
    await this.#opened;
    const { recorder } = this.#lines;
    if (recorder === null) return null;
    this.#lines.settle();
    await recorder.close({ outcome: "completed" });
    const { tick: ticks, bytes, dropped } = recorder.status;
    this.skipped += Object.values(dropped).reduce((all, some) => all + some, this.#lines.refused);
    return { id: this.id, ticks, bytes, outcome: "completed" };
  }

  async #open(server: string): Promise<void> {
    await this.#lines.give({ simtape: 1, server });
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const line of waiting) void this.#lines.give(line);
  }
}

async function open(store: string, id: string, header: object): Promise<Recorder> {
  await mkdir(join(store, id), { recursive: true });
  const journal = journalFile(join(store, id, JOURNAL));
  return record(directoryStore(store), { ...header, id, journal, keepsPrevious: true });
}
