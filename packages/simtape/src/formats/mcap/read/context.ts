import { MESSAGE_HEAD } from "../../../codec/mcap/data.ts";
import type { Columns, MessageBatch } from "../../../model/messages/batch.ts";

/** What stands before a payload in its record (spec §4.5). */
export interface Before {
  readonly sequence: number;
  readonly logTime: bigint;
  readonly publishTime: bigint;
}

/** The context of the batches of one chunk: where the payload of each message begins. */
export class McapContext {
  readonly #view: DataView;
  readonly #first: number;
  readonly #starts: Uint32Array;

  /** `columns` has all rows of the chunk, whose first message in file order has the sequence `first`. */
  constructor(bytes: Uint8Array, columns: Pick<Columns, "length" | "sequence" | "start">, first: number) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#first = first;
    this.#starts = new Uint32Array(columns.length);
    for (let i = 0; i < columns.length; i++) this.#starts[columns.sequence[i]! - first] = columns.start[i]!;
  }

  /** `place`: the sequence that the message had when the chunk was decoded, without what a batch is shifted by. */
  before(place: number): Before {
    const at = this.#starts[place - this.#first]! - MESSAGE_HEAD;
    return {
      sequence: this.#view.getUint32(at + 2, true),
      logTime: this.#view.getBigUint64(at + 6, true),
      publishTime: this.#view.getBigUint64(at + 14, true),
    };
  }

  /** The sequence that the message itself states. */
  counterOf(place: number): number {
    return this.#view.getUint32(this.#starts[place - this.#first]! - MESSAGE_HEAD + 2, true);
  }

  /** Log time minus publish time, nanoseconds: exact up to a hundred days. */
  delayOf(place: number): number {
    const at = this.#starts[place - this.#first]! - MESSAGE_HEAD;
    const view = this.#view;
    const high = view.getUint32(at + 10, true) - view.getUint32(at + 18, true);
    return high * 0x1_0000_0000 + (view.getUint32(at + 6, true) - view.getUint32(at + 14, true));
  }
}

/** What stands before the payload of row `i`; null for a batch of another format. */
export function readBefore(batch: MessageBatch, i: number): Before | null {
  const { context } = batch;
  return context instanceof McapContext ? context.before(batch.sequence[i]! - batch.shifted) : null;
}
