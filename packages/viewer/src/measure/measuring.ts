import { Observable } from "../observable.ts";
import type { Thing } from "../subject.ts";

/** What is measured between so many things: their distance, the angle at the middle one, or the dihedral angle. */
export type Count = 2 | 3 | 4;

/** Things between which something is measured, in order. The address keeps them. */
export interface Measure {
  readonly things: readonly Thing[];
}

interface Measuring {
  /** So many things are wanted. */
  readonly count: Count;
  readonly picked: readonly Thing[];
  /** Panel of the scene in which it was begun: the list of measures is there. */
  readonly panel: string;
}

/** While things are picked to be measured, in any scene; null: nothing is measured. */
export const measuring: Observable<Measuring | null> = new Observable<Measuring | null>(null);

/** Begins to measure, with the list in the scene of a panel, or ends it. */
export function toggleMeasuring(panel: string): void {
  measuring.set(measuring.value === null ? { count: 2, picked: [], panel } : null);
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
