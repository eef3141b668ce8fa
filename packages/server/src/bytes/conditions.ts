/** Opaque tags of a list, RFC 9110 §8.8.3; a weak one has `W/` before it. */
const TAGS = /(?:W\/)?"[^"]*"/g;

/** Whether `If-None-Match` says that `tag` is known: by weak comparison, in a list, or as `*`. */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  const plain = tag.replace(/^W\//, "");
  return (header.match(TAGS) ?? []).some((one) => one.replace(/^W\//, "") === plain);
}

/** Whether `If-Match` allows what has `tag`: by strong comparison, so that a weak one never does. */
export function isMatched(header: string | undefined, tag: string): boolean {
  return header === undefined || header.trim() === "*" || (header.match(TAGS) ?? []).some((one) => one === tag);
}
