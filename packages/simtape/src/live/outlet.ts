/**
 * Something in which the recording of a deck plays: a server that clients of a program connect to, or a running program
 * that is driven. Made by a function of a deck and options, once it is ready.
 */
export interface Outlet {
  /** For people, as `a NanoVer server at ws://127.0.0.1:38801`. */
  readonly name: string;
  /** What it does at the moment, for people: how many clients watch, what they lag. */
  status(): OutletStatus;
  /** Ends all connections; the deck stays. Idempotent. */
  close(): Promise<void>;
}

/** An outlet at a moment. */
export interface OutletStatus {
  readonly clients: number;
  readonly sentMessages: number;
  readonly sentBytes: number;
  /** Frames that were left out for clients that did not keep up. */
  readonly skippedFrames: number;
  /** Bytes that were sent and that the networks of clients have not taken; absent: not known. */
  readonly waitingBytes?: number;
  /** Why it shows nothing more, for people: what it drives has ended, or refuses. Null: it works. */
  readonly failure: string | null;
}
