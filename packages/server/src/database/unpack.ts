import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { tarEntries } from "../tar.ts";
import { unzipped } from "../unzipped.ts";

/** Thrown when an archive cannot be read as a whole. */
export class UnpackError extends Error {
  override readonly name = "UnpackError";
}

/**
 * Unpacks a .tar.gz of files and folders into `folder`, which appears when it is complete; after a kill, unpacking
 * starts again. It unpacks a piece at a time, because the process would not give back the memory for the whole archive.
 * Throws `UnpackError` when the archive is missing, unreadable or damaged.
 */
export async function unpack(archive: string, folder: string): Promise<void> {
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  try {
    await unpackInto(unfinished, readable(archive));
  } catch (error) {
    // what is no tar, or ends early
    throw error instanceof RangeError ? unpackError(archive, error) : error;
  }
  await rename(unfinished, folder);
}

async function unpackInto(folder: string, input: AsyncGenerator<Uint8Array>): Promise<void> {
  for await (const { path, isFolder, content } of tarEntries(input)) {
    if (isFolder) {
      await mkdir(join(folder, path), { recursive: true, mode: 0o700 });
      continue;
    }
    const file = await open(join(folder, path), "wx", 0o600);
    try {
      for await (const piece of content) await file.write(piece);
    } finally {
      await file.close();
    }
  }
}

async function* readable(archive: string): AsyncGenerator<Uint8Array> {
  try {
    yield* unzipped(archive);
  } catch (error) {
    throw unpackError(archive, error);
  }
}

function unpackError(archive: string, cause: unknown): UnpackError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new UnpackError(`it cannot be unpacked: ${why}: ${archive}`, { cause });
}
