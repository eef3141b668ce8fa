import { RecordingError } from "../../model/error.ts";
import type { Recording } from "../../model/recording.ts";
import { heed } from "../run/ending.ts";
import { failureLine, isOfRecording } from "./each.ts";
import { recordingsAt } from "./folders.ts";
import { type ReadOptions, openNamed } from "./recordings.ts";

/** Opens a recording, or an edit list that names its source. */
export async function openedNamed(name: string, options: ReadOptions): Promise<Recording> {
  if (!name.endsWith(".json")) return openNamed(name, options);
  return (await (await import("./editing.ts")).editing(null, name, null, options)).recording;
}

/** Opens a recording, or an edit list that names its source, and closes it when `work` is done. */
export async function withRecording<T>(
  name: string,
  options: ReadOptions,
  work: (recording: Recording) => Promise<T>,
): Promise<T> {
  const recording = await openedNamed(name, options);
  try {
    return await work(recording);
  } finally {
    await recording.close();
  }
}

/**
 * Opens all that are named, a folder for the recordings in it, and closes them when `work` is done. Of a folder, one that
 * cannot be read is left out, which is a loss; where that is all, throws what the first one threw.
 */
export async function withRecordings<T>(
  named: readonly string[],
  options: ReadOptions,
  work: (opened: readonly { readonly file: string; readonly recording: Recording }[]) => Promise<T>,
): Promise<T> {
  const opened: { file: string; recording: Recording }[] = [];
  let first: RecordingError | null = null;
  try {
    for (const name of named)
      for (const file of await recordingsAt(name)) {
        try {
          opened.push({ file, recording: await openedNamed(file, options) });
        } catch (error) {
          if (file === name || !isOfRecording(error)) throw error;
          const { code, message } = RecordingError.from(error, "recording") as RecordingError;
          first ??= new RecordingError(code, failureLine(file, { message }));
          heed(file, { findings: [{ code: `left-out:${code}`, severity: "loss", message }] });
        }
      }
    if (opened.length === 0 && first !== null) throw first;
    return await work(opened);
  } finally {
    for (const { recording } of opened) await recording.close();
  }
}
