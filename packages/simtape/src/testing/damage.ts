import { type Corruption, corrupt } from "../ops/corrupt.ts";

/** Damage as `corrupt` does it, or bytes taken out. Steps follow one another: each counts in what the one before left. */
export type CorruptionStep =
  | { readonly kind: "corrupt"; readonly seed: number; readonly corruptions: readonly Corruption[] }
  | { readonly kind: "remove"; readonly offset: number; readonly length: number };

/** A damaged copy. */
export function damaged(bytes: Uint8Array, steps: readonly CorruptionStep[]): Uint8Array {
  return steps.reduce<Uint8Array>((result, step) => {
    if (step.kind === "corrupt") return corrupt(result, step.corruptions, step.seed);
    const behind = result.subarray(step.offset + step.length);
    const made = new Uint8Array(step.offset + behind.length);
    made.set(result.subarray(0, step.offset));
    made.set(behind, step.offset);
    return made;
  }, bytes);
}
