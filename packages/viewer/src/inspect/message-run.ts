import type { Time } from "simtape";
import type { MessageRows, Opened } from "../protocol.ts";
import type { Session } from "../session.ts";
import { type MessageRow, PAGE, rowOf } from "./message-pages.ts";

/** Rows that are fetched before they are seen, and rows at most. */
const AHEAD = 40;
const MOST = 20_000;

/**
 * Messages before and behind a moment, as far as the user looks: of a recording that is not gone through as a whole.
 */
export class MessageRun {
  readonly #session: Pick<Session, "query">;
  readonly #recording: number;
  readonly #channels: readonly number[] | null;
  readonly #from: Time;
  readonly #onChange: () => void;
  readonly #ended = new AbortController();
  readonly #rows: MessageRow[] = [];
  #isBusy = false;
  #hasFirst: boolean;
  #hasLast = false;

  constructor(
    session: Pick<Session, "query">,
    { recording, timeline }: Pick<Opened, "recording" | "timeline">,
    channels: readonly number[] | null,
    from: Time,
    onChange: () => void,
  ) {
    this.#session = session;
    this.#recording = recording;
    this.#channels = channels;
    this.#from = from;
    this.#hasFirst = from <= timeline.start;
    this.#onChange = onChange;
  }

  /** Those that were fetched. */
  get count(): number {
    return this.#rows.length;
  }

  /** Whether the first message there is was fetched, and the last. */
  get hasFirst(): boolean {
    return this.#hasFirst;
  }

  get hasLast(): boolean {
    return this.#hasLast;
  }

  row(index: number): MessageRow | null {
    return this.#rows[index] ?? null;
  }

  /** Fetches on, when the end of what is there comes near. */
  see(_first: number, last: number): void {
    if (!this.#hasLast && last + AHEAD >= this.count && this.count < MOST) void this.#later();
  }

  /** Fetches those before the first one; how many there were. */
  async earlier(): Promise<number> {
    const first = this.#rows[0]?.time;
    const end = first === undefined ? this.#from : first + 1;
    const rows = await this.#fetch({ end, skip: this.#countAt(first), reverse: true });
    if (rows === null) return 0;
    const found = rowsOf(rows).reverse();
    this.#rows.unshift(...found);
    this.#hasFirst = rows.isEnd;
    this.#onChange();
    return found.length;
  }

  close(): void {
    this.#ended.abort();
  }

  async #later(): Promise<void> {
    const last = this.#rows.at(-1)?.time;
    const rows = await this.#fetch({ start: last ?? this.#from, skip: this.#countAt(last), reverse: false });
    if (rows === null) return;
    this.#rows.push(...rowsOf(rows));
    this.#hasLast = rows.isEnd;
    this.#onChange();
  }

  /** Those of the first or the last time need not be fetched again. */
  #countAt(edge: Time | undefined): number {
    return this.#rows.reduce((count, { time }) => count + Number(time === edge), 0);
  }

  /** Null: others are on their way, or it was closed. */
  async #fetch(range: {
    readonly start?: Time;
    readonly end?: Time;
    readonly skip: number;
    readonly reverse: boolean;
  }): Promise<MessageRows | null> {
    if (this.#isBusy) return null;
    this.#isBusy = true;
    const ask = {
      recording: this.#recording,
      channels: this.#channels,
      limit: PAGE,
      text: "",
      preview: true,
      ...range,
    };
    try {
      return await this.#session.query("messages", ask, { signal: this.#ended.signal });
    } catch {
      return null;
    } finally {
      this.#isBusy = false;
    }
  }
}

function rowsOf(rows: MessageRows): MessageRow[] {
  return Array.from(rows.time, (_, i) => rowOf(rows, i)!);
}
