import pino from "pino";
import { type LogLevel, shownAddress } from "./log.ts";

/** Headers that hold secrets are left out. */
const SECRET = ["req.headers.authorization", "req.headers.cookie", 'res.headers["set-cookie"]'];

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
