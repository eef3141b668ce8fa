/** Names shown where one is wrong: all of them when there are so few, else the nearest. */
const MOST_SHOWN = 40;
const MOST_NEAR = 8;

/** A name that needs no quotes in SQL: letters, digits and `_`. `position.x` is `position_x`. */
export function safeName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "");
  if (plain === "") return "value";
  return /^\d/.test(plain) ? `_${plain}` : plain;
}

/** The name, or with a number behind it where `taken` has it in any case of letters; then `taken` has it. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${name}_${n}`;
  taken.add(free.toLowerCase());
  return free;
}

/** An identifier as SQL quotes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as SQL quotes it. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** For messages: the names that exist, the nearest first. */
export function existing(wrong: string, names: readonly string[]): string {
  if (names.length === 0) return "there is none";
  const all = [...new Set(names)];
  const near = all
    .map((name) => ({ name, far: distance(wrong.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .map(({ name }) => name);
  const nearest = `the nearest is ${near[0]}`;
  if (all.length <= MOST_SHOWN) return `${nearest}; there are: ${all.join(", ")}`;
  return `${nearest}; of ${all.length} there are: ${near.slice(0, MOST_NEAR).join(", ")} …`;
}

/** Letters to change; a name inside the other counts little, and least at its beginning. */
function distance(word: string, name: string): number {
  const at = word === "" ? -1 : name.indexOf(word);
  if (at >= 0) return (name.length - word.length) / 1000 + (at === 0 ? 0 : 0.5);
  let row = Array.from({ length: name.length + 1 }, (_, k) => k);
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let k = 1; k <= name.length; k++) {
      const swapped = row[k - 1]! + (word[i - 1] === name[k - 1] ? 0 : 1);
      next.push(Math.min(swapped, row[k]! + 1, next[k - 1]! + 1));
    }
    row = next;
  }
  return row[name.length]!;
}
