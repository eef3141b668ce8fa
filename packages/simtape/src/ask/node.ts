import type { SeriesPath } from "../model/state/path.ts";
import type { Unit } from "./units.ts";

/**
 * What a part of a checked expression is: a number of a unit; a boolean, which holds from moment to moment; an instant,
 * which is true at a moment only; words.
 */
export type NodeType = "number" | "boolean" | "instant" | "words";

/** A thing of a set: one by its id, or the one that a variable stands for. */
export interface Thing {
  readonly set: string;
  readonly id: number | string | Variable;
}

/** Stands for a thing or a path of those that a quantifier goes through. */
export interface Variable {
  readonly variable: number;
}

/** A function of columns: what it gives at a moment follows from its inputs at that moment, and from moments before. */
export type FunctionName =
  | ("scale" | "-" | "abs" | "+" | "minus" | "*" | "/" | "min" | "max" | "hypot" | "acos" | "else")
  | ("<" | "<=" | ">" | ">=" | "=" | "!=" | "like")
  | ("and" | "or" | "not" | "boolean" | "known" | "where")
  | ("rising" | "falling" | "changed" | "derivative" | "still");

/** The things, or the paths, that a quantifier goes through. */
export type Crowd =
  | { readonly set: string; readonly picks: readonly (number | string)[] | null }
  | { readonly paths: readonly SeriesPath[] };

interface Typed {
  readonly type: NodeType;
  /** Of a number; else that of a plain one. */
  readonly unit: Unit;
}

/** A checked expression: plain data. */
export type Node = Typed &
  /** `written`: the unit that stands in the text, where the value was converted from it. */
  (
    | { readonly op: "constant"; readonly value: number; readonly written?: Unit | undefined }
    | { readonly op: "words"; readonly text: string }
    | { readonly op: "read"; readonly path: SeriesPath | Variable; readonly isWhole: boolean }
    | {
        readonly op: "cell";
        readonly of: Thing;
        readonly column: string;
        readonly item: number | "speed" | null;
        readonly isWhole: boolean;
      }
    /** Whether a thing is there; `column` is one that its set has. */
    | { readonly op: "present"; readonly of: Thing; readonly column: string }
    | {
        readonly op: "apply";
        readonly name: FunctionName;
        readonly inputs: readonly Node[];
        readonly k: number;
        readonly text: string;
      }
    | { readonly op: "event"; readonly kind: string | null; readonly who: Thing | string | null }
    | { readonly op: "for"; readonly input: Node; readonly time: number }
    /** Whether it is at most so long before, or behind, a time at which `input` is true. Nanoseconds. */
    | { readonly op: "near"; readonly input: Node; readonly ahead: number; readonly behind: number }
    | {
        readonly op: "over";
        readonly how: "any" | "all" | "count" | "min" | "max" | "sum";
        readonly crowd: Crowd;
        /** Column by which a thing is known to be there; "" of paths. */
        readonly column: string;
        readonly variable: number;
        readonly body: Node;
      }
  );

/** The number of which an answer names the extreme, and how it is shown. */
export interface Measure {
  readonly node: Node;
  readonly how: "min" | "max";
  /** In which it is shown: that of the number with which it is compared. */
  readonly unit: Unit;
}
