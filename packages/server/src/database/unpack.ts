import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { tarEntries } from "../tar.ts";

/**
 * Unpacks a .tar.gz of files and folders into `folder`, which appears when it is complete; after a kill, unpacking
 * starts again. It unpacks a piece at a time, because the process would not give back the memory for the whole archive.
 */
export async function unpack(archive: string, folder: string): Promise<void> {
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  for await (const { path, isFolder, content } of tarEntries(createReadStream(archive).pipe(createGunzip()))) {
    if (isFolder) {
      await mkdir(join(unfinished, path), { recursive: true, mode: 0o700 });
      continue;
    }
    const file = await open(join(unfinished, path), "wx", 0o600);
    try {
      for await (const piece of content) await file.write(piece);
    } finally {
      await file.close();
    }
  }
  await rename(unfinished, folder);
}
