/**
 * Reads an option that may be given more than once. Each takes one value: an option that took all words up to the next
 * option would take the name of the file, too.
 */
export function collected(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}
