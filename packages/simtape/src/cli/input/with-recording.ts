import type { Recording } from "../../model/recording.ts";
import { type ReadOptions, openNamed } from "./recordings.ts";

/** Opens a recording, or an edit list that names its source, and closes it when `work` is done. */
export async function withRecording<T>(
  name: string,
  options: ReadOptions,
  work: (recording: Recording) => Promise<T>,
): Promise<T> {
  const recording = name.endsWith(".json")
    ? (await (await import("./editing.ts")).editing(null, name, null, options)).recording
    : await openNamed(name, options);
  try {
    return await work(recording);
  } finally {
    await recording.close();
  }
}
