/** Whether two plain values, of objects, lists and what is in them, are equal to the last member. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [one, other] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  return one.length === Object.keys(b).length && one.every(([key, value]) => isSameValue(value, other[key]));
}
