import { UsageError } from "../run/failure.ts";

/** Characters of an answer: what a program that thinks can hold beside everything else. */
export const MOST_TEXT = 100_000;

/** Throws `UsageError` for an answer that is too long: what is cut would be taken for all. */
export function checkedText(text: string): string {
  if (text.length <= MOST_TEXT) return text;
  throw tooLong(text.length);
}

/** An answer that grows up to the limit. */
export class AnswerText {
  #text = "";

  /** Throws `UsageError` as soon as it is too long. */
  add(piece: string | Uint8Array): void {
    this.#text += typeof piece === "string" ? piece : new TextDecoder().decode(piece);
    if (this.#text.length > MOST_TEXT) throw tooLong(this.#text.length);
  }

  take(): string {
    return this.#text;
  }
}

function tooLong(length: number): UsageError {
  return new UsageError(
    `the answer has ${length} characters or more, and the most is ${MOST_TEXT}: ask for fewer paths, a shorter range, fewer points, or use LIMIT`,
  );
}
