import type { State } from "simtape";
import type { UnitSystem } from "../measures.ts";
import type { Measure } from "./measuring.ts";
import type { Gauge } from "./numbers.ts";
import type { Drawn } from "./overlay.ts";
import { closingText, numberText } from "./words.ts";

/** What is written of a measure. */
export interface Line {
  readonly number: string;
  /** How fast its things come nearer to each other; empty where that is not known. */
  readonly closing: string;
}

export function linesOf(measures: readonly Measure[], gauge: Gauge, state: State, system: UnitSystem): readonly Line[] {
  return measures.map((measure) => {
    const numbers = gauge.numbers(measure, state);
    const closing = numbers === null ? "" : closingText(numbers, measure, state, system);
    return { number: numberText(numbers, measure, state, system), closing };
  });
}

/** Measures as the overlay draws them, with a line for each. */
export function drawnOf(measures: readonly Measure[], lines: readonly Line[]): readonly Drawn[] {
  return measures.map(({ things }, i) => {
    const { number, closing } = lines[i]!;
    return { things, text: closing === "" ? number : `${number}, ${closing}` };
  });
}
