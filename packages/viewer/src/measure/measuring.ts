import { Observable } from "../observable.ts";
import type { Thing } from "../subject.ts";

/** What is measured between so many things: their distance, the angle at the middle one, or the dihedral angle. */
export type Count = 2 | 3 | 4;

/** Things between which something is measured, in order. The address keeps them. */
export interface Measure {
  readonly things: readonly Thing[];
}

/** While things are picked to be measured: how many are wanted, and those picked so far. Null: nothing is measured. */
export const measuring: Observable<{ readonly count: Count; readonly picked: readonly Thing[] } | null> =
  new Observable<{ readonly count: Count; readonly picked: readonly Thing[] } | null>(null);

/** Begins to measure, or ends it. */
export function toggleMeasuring(): void {
  measuring.set(measuring.value === null ? { count: 2, picked: [] } : null);
}

/** Takes a thing that was picked; false: nothing is measured now. */
export function pickMeasured({ set, id }: Thing): boolean {
  const { value } = measuring;
  if (value === null) return false;
  const picked = value.picked.filter((one) => one.set !== set || one.id !== id);
  // Again on the same: not that one.
  measuring.set({ ...value, picked: picked.length < value.picked.length ? picked : [...picked, { set, id }] });
  return true;
}
