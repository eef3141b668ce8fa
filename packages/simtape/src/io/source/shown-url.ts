const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/**
 * A URL as messages show it and files keep it: without name and password, and without its query and fragment, where
 * signatures and tokens are. What is no URL stays as it is.
 */
export function shownUrl(url: string | URL): string {
  const text = String(url);
  const scheme = SCHEME.exec(text)?.[0];
  if (scheme === undefined) return text;
  // What is no proper URL may have a password with any character in it.
  const credentials = URL.canParse(text) ? /^[^/?#]*@/ : /^.*@/s;
  return scheme + text.slice(scheme.length).replace(credentials, "").replace(/#.*$/s, "").replace(/\?.+$/s, "?…");
}

/** A URL, relative to the page where there is one. Throws `TypeError` for what is none, without its secrets. */
export function parsedUrl(url: string | URL): URL {
  const base = (globalThis as { location?: { href: string } }).location?.href;
  // The error of the system has the whole URL.
  if (!URL.canParse(String(url), base)) throw new TypeError(`not a URL: ${shownUrl(url)}`);
  return new URL(url, base);
}

/** What was thrown, when its texts have none of the secrets; else an error that says the same without. */
export function withoutSecrets(secrets: readonly string[], cause: unknown): unknown {
  if (secrets.length === 0 || !(cause instanceof Error)) return cause;
  const inner = withoutSecrets(secrets, cause.cause);
  const isClean = inner === cause.cause && !secrets.some((secret) => textsOf(cause).includes(secret));
  if (isClean) return cause;
  let { message } = cause;
  for (const secret of secrets) message = message.replaceAll(secret, "…");
  const safe = new Error(message, inner === undefined ? undefined : { cause: inner });
  safe.name = cause.name;
  return "code" in cause ? Object.assign(safe, { code: cause.code }) : safe;
}

/** Everything of an error that is text. */
function textsOf(error: Error): string {
  const own = Object.getOwnPropertyNames(error).map((name) => (error as unknown as Record<string, unknown>)[name]);
  return own.filter((value) => typeof value === "string").join("\n");
}

/** Names of parts of a query that are secret however short they are. */
const SECRET = /sig|token|key|secret|pass|auth|cred|code/i;
/** Letters from which on others may be, and below which a text is everywhere. */
const LONG = 20;
const SHORT = 4;

/** The URL, and the parts of it that others must not see, in every spelling, the longest first; none: it has no secret. */
export function secretsOf(url: string | URL): string[] {
  const text = String(url);
  if (shownUrl(text) === text) return [];
  if (!URL.canParse(text)) return [text];
  const { href, password, search, hash, searchParams } = new URL(text);
  const [, credentials = ""] = /:\/\/([^/?#]*@)/.exec(text) ?? [];
  const parts = [
    credentials,
    password,
    decoded(password),
    search.slice(1),
    hash.slice(1),
    ...secretValues(searchParams),
  ];
  const spelled = parts.flatMap((part) => [part, encodeURIComponent(part)]).filter(({ length }) => length >= SHORT);
  return [...new Set([text, href, ...spelled])].sort((a, b) => b.length - a.length);
}

/** True when who has the URL can read what others cannot: a name and password, a signature, a token. */
export function opensDoors(url: URL): boolean {
  return url.username !== "" || url.password !== "" || secretValues(url.searchParams).length > 0;
}

function secretValues(query: URLSearchParams): string[] {
  return [...query].filter(([name, value]) => SECRET.test(name) || value.length >= LONG).map(([, value]) => value);
}

/** Percent signs that encode nothing are kept as they are. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
