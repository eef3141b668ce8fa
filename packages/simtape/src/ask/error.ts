/** What is wrong with an expression, or with what it asks of a recording. */
export type AskErrorCode =
  /** The text is no expression. */
  | "syntax"
  /** A part is of another type than its place needs: a text where a number belongs. */
  | "type"
  /** Two parts measure different things: a length and a time. */
  | "unit"
  /** The recording has no such path, set, thing or column. */
  | "path"
  /** The recording has no such kind of event. */
  | "event"
  /** Too long, too deep, or too many things for one expression. */
  | "limit";

const MARK: unique symbol = Symbol.for("simtape.ask-error") as never;

/** An expression that cannot be answered: what is wrong, and where in the text. */
export class AskError extends Error {
  readonly code: AskErrorCode;
  /** Of the part that is wrong: index of its first UTF-16 unit in the text, and how many it has. */
  readonly offset: number;
  readonly length: number;

  constructor(code: AskErrorCode, message: string, { offset, length }: Place) {
    super(message);
    this.name = "AskError";
    this.code = code;
    this.offset = offset;
    this.length = length;
    Object.defineProperty(this, MARK, { value: true });
  }

  /** Whether it is one, also of another copy of this package. */
  static is(error: unknown): error is AskError {
    return typeof error === "object" && error !== null && MARK in error;
  }
}

/** Part of a text: index of the first UTF-16 unit, and how many it has. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** Width of an excerpt. */
const WIDTH = 76;

/** The line of the expression that is wrong, and below it carets under the part: two lines, joined by a line feed. */
export function pointed(text: string, { offset, length }: Place): string {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const behind = text.indexOf("\n", offset);
  const line = text.slice(begin, behind < 0 ? text.length : behind);
  const at = offset - begin;
  const from = at < WIDTH - 16 ? 0 : at - 16;
  const shown = line.slice(from, from + WIDTH).replaceAll("\t", " ");
  const carets = "^".repeat(Math.max(1, Math.min(length, shown.length - (at - from))));
  return `${shown}\n${" ".repeat(at - from)}${carets}`;
}
