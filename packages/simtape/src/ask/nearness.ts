/** Letters of a name that are compared: a longer one differs in the rest as well. */
const MOST = 64;

/** The names, nearest to `text` first: by the letters to change, whatever their case; those alike stay in their order. */
export function byNearness(text: string, names: readonly string[]): string[] {
  const wanted = text.slice(0, MOST).toLowerCase();
  return names
    .map((name) => ({ name, steps: stepsBetween(wanted, name.slice(0, MOST).toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps)
    .map(({ name }) => name);
}

/** Letters to put in, take out or change so that one text becomes the other (Levenshtein's distance). */
function stepsBetween(a: string, b: string): number {
  let before = Uint8Array.from({ length: b.length + 1 }, (_, k) => k);
  for (let i = 0; i < a.length; i++) {
    const row = new Uint8Array(b.length + 1);
    row[0] = i + 1;
    for (let k = 0; k < b.length; k++) {
      const changed = before[k]! + (a[i] === b[k] ? 0 : 1);
      row[k + 1] = Math.min(changed, before[k + 1]! + 1, row[k]! + 1);
    }
    before = row;
  }
  return before[b.length]!;
}
