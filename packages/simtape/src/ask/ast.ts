import type { Place } from "./error.ts";

/** An expression as it is written: plain data, and the place of each part in the text. Nothing in it is checked yet. */
export type Ast =
  | AstNumber
  | AstText
  | AstBoolean
  | AstName
  | AstMember
  | AstIndex
  | AstCall
  | AstEvent
  | AstEach
  | AstOne
  | AstTwo
  | AstTimed
  | AstIn;

export interface AstNumber extends Place {
  readonly kind: "number";
  readonly value: number;
  /** Null: none is written. */
  readonly unit: AstUnit | null;
}

export interface AstUnit extends Place {
  readonly text: string;
}

export interface AstText extends Place {
  readonly kind: "text";
  readonly text: string;
}

export interface AstBoolean extends Place {
  readonly kind: "boolean";
  readonly value: boolean;
}

/** A word, a path with strokes, or with `isQuoted` a path in backquotes. */
export interface AstName extends Place {
  readonly kind: "name";
  readonly text: string;
  readonly isQuoted: boolean;
}

/** `of.name` */
export interface AstMember extends Place {
  readonly kind: "member";
  readonly of: Ast;
  readonly name: string;
}

/** `of[7]`, `of["a", "b"]`, `of[*]`: ids, or with `*` and `?` in them patterns of ids. */
export interface AstIndex extends Place {
  readonly kind: "index";
  readonly of: Ast;
  readonly ids: readonly (number | string)[];
}

export interface AstCall extends Place {
  readonly kind: "call";
  readonly name: string;
  readonly inputs: readonly Ast[];
}

export interface AstEvent extends Place {
  readonly kind: "event";
  /** Null: any. */
  readonly name: string | null;
  readonly who: Ast | null;
}

export type Quantifier = "any" | "all" | "each" | "count" | "min" | "max" | "sum";

/** `any of as name (body)`. */
export interface AstEach extends Place {
  readonly kind: "each";
  readonly quantifier: Quantifier;
  readonly of: Ast;
  /** How the body calls the thing, beside `it`; null: it has no name of its own. */
  readonly name: string | null;
  /** Null: what there is counts. */
  readonly body: Ast | null;
}

export interface AstOne extends Place {
  readonly kind: "one";
  readonly operator: "not" | "-";
  readonly input: Ast;
}

export type TwoOperator = "or" | "and" | "<" | "<=" | ">" | ">=" | "=" | "!=" | "~" | "+" | "-" | "*" | "/";

export interface AstTwo extends Place {
  readonly kind: "two";
  readonly operator: TwoOperator;
  readonly left: Ast;
  readonly right: Ast;
}

/** `input for time`, or `input within time of other`. */
export interface AstTimed extends Place {
  readonly kind: "timed";
  readonly how: "for" | "of" | "after" | "before";
  readonly input: Ast;
  readonly time: Ast;
  readonly other: Ast | null;
}

/** `input in unit` */
export interface AstIn extends Place {
  readonly kind: "in";
  readonly input: Ast;
  readonly unit: AstUnit;
}
