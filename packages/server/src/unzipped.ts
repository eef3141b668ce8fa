import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";

/** The content of a gzip file, a piece at a time. Throws the error of the file system or of zlib. */
export async function* unzipped(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  const content = createGunzip();
  // `pipe` does not hand an error on, and one that nothing hears ends the process
  file.on("error", (error) => content.destroy(error));
  try {
    yield* file.pipe(content);
  } finally {
    file.destroy();
  }
}
