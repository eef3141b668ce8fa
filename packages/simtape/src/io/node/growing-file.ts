import { type FileHandle, open } from "node:fs/promises";
import { type ByteSink, SinkError } from "../sink/sink.ts";
import { SourceError } from "../source/source.ts";
import { OWN_FILE } from "./access.ts";

/**
 * A new file at `path` that has its name from the start: what is flushed is there after a crash. `close()` and
 * `abort()` both leave it. Rejects with `SourceError` if a file has that name.
 */
export async function toGrowingFile(path: string): Promise<ByteSink> {
  try {
    return new GrowingFile(path, await open(path, "wx+", OWN_FILE));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "the file already exists" : `cannot be created (${code ?? ""})`;
    throw new SinkError(`${why}: ${path}`, { cause });
  }
}

class GrowingFile implements ByteSink {
  readonly name: string;
  readonly #handle: FileHandle;
  #position = 0;
  #isDone = false;

  constructor(name: string, handle: FileHandle) {
    this.name = name;
    this.#handle = handle;
  }

  get position(): number {
    return this.#position;
  }

  async write(bytes: Uint8Array): Promise<void> {
    const at = this.#position;
    this.#position += bytes.length;
    await this.writeAt(at, bytes);
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    if (this.#isDone) throw new SourceError("closed", `the file is closed: ${this.name}`);
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, offset + done);
        done += bytesWritten;
      }
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new SinkError(`cannot be written (${code ?? ""}), is the disk full? ${this.name}`, { cause });
    }
  }

  async flush(): Promise<void> {
    if (!this.#isDone) await this.#handle.datasync();
  }

  async close(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    await this.#handle.datasync().catch(() => undefined);
    await this.#handle.close();
  }

  abort(): Promise<void> {
    return this.close();
  }
}
