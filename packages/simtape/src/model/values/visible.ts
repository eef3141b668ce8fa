/** What a terminal acts on or hides: control characters, marks that turn the direction of text, separators of lines. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** One line that a terminal only shows: what it would act on is written as `\x1b`, `\u202e`, `\n`. Tabs stay. */
export function visibleLine(text: string): string {
  return text.replace(UNSEEN, (letter) => (letter === "\t" ? letter : letter === "\n" ? "\\n" : escaped(letter)));
}

/** The same for text of several lines. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (letter) => (letter === "\t" || letter === "\n" ? letter : escaped(letter)));
}

/** A text as JSON, the same to every reader, and to a terminal no more than text. */
export function jsonText(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (letter) => `\\u${digits(letter, 4)}`);
}

function escaped(letter: string): string {
  return letter <= "\u00ff" ? `\\x${digits(letter, 2)}` : `\\u${digits(letter, 4)}`;
}

function digits(letter: string, count: number): string {
  return letter.charCodeAt(0).toString(16).padStart(count, "0");
}
