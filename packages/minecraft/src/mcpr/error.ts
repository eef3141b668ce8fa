import { RecordingError } from "simtape";

/** The reason why a `.mcpr` cannot be read, in the form that simtape uses for other recordings. */
export function unreadable(
  code: "unknown-format" | "malformed" | "truncated" | "unsupported",
  message: string,
  cause?: unknown,
): RecordingError {
  return new RecordingError(code, message, { format: "mcpr", cause });
}
