import { isAfar, isTooFar, READ_AFAR } from "../afar.ts";
import type { Time } from "simtape";
import type { Damage, Mark, Marks, Opened, Locator, Progress } from "../protocol.ts";
import type { Session } from "../session.ts";
import type { Window } from "./window.ts";

/** Columns that the whole recording is counted in. */
const COLUMNS = 2048;
/** Before another window is counted, it must stay so long, milliseconds. */
const SETTLE = 120;

/**
 * Messages by channel and column, `counts[channel * columns + column]`, as far as they were counted: what is behind
 * `reached` is not known.
 */
export interface Counts {
  readonly reached: Time;
  readonly window: Window;
  readonly columns: number;
  readonly counts: Uint32Array | Float64Array;
}

const NO_MARKS: Marks = { marks: [], isThinned: false, lists: [] };

/** How much happens when, by channel, and what: coarse for all of the recording, fine for what is looked at. */
export class Activity {
  whole: Counts | null = null;
  /** Of the window looked at, when it was counted. */
  part: Counts | null = null;
  /** Bytes by column of all of the recording, which are known at once; null: they are not. */
  spread: Float64Array | null = null;
  #marks: Marks = NO_MARKS;
  /** Those of the window looked at, where all together are too many. */
  #near: { readonly window: Window; readonly marks: readonly Mark[] } | null = null;
  /** What is damaged or lost, as far as it is known by now. */
  damage: readonly Damage[] = [];
  /** Why nothing was counted, when that is so. */
  note: string | null = null;
  readonly #session: Session;
  readonly #opened: Opened;
  readonly #isAfar: boolean;
  /** Until when all was counted, and looked through for what happened. */
  #counted: Time;
  #looked: Time;
  readonly #changed: () => void;
  readonly #ended = new AbortController();
  #looking = new AbortController();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(session: Session, opened: Opened, place: Locator, changed: () => void) {
    this.#session = session;
    this.#opened = opened;
    this.#isAfar = isAfar(place);
    this.#changed = changed;
    const { timeline } = opened;
    const window = { start: timeline.start, end: timeline.end };
    const isLarge = isTooFar({ place, opened });
    [this.#counted, this.#looked] = isLarge ? [timeline.end, timeline.end] : [timeline.start, timeline.start];
    void this.#spread(window);
    void this.#findDamage();
    void this.#mark(window, COLUMNS, !isLarge, this.#ended.signal, (marks, reached) => {
      this.#marks = marks;
      if (!isLarge) this.#looked = reached;
    });
    if (isLarge) {
      this.note = "zoom in to see channels: the recording is too large to read all of it over the network";
      return;
    }
    void this.#count(window, COLUMNS, this.#ended.signal, (counts) => {
      this.whole = counts;
      this.#counted = counts.reached;
      changed();
    }).then(() => this.#findDamage());
  }

  /** Counts a window again, when it stays for a moment. */
  look(window: Window, columns: number): void {
    const { timeline, info } = this.#opened;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#looking.abort();
    const length = window.end - window.start;
    const whole = timeline.end - timeline.start;
    if (length >= whole) {
      this.part = null;
      this.#near = null;
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
      if (!this.#marks.isThinned && this.note === null) return;
      void this.#mark(window, columns, true, signal, ({ marks }) => {
        this.#near = { window, marks };
      });
    }, SETTLE);
  }

  /** What happened, by time: finer inside the window that was looked at. */
  get marks(): readonly Mark[] {
    const { marks } = this.#marks;
    if (this.#near === null) return marks;
    const { start, end } = this.#near.window;
    return [
      ...marks.filter(({ time }) => time < start),
      ...this.#near.marks,
      ...marks.filter(({ time }) => time > end),
    ];
  }

  /** The time until which all lanes show what is there; the end of the recording when it was read, or is not to be. */
  get reached(): Time {
    return Math.min(this.#counted, this.#looked);
  }

  /** The channels in which anything was met so far; of those that list events, the events are what is met. */
  get channels(): Opened["channels"] {
    const { whole, part } = this;
    const { lists } = this.#marks;
    return this.#opened.channels.filter(
      ({ id }) => !lists.includes(id) && ((whole !== null && hasAny(whole, id)) || (part !== null && hasAny(part, id))),
    );
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#ended.abort();
  }

  async #spread({ start, end }: Window): Promise<void> {
    const { recording } = this.#opened;
    const ask = { recording, start, end: end + 1, columns: COLUMNS };
    this.spread = await this.#session.query("spread", ask, { signal: this.#ended.signal }).catch(() => null);
    this.#changed();
  }

  /** Some is only found as the recording is read. */
  async #findDamage(): Promise<void> {
    // what is not committed yet is no damage
    if (this.#session.isGrowing) return;
    const { recording } = this.#opened;
    const signal = this.#ended.signal;
    this.damage = await this.#session.query("damage", { recording }, { signal }).catch(() => this.damage);
    this.#changed();
  }

  async #mark(
    { start, end }: Window,
    columns: number,
    isReading: boolean,
    signal: AbortSignal,
    show: (marks: Marks, reached: Time) => void,
  ): Promise<void> {
    const { recording } = this.#opened;
    const shown = (marks: Marks, reached: Time): void => {
      show(marks, reached);
      this.#changed();
    };
    try {
      const ask = { recording, start, end: end + 1, columns, isReading };
      const onProgress = ({ partial, done }: Progress): void => shown(partial as Marks, start + done);
      shown(await this.#session.query("marks", ask, { signal, onProgress }), end);
    } catch (error) {
      this.#fail(error, signal);
    }
  }

  #fail(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.note = error instanceof Error ? error.message : String(error);
    this.#changed();
  }

  async #count(window: Window, columns: number, signal: AbortSignal, show: (counts: Counts) => void): Promise<void> {
    const { recording } = this.#opened;
    try {
      const counts = await this.#session.query(
        "density",
        { recording, start: window.start, end: window.end + 1, columns },
        {
          signal,
          onProgress: ({ partial, done }) =>
            show({ window, columns, counts: partial as Uint32Array, reached: window.start + done }),
        },
      );
      show({ window, columns, counts, reached: window.end });
    } catch (error) {
      this.#fail(error, signal);
    }
  }
}

function hasAny({ counts, columns }: Counts, channel: number): boolean {
  for (let i = channel * columns; i < (channel + 1) * columns; i++) if (counts[i]! > 0) return true;
  return false;
}
