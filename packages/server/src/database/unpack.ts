import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";

/** Bytes of a block of tar: a header, or a piece of a file. */
const BLOCK = 512;

/**
 * Unpacks a .tar.gz of files and folders into `folder`, which appears when it is complete: what a kill interrupts is
 * begun from its start. A piece at a time, as a start would otherwise take memory that is not given back.
 */
export async function unpack(archive: string, folder: string): Promise<void> {
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  let file: FileHandle | null = null;
  let [left, padding] = [0, 0];
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of createReadStream(archive).pipe(createGunzip())) {
      rest = rest.length === 0 ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer]);
      while (rest.length > 0) {
        if (left > 0) {
          const part = rest.subarray(0, left);
          await file?.write(part);
          [left, rest] = [left - part.length, rest.subarray(part.length)];
        } else if (padding > 0) {
          const skipped = Math.min(padding, rest.length);
          [padding, rest] = [padding - skipped, rest.subarray(skipped)];
        } else {
          await file?.close();
          file = null;
          if (rest.length < BLOCK) break;
          const { path, bytes, isFolder } = headerOf(rest);
          rest = rest.subarray(BLOCK);
          if (path === "") continue;
          if (isFolder) await mkdir(join(unfinished, path), { recursive: true, mode: 0o700 });
          else file = await open(join(unfinished, path), "wx", 0o600);
          [left, padding] = [bytes, (BLOCK - (bytes % BLOCK)) % BLOCK];
        }
      }
    }
  } finally {
    await file?.close();
  }
  await rename(unfinished, folder);
}

/** Of ustar; an empty path is a block of zeros, as an archive ends with. */
function headerOf(block: Buffer): { path: string; bytes: number; isFolder: boolean } {
  const text = (from: number, to: number): string => block.toString("latin1", from, to).replace(/\0.*$/s, "");
  const prefix = text(345, 500);
  return {
    path: prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`,
    bytes: Number.parseInt(text(124, 136).trim() || "0", 8),
    isFolder: text(156, 157) === "5",
  };
}
