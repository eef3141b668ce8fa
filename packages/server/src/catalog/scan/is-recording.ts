import { type ByteSource, FORMATS, RecordingError, SIDE_CAR_ENDING, SourceError, StoreError } from "simtape";
import { holdsRecording } from "simtape/serving";
import type { Group } from "../../library/grouping.ts";
import type { Library } from "../../library/library.ts";
import { adviceOn } from "../../library/unreadable.ts";
import { ownerIn } from "../../library/uploaded.ts";

/** Number of bytes that are read to judge a file. */
const HEAD = 4096;
/** Files that lie beside recordings and are not recordings. */
const BESIDE = [SIDE_CAR_ENDING, ".provenance.json"];

/**
 * Whether to list a file: its content is in a known format, even if damaged, or it was meant to be a recording. Null:
 * the file cannot be read now: its storage is away, it was deleted meanwhile, or this user may not read it.
 */
export async function isRecording(library: Library, { key, files }: Group): Promise<boolean | null> {
  if (files[0]!.bytes === 0) return false;
  let source: ByteSource | null = null;
  try {
    source = await library.bundle(key).open();
    if (source === null) return false;
    await source.size();
    const head = await source.read(0, HEAD);
    if (isMeantAsOne(key, head)) return true;
    return await holdsRecording(library.bundle(key), FORMATS);
  } catch (error) {
    if (RecordingError.is(error) || error instanceof SourceError || error instanceof StoreError) return null;
    throw error;
  } finally {
    await source?.close();
  }
}

/**
 * Whether to list a file whatever its content is, so that a user sees what is wrong with it: a user has uploaded it, or
 * its name is that of a recording. Notes and texts of other programs may have such a name, too.
 */
function isMeantAsOne(key: string, head: Uint8Array): boolean {
  if (BESIDE.some((ending) => key.endsWith(ending))) return false;
  if (ownerIn(key) !== null || adviceOn(key) !== null) return true;
  const isCalledSo = FORMATS.some(({ extensions }) => extensions.some((one) => key.toLowerCase().endsWith(`.${one}`)));
  return isCalledSo && !isText(head);
}

/** Text without control characters, such as a log. */
function isText(head: Uint8Array): boolean {
  return head.every((byte) => byte >= 32 || (byte >= 9 && byte <= 13));
}
