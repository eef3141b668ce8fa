import { type FileHandle, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { OWN_FILE, OWN_FOLDER, openToAppend, openToRead } from "./access.ts";
import { createBeside, dropped, isCode, syncFolder } from "./directory-files.ts";

/** A file that is replaced or grows. */
export interface DurableFile {
  /** Everything so far is replaced, at once or not at all; on disk when it resolves. */
  replace(bytes: Uint8Array): Promise<void>;
  /** Survives the end of this process when it resolves. */
  append(bytes: Uint8Array): Promise<void>;
  /** What was appended before is on disk when it resolves. Appending goes on meanwhile. */
  sync(): Promise<void>;
  /** Null: there is none. */
  read(): Promise<Uint8Array | null>;
  remove(): Promise<void>;
}

/** For the journal of a recording, `journal.hcj` in its folder. Only this user can read it. */
export function journalFile(path: string): DurableFile {
  return new JournalOnDisk(path);
}

class JournalOnDisk implements DurableFile {
  readonly #path: string;
  /** For appending; null: not opened yet. */
  #handle: FileHandle | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async replace(bytes: Uint8Array): Promise<void> {
    const temporary = await createBeside(this.#path, OWN_FOLDER);
    const { handle, path } = temporary;
    try {
      await handle.chmod(OWN_FILE);
      await handle.writeFile(bytes);
      await handle.sync();
      await rename(path, this.#path);
    } catch (error) {
      await dropped(temporary);
      throw error;
    }
    await this.#handle?.close();
    this.#handle = handle;
    await syncFolder(dirname(this.#path));
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#handle ??= await openToAppend(this.#path, OWN_FILE);
    await this.#handle.writeFile(bytes);
  }

  async sync(): Promise<void> {
    await this.#handle?.datasync();
  }

  async read(): Promise<Uint8Array | null> {
    try {
      const handle = await openToRead(this.#path);
      try {
        return new Uint8Array(await handle.readFile());
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (isCode(error, "ENOENT")) return null;
      throw error;
    }
  }

  async remove(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
    await unlink(this.#path).catch((error: unknown) => {
      if (!isCode(error, "ENOENT")) throw error;
    });
    await syncFolder(dirname(this.#path));
  }
}
