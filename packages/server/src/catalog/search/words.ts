/** A word, or words that follow each other; `-` before them: the recording must not have them. */
const PART = /(-?)(?:"([^"]*)"?|([^\s"]+))/g;

/**
 * Turns what people type into a query for PostgreSQL: all words must be there, the last one may be incomplete, the
 * words of `"several words"` must follow each other, and `-word` must not be there. Null: the text has no words.
 */
export function textQueryOf(text: string): string | null {
  const parts: string[] = [];
  for (const found of text.matchAll(PART)) {
    const [whole, minus, phrase, word] = found;
    const lexemes = (phrase ?? word ?? "").normalize("NFC").match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    if (lexemes.length === 0) continue;
    const quoted = lexemes.map((lexeme) => `'${lexeme}'`);
    const isLast = found.index + whole.length === text.length && phrase === undefined;
    if (isLast) quoted[quoted.length - 1] += ":*";
    const part = quoted.join(phrase === undefined ? " & " : " <-> ");
    parts.push(minus === "-" ? `!(${part})` : `(${part})`);
  }
  return parts.length === 0 ? null : parts.join(" & ");
}
