import type { MessageBatch } from "../../../model/batch.ts";
import type { StateModel } from "../../../model/state-model.ts";
import type { MutableState } from "../../../model/state.ts";
import type { Channel } from "../../../model/value.ts";

/** State of a file: placeholder. */
export class McapState implements StateModel {
  readonly motion = null;
  constructor(_channels: readonly Channel[]) {}
  replacesState(): boolean {
    return false;
  }
  apply(_state: MutableState, _batch: MessageBatch, _i: number): void {}
}
