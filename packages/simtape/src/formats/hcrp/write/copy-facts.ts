import type { ChunkSource } from "../chunk/context.ts";
import { isEmpty } from "./checks.ts";

/** What became of a source in the recording that takes after it. */
export class CopyFacts {
  readonly #source: ChunkSource | null;
  /** The chunk of the source that comes next when nothing is left out. */
  #next = 0;
  #isCopy: boolean;
  #shift: number | null = null;
  #cutAt: number | null = null;

  /** Null: there is none. */
  constructor(source: ChunkSource | null) {
    this.#source = source;
    this.#isCopy = source !== null;
  }

  /** Everything is the source's own, with all its ticks. */
  get isCopy(): boolean {
    return this.#isCopy;
  }

  /** The one number of ticks that everything was shifted by; null: nothing yet; NaN: several. */
  get shift(): number | null {
    return this.#shift;
  }

  /** Tick 0 is a cut: the tick of the source that it was; else null. */
  get cutAt(): number | null {
    return this.#cutAt;
  }

  /** Something is written that is not of the source, or not as it was. */
  changed(): void {
    this.#isCopy = false;
  }

  /** The recording begins in the middle of its source, at that tick. */
  cut(at: number): void {
    this.#isCopy = false;
    this.#cutAt = at;
  }

  /** A chunk of `source`, perhaps another one, is taken over, shifted by so many ticks. */
  takes(source: ChunkSource, chunk: number, by: number): void {
    this.#shift = this.#shift === null || this.#shift === by ? by : Number.NaN;
    if (by !== 0 || source !== this.#source) this.#isCopy = false;
    for (let i = this.#next; i < chunk; i++) {
      const entry = source.entries[i];
      if (entry === undefined || !isEmpty(entry)) this.#isCopy = false;
    }
    this.#next = chunk + 1;
  }

  /** Nothing more is taken over. */
  end(): void {
    if (this.#source !== null && !this.#source.entries.slice(this.#next).every(isEmpty)) this.#isCopy = false;
  }
}
