import { check, FORMATS, type Recording, RecordingError } from "../../src/index.ts";
import { openFiles, repaired } from "../../src/testing/observe.ts";

/** Repairs what can be opened: what comes of it must be sound, or a typed error says why there is nothing. */
export async function mends(files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  let recording: Recording;
  try {
    recording = await openFiles(files, FORMATS);
  } catch (error) {
    if (RecordingError.is(error)) return;
    throw error;
  }
  try {
    const writing = await FORMATS.find(({ id }) => id === recording.info.format)?.writing?.();
    if (writing === undefined) return;
    const { files: made } = await repaired(recording, files, writing, FORMATS);
    await using again = await openFiles(made, FORMATS);
    const { status, findings } = await check(again);
    if (status !== "sound") throw new Error(`what was repaired is ${status}: ${findings[0]?.message}`);
  } catch (error) {
    if (!RecordingError.is(error)) throw error;
  } finally {
    await recording.close();
  }
}
