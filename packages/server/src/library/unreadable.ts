import { RecordingError, SourceError, StoreError } from "simtape";

/**
 * Whether a recording itself cannot be read. False of all else: storage that is away, or a file that changed meanwhile, says
 * nothing about the recording, and is tried again.
 */
export function isUnreadable(error: unknown): error is RecordingError {
  return RecordingError.is(error) && !isOfSource(error) && error.code !== "closed";
}

/** Whether what failed was the way to the files: it may work again at any time. */
export function isStorageAway(error: unknown): boolean {
  if (RecordingError.is(error)) return error.code === "source-failed";
  if (error instanceof SourceError) return error.reason === "failed";
  return error instanceof StoreError && error.code === "unavailable";
}

function isOfSource({ code }: RecordingError): boolean {
  return code === "source-failed" || code === "source-changed";
}
