import pino from "pino";

/** Structured lines; `LogLevel` says which. */
export type Log = Pick<pino.Logger, "info" | "warn" | "error" | "debug" | "isLevelEnabled">;

export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Headers that hold secrets are left out. */
const SECRET = ["req.headers.authorization", "req.headers.cookie", 'res.headers["set-cookie"]'];

/** An address without the secrets in it: ids of shared links, codes of a sign-in. */
export function shownAddress(url: string): string {
  return url.replace(/\?.*$/s, "").replace(/^(\/s\/|\/api\/shares\/)share_[^/]*/, "$1…");
}

/** The properties of a request in the log. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly ip: string;
}

/** To standard error, one JSON object a line. */
export function logTo(level: LogLevel): pino.Logger {
  const serializers = { req: ({ method, url, ip }: Asked) => ({ method, url: shownAddress(url), ip }) };
  return pino(
    { level, base: null, serializers, redact: SECRET, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(2),
  );
}
