import type { SourceBundle } from "../io/source/source.ts";
import { RecordingError } from "../model/error.ts";
import { isNamedAsRecording } from "../model/file-names.ts";
import type { Format } from "../model/format.ts";
import { openBundle, recognition } from "../model/open.ts";

/**
 * Whether the main file holds a recording, even a damaged one: its first bytes are one's for certain, or they may be and it
 * is called so, or opens as one. A zip may hold anything. Rejects with a `SourceError` or a `RecordingError`
 * (`source-failed`, `source-changed`) where it cannot be read.
 */
export async function holdsRecording(bundle: SourceBundle, formats: readonly Format[]): Promise<boolean> {
  const source = await bundle.open();
  if (source === null) return false;
  try {
    const { isCertain } = await recognition(source, bundle.name, formats);
    if (isCertain || isNamedAsRecording(bundle.name ?? "", formats)) return true;
  } catch (error) {
    return isNone(error);
  } finally {
    await source.close();
  }
  const recording = await openBundle(bundle, formats, { seekIndex: false }).catch(isNone);
  if (recording === false) return false;
  await recording.close();
  return true;
}

/** False for what says that it is none; throws what says that it cannot be read. */
function isNone(error: unknown): false {
  if (RecordingError.is(error) && error.code !== "source-failed" && error.code !== "source-changed") return false;
  throw error;
}
