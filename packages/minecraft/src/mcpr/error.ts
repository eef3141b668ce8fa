import { RecordingError } from "simtape";

/** Why a `.mcpr` cannot be read, as simtape says it of other recordings. */
export function unreadable(
  code: "unknown-format" | "malformed" | "truncated" | "unsupported",
  message: string,
  cause?: unknown,
): RecordingError {
  return new RecordingError(code, message, { format: "mcpr", cause });
}
