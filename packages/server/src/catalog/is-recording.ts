import { type ByteSource, FORMATS, open, RecordingError, SourceError, StoreError } from "simtape";
import { recognize } from "simtape/serving";
import type { Group } from "../library/grouping.ts";
import type { Library } from "../library/library.ts";
import { isUnreadable } from "../library/unreadable.ts";

/**
 * Whether a file is to be listed: its content is that of a format, damaged as it may be. Null: it cannot be looked at now, as
 * its storage is away, it went meanwhile, or it is not for this user.
 */
export async function isRecording(library: Library, { key, files }: Group): Promise<boolean | null> {
  if (files[0]!.bytes === 0) return false;
  let source: ByteSource | null = null;
  try {
    source = await library.bundle(key).open();
    if (source === null) return false;
    const format = await recognize(source, key.split("/").at(-1)!, FORMATS);
    const head = await source.read(0, 4096);
    if (!isZip(head)) return true;
    const isCertain = format.sniff(head, { name: key, size: files[0]!.bytes }) === "certain";
    return isCertain || (await isReadable(library, key));
  } catch (error) {
    if (isUnreadable(error)) return false;
    if (RecordingError.is(error) || error instanceof SourceError || error instanceof StoreError) return null;
    throw error;
  } finally {
    await source?.close();
  }
}

/** A zip may hold anything: it is a recording when it can be read as one. */
async function isReadable(library: Library, key: string): Promise<boolean> {
  const recording = await open(library.bundle(key)).catch((error: unknown) => {
    if (isUnreadable(error)) return null;
    throw error;
  });
  await recording?.close();
  return recording !== null;
}

function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}
