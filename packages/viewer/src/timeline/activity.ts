import type { Opened } from "../protocol.ts";
import type { Session } from "../session.ts";
import type { Window } from "./window.ts";

/** Columns that the whole recording is counted in. */
const COLUMNS = 2048;
/** Bytes that are read over a network for a picture of what is in them. */
const READ_AFAR = 64 << 20;
/** Before another window is counted, it must stay so long, milliseconds. */
const SETTLE = 120;

/** Messages by channel and column: `counts[channel * columns + column]`. */
export interface Counts {
  readonly window: Window;
  readonly columns: number;
  readonly counts: Uint32Array;
}

/** How much happens when, by channel: coarse for all of the recording, fine for what is looked at. */
export class Activity {
  whole: Counts | null = null;
  /** Of the window looked at, when it was counted. */
  part: Counts | null = null;
  /** Why nothing was counted, when that is so. */
  note: string | null = null;
  readonly #session: Session;
  readonly #opened: Opened;
  readonly #isAfar: boolean;
  readonly #changed: () => void;
  readonly #ended = new AbortController();
  #looking = new AbortController();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(session: Session, opened: Opened, isAfar: boolean, changed: () => void) {
    this.#session = session;
    this.#opened = opened;
    this.#isAfar = isAfar;
    this.#changed = changed;
    const { timeline, info } = opened;
    if (isAfar && (info.bytes ?? 0) > READ_AFAR) {
      this.note = "activity shows when zoomed in: the recording is too large to read it all from afar";
      return;
    }
    const window = { start: timeline.start, end: timeline.end };
    void this.#count(window, COLUMNS, this.#ended.signal, (counts) => {
      this.whole = counts;
      changed();
    });
  }

  /** Counts a window anew, when it stays for a moment. */
  look(window: Window, columns: number): void {
    const { timeline, info } = this.#opened;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#looking.abort();
    const length = window.end - window.start;
    const whole = timeline.end - timeline.start;
    if (length >= whole) {
      this.part = null;
      return;
    }
    if (this.#isAfar && ((info.bytes ?? 0) * length) / whole > READ_AFAR) return;
    this.#timer = setTimeout(() => {
      this.#looking = new AbortController();
      const signal = AbortSignal.any([this.#ended.signal, this.#looking.signal]);
      void this.#count(window, columns, signal, (counts) => {
        this.part = counts;
        this.#changed();
      });
    }, SETTLE);
  }

  /** The channels in which anything was met so far. */
  get channels(): Opened["channels"] {
    const { whole, part } = this;
    return this.#opened.channels.filter(
      ({ id }) => (whole !== null && hasAny(whole, id)) || (part !== null && hasAny(part, id)),
    );
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#ended.abort();
  }

  async #count(window: Window, columns: number, signal: AbortSignal, show: (counts: Counts) => void): Promise<void> {
    const { recording } = this.#opened;
    try {
      const counts = await this.#session.query(
        "density",
        { recording, start: window.start, end: window.end + 1, columns },
        { signal, onProgress: ({ partial }) => show({ window, columns, counts: partial as Uint32Array }) },
      );
      show({ window, columns, counts });
    } catch (error) {
      if (signal.aborted) return;
      this.note = error instanceof Error ? error.message : String(error);
      this.#changed();
    }
  }
}

function hasAny({ counts, columns }: Counts, channel: number): boolean {
  for (let i = channel * columns; i < (channel + 1) * columns; i++) if (counts[i]! > 0) return true;
  return false;
}
