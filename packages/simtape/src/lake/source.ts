import type { Recording } from "../model/recording.ts";

/** A recording of the store that a lake is of. */
export interface LakeSource {
  /** Where it is in the store: its key, a path in the folder. Each once. */
  readonly file: string;
  /** What it is called in the lake; absent: a name made of `file`, see `recordingId`. Letters, digits and `._-`. */
  readonly id?: string | undefined;
  /** Changes with the content of any of its files; never parsed. */
  readonly stamp: string;
  readonly tags?: readonly string[] | undefined;
  /** The lake closes it. Rejects with `RecordingError` for what is no recording or too damaged. */
  open(signal?: AbortSignal): Promise<Recording>;
}
