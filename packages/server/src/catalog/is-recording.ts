import { type ByteSource, FORMATS, open, RecordingError, SourceError } from "simtape";
import { recognize } from "simtape/serving";
import type { Group } from "../library/grouping.ts";
import type { Library } from "../library/library.ts";

/** Whether a file is to be listed: its content is that of a format, damaged as it may be. */
export async function isRecording(library: Library, { key, files }: Group): Promise<boolean> {
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
    // also what went meanwhile, or is not for this user
    if (RecordingError.is(error) || error instanceof SourceError) return false;
    throw error;
  } finally {
    await source?.close();
  }
}

/** A zip may hold anything: it is a recording when it can be read as one. */
async function isReadable(library: Library, key: string): Promise<boolean> {
  const recording = await open(library.bundle(key)).catch((error: unknown) => {
    if (RecordingError.is(error)) return null;
    throw error;
  });
  await recording?.close();
  return recording !== null;
}

function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}
