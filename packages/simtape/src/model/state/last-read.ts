import type { MessageBatch } from "../messages/batch.ts";
import type { StateModel } from "./state-model.ts";
import type { MutableState } from "./state.ts";

/** One view for all messages of a batch: making one for each would take longer than to read them. */
export class BatchView {
  #bytes: Uint8Array | null = null;
  #view: DataView = new DataView(new ArrayBuffer(0));

  /** A view of all of `bytes`. */
  of(bytes: Uint8Array): DataView {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    return this.#view;
  }
}

/**
 * The message that a `ColumnReader` read last, where that one says all that those before it said: folding it alone brings
 * a state up to all that were read.
 */
export class LastRead {
  #batch: MessageBatch | null = null;
  #row = 0;

  note(batch: MessageBatch, row: number): void {
    this.#batch = batch;
    this.#row = row;
  }

  /** Whether there is one that was not folded yet. */
  get isOpen(): boolean {
    return this.#batch !== null;
  }

  forget(): void {
    this.#batch = null;
  }

  /** Folds it, and forgets it. */
  settle(model: StateModel, state: MutableState): void {
    if (this.#batch !== null) model.apply(state, this.#batch, this.#row);
    this.#batch = null;
  }
}
