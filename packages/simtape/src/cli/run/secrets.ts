import { secretsOf, shownUrl } from "../../io/source/shown-url.ts";

/** Secrets of what was named or opened, the longest first, with what is shown instead. */
let hidden: readonly (readonly [secret: string, shown: string])[] = [];

/** From here on no output has the name and password, or the query, of this URL; without effect for what is none. */
export function hide(name: string): void {
  const secrets = secretsOf(name);
  if (secrets.length === 0 || hidden.some(([secret]) => secret === name)) return;
  const shown = shownUrl(name);
  const more = secrets.map((secret) => [secret, secret.includes("://") ? shown : "…"] as const);
  hidden = [...hidden, ...more].sort(([a], [b]) => b.length - a.length);
}

/** A text for people or programs, where URLs that were hidden are shown without their secrets. */
export function withoutSecrets(text: string): string {
  return hidden.reduce((safe, [secret, shown]) => safe.replaceAll(secret, () => shown), text);
}
