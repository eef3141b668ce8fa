/** Text as PostgreSQL can store it: without NUL and without halves of surrogate pairs. */
export function clean(text: string): string {
  return text.replaceAll("\0", "").replace(/\p{Surrogate}/gu, "\ufffd");
}
