import { access, type FileHandle, link, open, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { checkFileName } from "../source/bundle.ts";
import { type ReadableSink, type SinkBundle, SinkError } from "../sink/sink.ts";
import { SourceError } from "../source/source.ts";
import { modeLike, OWN_FILE } from "./access.ts";
import { tidy } from "./directory-files.ts";
import { newMark } from "./owner.ts";

/** How files are written. Everything is optional. */
export interface FileSinkOptions {
  /**
   * A file that is there stays: opening rejects, and so does closing when one came meanwhile. Absent: it is replaced.
   */
  readonly keep?: boolean | undefined;
  /** Holds the paths of files that are not finished: what to remove when the process ends before they are. */
  readonly unfinished?: Set<string> | undefined;
  /** Of a new file, before the `umask`; default 0600. One that takes the place of another has the mode of that. */
  readonly mode?: number | undefined;
}

/**
 * Files at `path` and beside it. Each is written under another name in the same folder, and takes its own when it is
 * closed: a reader finds the whole file, the one that was there before, or none.
 */
export function toFile(path: string, options: FileSinkOptions = {}): SinkBundle {
  return {
    name: basename(path),
    open: async (name) => {
      if (name !== undefined) checkFileName(name, dirname(path));
      return FileSink.open(name === undefined ? path : join(dirname(path), name), options);
    },
  };
}

class FileSink implements ReadableSink {
  readonly name: string;
  readonly #handle: FileHandle;
  readonly #beside: string;
  readonly #options: FileSinkOptions;
  #position = 0;
  #isDone = false;

  private constructor(path: string, beside: string, handle: FileHandle, options: FileSinkOptions) {
    this.#options = options;
    this.name = path;
    this.#beside = beside;
    this.#handle = handle;
  }

  static async open(path: string, options: FileSinkOptions): Promise<FileSink> {
    if (options.keep === true && (await isThere(path))) throw new SinkError(`the file already exists: ${path}`);
    const found = await stat(path).catch(() => null);
    // a file would take its place
    if (found !== null && !found.isFile() && !found.isDirectory())
      throw new SinkError(`a pipe or device, which no file may replace: ${path}`);
    // A name that cannot be guessed and says which process owns it; of the longest names only the beginning.
    const start = basename(path).slice(0, 60);
    // What a process that was killed has left of the same file.
    await tidy(dirname(path), start);
    const beside = join(dirname(path), `.${start}~${newMark()}.part`);
    try {
      options.unfinished?.add(beside);
      const handle = await open(beside, "wx+", options.mode ?? OWN_FILE);
      const before = await modeLike(path);
      if (before !== null) await handle.chmod(before);
      return new FileSink(path, beside, handle, options);
    } catch (cause) {
      options.unfinished?.delete(beside);
      throw failure("cannot be created", path, cause);
    }
  }

  get position(): number {
    return this.#position;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#refuse();
    const at = this.#position;
    this.#position += bytes.length;
    await this.#writeAll(at, bytes);
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#refuse();
    if (offset < 0 || offset + bytes.length > this.#position) {
      throw new RangeError(`${bytes.length} bytes at ${offset}, ${this.#position} are written: ${this.name}`);
    }
    await this.#writeAll(offset, bytes);
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#refuse();
    const bytes = new Uint8Array(Math.max(0, Math.min(length, this.#position - offset)));
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await this.#handle.read(bytes, done, bytes.length - done, offset + done);
      if (bytesRead === 0) return bytes.subarray(0, done);
      done += bytesRead;
    }
    return bytes;
  }

  async flush(): Promise<void> {
    this.#refuse();
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    try {
      await this.#handle.sync();
      await this.#handle.close();
      if (this.#options.keep === true) await appear(this.#beside, this.name);
      else await rename(this.#beside, this.name);
      this.#options.unfinished?.delete(this.#beside);
      await syncFolder(dirname(this.name));
    } catch (cause) {
      await this.#remove();
      const isTaken = (cause as NodeJS.ErrnoException).code === "EEXIST";
      throw failure(isTaken ? "another program has created it" : "cannot be finished", this.name, cause);
    }
  }

  async abort(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    await this.#handle.close();
    await this.#remove();
  }

  async #remove(): Promise<void> {
    await unlink(this.#beside).catch(() => undefined);
    this.#options.unfinished?.delete(this.#beside);
  }

  async #writeAll(offset: number, bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, offset + done);
        done += bytesWritten;
      }
    } catch (cause) {
      throw failure("cannot be written, is the disk full?", this.name, cause);
    }
  }

  #refuse(): void {
    if (this.#isDone) throw new SourceError("closed", `the file is closed: ${this.name}`);
  }
}

/** Gives a file its name unless that is taken; also between two processes, where the file system has links. */
async function appear(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
    await unlink(from);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" || (await isThere(to))) throw error;
    await rename(from, to);
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** So that a rename survives a crash; not every system can. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

function failure(what: string, path: string, cause: unknown): SourceError {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  return new SinkError(`${what} (${code}): ${path}`, { cause });
}
