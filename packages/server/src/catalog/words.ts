/** Word, or words that follow each other; `-` before them: which must not be there. */
const PART = /(-?)(?:"([^"]*)"?|([^\s"]+))/g;

/**
 * What people type as a question for PostgreSQL: all words, the last one as far as it is typed, `"several words"` behind
 * each other, `-word` not there. Null: it asks for nothing.
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
