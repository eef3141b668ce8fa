import type pino from "pino";

/** Structured lines; `LogLevel` says which. */
export type Log = Pick<pino.Logger, "info" | "warn" | "error" | "debug" | "isLevelEnabled">;

export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** An address without the secrets in it: ids of shared links, codes of a sign-in. */
export function shownAddress(url: string): string {
  return url.replace(/\?.*$/s, "").replace(/^(\/s\/|\/api\/shares\/)share_[^/]*/, "$1…");
}
