import type { SeriesPath } from "../model/state/path.ts";
import type { FunctionName, Thing } from "./node.ts";

/** One operation over columns: reads registers, writes one. Plain data; the machine knows what each name does. */
export interface Instruction {
  readonly name: FunctionName | "any" | "all" | "count" | "sum" | "least" | "greatest" | "who-least" | "who-greatest";
  readonly out: number;
  readonly inputs: readonly number[];
  /** Of those that go through things: for each input a register that says whether the thing is there. */
  readonly present: readonly number[];
  readonly k: number;
  readonly text: string;
  /** The moments of the input; of `derivative` and `still`. */
  readonly clock: Clock;
}

/** Moments of a register: those of some paths, and of others while what they stand in for is unknown. */
export interface Clock {
  /** Indexes of paths. */
  readonly paths: readonly number[];
  readonly others: readonly { readonly instead: number; readonly paths: readonly number[] }[];
}

/** What fills a register before instructions run. */
export type Load =
  | { readonly kind: "number" | "words" | "there"; readonly path: number }
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "text"; readonly text: string }
  /** A list of intervals or instants, which is known before. */
  | { readonly kind: "spans"; readonly spans: number };

/** Where intervals come from: from events, or from a program that runs before. */
export type SpanSource =
  | { readonly kind: "event"; readonly name: string | null; readonly who: Thing | string | null }
  | {
      readonly kind: "root";
      /** Which program, and which of its roots. */
      readonly program: number;
      readonly root: number;
      readonly how: "for" | "near";
      readonly time: number;
      readonly ahead: number;
      readonly behind: number;
    };

/** What is answered: where `register` is true. */
export interface Root {
  readonly register: number;
  readonly isInstant: boolean;
  /** Intervals shorter than this are left out. Nanoseconds. */
  readonly least: number;
  /** Registers of the measure, and of the place of its thing among `things`; -1: none. */
  readonly measure: number;
  readonly who: number;
  readonly isLeast: boolean;
  /** From the unit of the register to that in which the measure is shown. */
  readonly scale: number;
  /** By the number in `who`. */
  readonly things: readonly string[];
  /** Of the thing that this is the answer for; null: it is for none. */
  readonly label: string | null;
}

/** Register code of an expression: what is loaded, what is done, what is given out. */
export interface Program {
  readonly paths: readonly SeriesPath[];
  readonly loads: readonly (Load | null)[];
  readonly instructions: readonly Instruction[];
  readonly spans: readonly SpanSource[];
  readonly roots: readonly Root[];
}
