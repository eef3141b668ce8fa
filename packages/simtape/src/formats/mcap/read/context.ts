import { MESSAGE_HEAD } from "../layout/data.ts";
import type { Columns, MessageBatch } from "../../../model/batch.ts";

/** What stands before a payload in its record (spec §4.5). */
export interface Before {
  readonly sequence: number;
  readonly logTime: bigint;
  readonly publishTime: bigint;
}

/** The context of the batches of one chunk: its bytes, and where the payload of each message begins. */
export class McapContext {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #first: number;
  readonly #starts: Uint32Array;

  /** `columns` has all rows of the chunk, whose first message in file order has the sequence `first`. */
  constructor(bytes: Uint8Array, columns: Pick<Columns, "length" | "sequence" | "start">, first: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#first = first;
    this.#starts = new Uint32Array(columns.length);
    for (let i = 0; i < columns.length; i++) this.#starts[columns.sequence[i]! - first] = columns.start[i]!;
  }

  /** `sequence` as the chunk was decoded with: without what a batch is shifted by. */
  before(sequence: number): Before {
    const at = this.#starts[sequence - this.#first]! - MESSAGE_HEAD;
    return {
      sequence: this.#view.getUint32(at + 2, true),
      logTime: this.#view.getBigUint64(at + 6, true),
      publishTime: this.#view.getBigUint64(at + 14, true),
    };
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }
}

/** What stands before the payload of row `i`; null for a batch of another format. */
export function readBefore(batch: MessageBatch, i: number): Before | null {
  const { context } = batch;
  return context instanceof McapContext ? context.before(batch.sequence[i]! - batch.shifted) : null;
}
