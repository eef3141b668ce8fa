/** Ranged reads over one file, on any medium. Implementations and wrappers all pass `describeSource` in the tests. */
export interface ByteSource {
  /** For messages only: a URL, a path, `"memory"`. */
  readonly name: string;
  /** Bytes in the source, or null while it grows or is not known. */
  size(): Promise<number | null>;
  /**
   * Bytes `[offset, offset + length)`; fewer only at the end of the source, none beyond it.
   * The bytes never change again. Rejects with `SourceError`, or with the signal's reason.
   */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
  /**
   * As `read`, into the caller's memory, as far as that goes; gives the number of bytes. Absent: there is no gain in it.
   */
  readInto?(into: Uint8Array, offset: number, signal?: AbortSignal): Promise<number>;
  /** Idempotent. Reads after it reject with `SourceError("closed")`. */
  close(): Promise<void>;
}

/** The files of one recording: `open()` is the main one, `open("run.state")` a sibling by its file name. */
export interface SourceBundle {
  /** File name of the main source, when it has one: `"run.traj"`. Siblings are found by it. */
  readonly name: string | null;
  /** Names of all files, where they are at hand and the main one is not stated: the formats may know. */
  readonly names?: readonly string[];
  /** Null when there is no such sibling. Throws `SourceError` when it cannot be opened. */
  open(name?: string): Promise<ByteSource | null>;
  /**
   * A text that changes whenever that file does, such as `mtime 17…`: its first word says of which kind it is. Null, and
   * absent: the medium tells none.
   */
  stamp?(name?: string): Promise<string | null>;
  /** The side-car that was kept of the recording, where bundles know a place for it; null: none was. */
  sideCar?(): Promise<ByteSource | null>;
}

/** Why a read failed. The model turns it into a `RecordingError`. */
export class SourceError extends Error {
  /**
   * `changed`: the content is not what it was when it was opened; `closed`: read after `close()`; `failed`: all else.
   */
  readonly reason: "changed" | "failed" | "closed";

  constructor(reason: "changed" | "failed" | "closed", message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "SourceError";
    this.reason = reason;
  }
}
