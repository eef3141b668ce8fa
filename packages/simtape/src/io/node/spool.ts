import { type FileHandle, mkdtemp, open, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SinkError } from "../sink/sink.ts";
import { SourceError } from "../source/source.ts";
import type { Spool, SpoolFactory } from "../source/spool.ts";

/** Bytes between two looks at the disk, and what of it is left to others: so much, or a twentieth of a small one. */
const LOOK = 64 << 20;
const SPARE = 256 << 20;

/**
 * Spools in temporary files, which only this user can read. Where the system allows it a file loses its name at once,
 * so that it goes with the process; else it is removed on close. `folder` is the system's for temporary files.
 */
export function fileSpool(folder: string = tmpdir()): SpoolFactory {
  return { create: () => createSpool(folder) };
}

async function createSpool(folder: string): Promise<Spool> {
  let own: string | null = null;
  try {
    own = await mkdtemp(join(folder, "simtape-"));
    const handle = await open(join(own, "spool"), "wx+", 0o600);
    return new FileSpool(handle, (await remove(own)) ? null : own, folder);
  } catch (cause) {
    if (own !== null) await remove(own);
    throw new SinkError(`cannot create a temporary file in ${folder}`, { cause });
  }
}

class FileSpool implements Spool {
  readonly #handle: FileHandle;
  /** Its own folder, to be removed on close; null when that is done. */
  readonly #own: string | null;
  readonly #folder: string;
  #length = 0;
  #looked = 0;

  constructor(handle: FileHandle, own: string | null, folder: string) {
    this.#handle = handle;
    this.#own = own;
    this.#folder = folder;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#length - this.#looked >= LOOK) await this.#look();
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#length);
        at += bytesWritten;
        this.#length += bytesWritten;
      }
    } catch (cause) {
      throw new SinkError(`temporary file cannot be written, is the disk full? ${this.#folder}`, { cause });
    }
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    for (let got = 0; got < length; ) {
      const { bytesRead } = await this.#handle.read(bytes, got, length - got, offset + got);
      if (bytesRead === 0)
        throw new SourceError("failed", `temporary file is shorter than the bytes written to it: ${this.#folder}`);
      got += bytesRead;
    }
    return bytes;
  }

  /** Throws `SourceError` when the disk is nearly full. */
  async #look(): Promise<void> {
    this.#looked = this.#length;
    const { bavail, blocks, bsize } = await statfs(this.#folder);
    if (bavail * bsize > Math.min(SPARE, (blocks * bsize) / 20)) return;
    const message = `the disk is nearly full, ${this.#length} bytes were written to a temporary file: ${this.#folder}`;
    throw new SinkError(message);
  }

  async close(): Promise<void> {
    await this.#handle.close();
    if (this.#own !== null) await remove(this.#own);
  }
}

async function remove(folder: string): Promise<boolean> {
  try {
    await rm(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
