import type { MessageBatch } from "../messages/batch.ts";
import type { StateModel } from "./state-model.ts";
import type { MutableState } from "./state.ts";

/** Folds rows `[from, to)` of a batch into `state`, in order. */
export function applyRows(model: StateModel, state: MutableState, batch: MessageBatch, from: number, to: number): void {
  if (model.applyRows !== undefined) model.applyRows(state, batch, from, to);
  else for (let i = from; i < to; i++) model.apply(state, batch, i);
}
