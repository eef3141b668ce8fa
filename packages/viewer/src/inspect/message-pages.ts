import type { Time } from "simtape";
import type { MessageRows } from "../protocol.ts";
import type { Session } from "../session.ts";
import type { MessageIndex } from "./message-index.ts";

/** Messages fetched together, and how many of these fetches are remembered. */
export const PAGE = 128;
const REMEMBERED = 40;

export interface MessageRow {
  readonly time: Time;
  readonly channel: number;
  readonly sequence: number;
  readonly size: number;
  readonly preview: string;
}

/** A table of messages that are fetched when they are seen. */
export class MessagePages {
  readonly #session: Session;
  readonly #recording: number;
  readonly #index: MessageIndex;
  readonly #channels: readonly number[] | null;
  readonly #onChange: () => void;
  readonly #pages = new Map<number, MessageRows>();
  readonly #asked = new Map<number, AbortController>();

  constructor(
    session: Session,
    recording: number,
    index: MessageIndex,
    channels: readonly number[] | null,
    onChange: () => void,
  ) {
    this.#session = session;
    this.#recording = recording;
    this.#index = index;
    this.#channels = channels;
    this.#onChange = onChange;
  }

  /** Null: it is not here yet. */
  row(index: number): MessageRow | null {
    const rows = this.#pages.get(Math.floor(index / PAGE));
    return rows === undefined ? null : rowOf(rows, index % PAGE);
  }

  /** Fetches what is seen, and calls off what is not any more. */
  see(first: number, last: number): void {
    const from = Math.floor(first / PAGE);
    const to = Math.floor(Math.max(first, last - 1) / PAGE);
    for (const [page, controller] of this.#asked) {
      if (page >= from && page <= to) continue;
      controller.abort();
      this.#asked.delete(page);
    }
    for (let page = from; page <= to; page++) void this.#fetch(page);
  }

  close(): void {
    for (const controller of this.#asked.values()) controller.abort();
    this.#asked.clear();
  }

  async #fetch(page: number): Promise<void> {
    if (this.#pages.has(page) || this.#asked.has(page) || page * PAGE >= this.#index.count) return;
    const controller = new AbortController();
    this.#asked.set(page, controller);
    const { start, skip } = this.#index.locate(page * PAGE);
    try {
      const rows = await this.#session.query(
        "messages",
        {
          recording: this.#recording,
          start,
          skip,
          channels: this.#channels,
          reverse: false,
          limit: PAGE,
          text: "",
          preview: true,
        },
        { signal: controller.signal },
      );
      this.#pages.set(page, rows);
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= REMEMBERED) break;
        this.#pages.delete(old);
      }
      this.#onChange();
    } catch {
      // Called off, or the recording was closed; what cannot be decoded is shown in its row.
    } finally {
      if (this.#asked.get(page) === controller) this.#asked.delete(page);
    }
  }
}

/** Null: there are not so many. */
export function rowOf({ time, channel, sequence, size, preview }: MessageRows, i: number): MessageRow | null {
  if (i >= time.length) return null;
  return { time: time[i]!, channel: channel[i]!, sequence: sequence[i]!, size: size[i]!, preview: preview[i]! };
}
