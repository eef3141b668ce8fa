import type { Recorder } from "simtape/record";
import { type HeaderOptions, LineProtocol, type RingTarget } from "simtape/serving";
import type { Line } from "../capture/capture.ts";

/** Milliseconds. */
const TICK = 50;
/** Lines that wait while what takes them is being opened; then no more are taken. */
const MOST_WAITING = 100_000;

/** Lines of what happens now, at the ticks of the clock, into a recorder or a ring. */
export class TimedLines<T extends Recorder | RingTarget> {
  readonly #lines: LineProtocol<T>;
  /** Settles when lines go in, or never will. */
  readonly opened: Promise<void>;
  readonly #start = performance.now();
  #tick = 0;
  #waiting: Line[] | null = [];
  /** Lines that could not be taken. */
  skipped = 0;
  failure: unknown = null;

  /** `failed` is called when it cannot be opened. */
  constructor(header: Line, open: (header: HeaderOptions) => Promise<T>, failed: (error: unknown) => void) {
    this.#lines = new LineProtocol<T>({
      open,
      skipped: () => {
        this.skipped++;
      },
      unknown: () => undefined,
    });
    this.opened = this.#open(header).catch((error: unknown) => {
      this.failure = error;
      this.#waiting = null;
      failed(error);
    });
  }

  /** What takes them; null: it is not open. */
  get target(): T | null {
    return this.#lines.recorder;
  }

  /** Things that found no room in the world. */
  get refused(): number {
    return this.#lines.refused;
  }

  /** Tick of what was given last. */
  get tick(): number {
    return this.#tick;
  }

  /** Tick of the clock. */
  get now(): number {
    return Math.floor((performance.now() - this.#start) / TICK);
  }

  give(line: Line): void {
    this.goToNow();
    this.#give(line);
  }

  /** A line that belongs to the one before: it stands in the same tick. */
  giveToo(line: Line): void {
    this.#give(line);
  }

  /** To be called a few times in a second. */
  poll(): void {
    this.goToNow();
    if (this.#waiting === null && this.failure === null) this.#lines.poll();
  }

  /** What was said stands at the tick of the clock at which it was, however long it takes to open. */
  goToNow(): void {
    const tick = this.now;
    if (tick > this.#tick) this.#give({ tick });
    this.#tick = tick;
  }

  /** All that was said of the present tick is taken. */
  settle(): void {
    this.#lines.settle();
  }

  #give(line: Line): void {
    if (this.failure !== null) return;
    if (this.#waiting === null) void this.#lines.give(line);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(line);
    else this.skipped++;
  }

  async #open(header: Line): Promise<void> {
    await this.#lines.give(header);
    await this.#lines.give({ tick: 0 });
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const line of waiting) void this.#lines.give(line);
  }
}
