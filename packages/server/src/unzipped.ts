import { createReadStream, type ReadStream } from "node:fs";
import { createGunzip } from "node:zlib";

/** The content of a file, a piece at a time. The file is closed when the generator ends. */
export async function* contentOfFile(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  try {
    yield* file as AsyncIterable<Uint8Array>;
  } finally {
    await closed(file);
  }
}

/** The content of a gzip file, likewise. Throws the error of the file system or of zlib. */
export async function* unzipped(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  const content = createGunzip();
  // `pipe` does not hand an error on, and one that nothing hears ends the process
  file.on("error", (error) => content.destroy(error));
  try {
    yield* file.pipe(content);
  } finally {
    await closed(file);
  }
}

/** `destroy` closes a file some time later. */
async function closed(file: ReadStream): Promise<void> {
  file.destroy();
  if (!file.closed) await new Promise<void>((resolve) => file.once("close", resolve));
}
