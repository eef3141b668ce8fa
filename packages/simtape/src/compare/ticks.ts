import type { MessageBatch } from "../model/messages/batch.ts";
import type { Recording } from "../model/recording.ts";
import type { Time } from "../model/values/time.ts";

/** Whether the ticks of a recording are its messages of motion: there is one channel of these, and it has some. */
export async function hasMotion({ motion, reader }: Recording, signal: AbortSignal | undefined): Promise<boolean> {
  if (motion === null) return false;
  return ((await reader.statistics(signal))[motion.id]?.messages ?? 0) > 0;
}

/** The ticks of a recording, one after the other: times with messages of motion, or with any. */
export class Ticks {
  /** Those given so far. */
  count = 0;
  readonly #batches: AsyncIterator<MessageBatch>;
  #batch: MessageBatch | null = null;
  #row = 0;
  #last: Time = Number.NaN;

  constructor({ motion, reader }: Recording, isOfMotion: boolean, signal: AbortSignal | undefined) {
    const channels = isOfMotion && motion !== null ? [motion] : undefined;
    this.#batches = reader.batches({ channels, signal })[Symbol.asyncIterator]();
  }

  /** Null: there are no more. */
  async next(): Promise<Time | null> {
    for (;;) {
      const batch = this.#batch;
      if (batch !== null) {
        while (this.#row < batch.length && batch.time[this.#row] === this.#last) this.#row++;
        if (this.#row < batch.length) {
          this.#last = batch.time[this.#row++]!;
          this.count++;
          return this.#last;
        }
      }
      const { done, value } = await this.#batches.next();
      if (done === true) return null;
      this.#batch = value;
      this.#row = 0;
    }
  }

  async stop(): Promise<void> {
    await this.#batches.return?.();
  }
}
