/** A read that its bytes cannot satisfy. Layout code throws it; readers turn it into a `RecordingError` or a finding. */
export class LayoutError extends Error {
  /** What is wrong: bytes run out, or they contradict the layout. */
  readonly reason: "truncated" | "malformed";
  /** Place inside the bytes that were being read, counted from the cursor's origin. */
  readonly offset: number;

  constructor(reason: "truncated" | "malformed", message: string, offset: number) {
    super(`${message} at ${hex(offset)}`);
    this.name = "LayoutError";
    this.reason = reason;
    this.offset = offset;
  }
}

/** `0x1f40`: how offsets are written in every message. */
export function hex(offset: number): string {
  return `0x${offset.toString(16)}`;
}
