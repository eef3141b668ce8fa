import type { RecordingInfo } from "./recording-info.ts";

/** How the files of a format's recordings are called, as far as it must be known before one is opened. */
export interface FileNames {
  /** Of recordings that are a folder of files: names of the main file, the surest first, and the dialect that is written so. */
  readonly folder?: { readonly mains: readonly string[]; readonly dialect: string };
  /** Names that the other file of a pair may have, by that of one of them: `run.state` of `run.traj`. */
  partners?(main: string): readonly string[];
  /** Whether a recording with this main file may ask for a file of that name beside it; its partner aside. */
  mayNeed?(main: string, name: string): boolean;
  /** The ending that the main file of such a recording has, with its point, where the format has several. */
  endingFor?(info: RecordingInfo): string;
}
