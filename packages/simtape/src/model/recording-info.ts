import type { Value } from "./values/value.ts";

/** What a recording is, as far as its file says without a full scan. */
export interface RecordingInfo<Id extends string = string> {
  /** The format's id: `"carla"`. */
  readonly format: Id;
  /** Version of the format, in its own words: `"1 (0.9.13)"`. */
  readonly version: string;
  /** Bytes in all files of the recording, or null while it grows. */
  readonly bytes: number | null;
  /**
   * Whether seeking uses an index that the file has (`stored`), one built by a scan (`built`), one that was kept of an
   * earlier scan (`kept`), or none.
   */
  readonly seekIndex: "stored" | "built" | "kept" | "none";
  readonly metadata: Readonly<Record<string, Value>>;
}
