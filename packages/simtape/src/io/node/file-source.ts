import type { Stats } from "node:fs";
import { type FileHandle, stat } from "node:fs/promises";
import { Gate, NO_BYTES } from "../source/gate.ts";
import { type ByteSource, SourceError } from "../source/source.ts";
import { openToRead } from "./access.ts";

/**
 * The file at `path`, opened at the first read or `size()` and read in ranges. It may grow while it is open; `size()`
 * looks again each time. Once it is shorter than before, or another file has replaced it, reads reject with
 * `SourceError("changed")`. A file that was only removed can still be read.
 */
export function fileSource(path: string): ByteSource {
  return new FileSource(path);
}

/** The most that one system call reads. */
const MOST = 1024 * 1024 * 1024;

class FileSource implements ByteSource {
  readonly name: string;
  readonly #gate: Gate;
  #opening: Promise<FileHandle> | null = null;
  #closing: Promise<void> | null = null;
  #identity: { readonly device: number; readonly inode: number } | null = null;
  /** The largest size seen. */
  #size = 0;

  constructor(path: string) {
    this.name = path;
    this.#gate = new Gate(path);
  }

  async size(): Promise<number> {
    this.#gate.refuse();
    return this.#gate.run(undefined, async () => {
      const handle = await this.#open();
      await this.#look(handle);
      return this.#size;
    });
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#gate.enter(offset, length, signal);
    if (length === 0) return NO_BYTES;
    return this.#gate.race(signal, this.#read(offset, length, signal));
  }

  async readInto(into: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> {
    this.#gate.enter(offset, into.length, signal);
    if (into.length === 0) return 0;
    return this.#gate.race(signal, this.#readInto(into, offset, signal));
  }

  close(): Promise<void> {
    this.#gate.close();
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const handle = await this.#opening?.catch(() => null);
    await handle?.close();
  }

  async #read(offset: number, length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const handle = await this.#open();
    if (offset + length > this.#size) await this.#look(handle);
    const count = Math.min(length, this.#size - offset);
    if (count <= 0) return NO_BYTES;
    // All of it is written to, or cut off: it need not be zeros first.
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(count).buffer);
    await this.#readInto(bytes, offset, signal);
    return bytes;
  }

  async #readInto(into: Uint8Array, offset: number, signal: AbortSignal | undefined): Promise<number> {
    const handle = await this.#open();
    if (offset + into.length > this.#size) await this.#look(handle);
    const count = Math.min(into.length, this.#size - offset);
    if (count <= 0) return 0;
    // The look does not wait for the bytes, nor they for it: it costs no time of its own.
    const [got] = await Promise.all([this.#fill(handle, into, offset, count, signal), this.#look(handle)]);
    if (got < count) throw this.#changed("it is shorter now");
    return got;
  }

  async #fill(
    handle: FileHandle,
    into: Uint8Array,
    offset: number,
    count: number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let got = 0;
    while (got < count) {
      this.#gate.enter(offset, count, signal);
      try {
        const { bytesRead } = await handle.read(into, got, Math.min(MOST, count - got), offset + got);
        if (bytesRead === 0) break;
        got += bytesRead;
      } catch (error) {
        throw failure(error, this.name);
      }
    }
    return got;
  }

  /** Learns the size; throws when it has shrunk, or the path leads to another file. */
  async #look(handle: FileHandle): Promise<void> {
    // Looks overlap: one that began before the file grew must not take the later size for a loss.
    const known = this.#size;
    const size = await this.#sizeNow(handle);
    if (size < known) throw this.#changed(`it had ${known} bytes and has ${size} now`);
    this.#size = Math.max(this.#size, size);
  }

  /** Asks the path, which tells the size too; the open file only where nothing is there any more. */
  async #sizeNow(handle: FileHandle): Promise<number> {
    let there: Stats | null = null;
    try {
      there = await stat(this.name);
    } catch {
      // Removed, or its folder closed to us: the open file is still there.
    }
    if (there !== null && (there.ino !== this.#identity?.inode || there.dev !== this.#identity.device))
      throw this.#changed("another file has replaced it");
    try {
      return (there ?? (await handle.stat())).size;
    } catch (error) {
      throw failure(error, this.name);
    }
  }

  #open(): Promise<FileHandle> {
    if (this.#opening === null) {
      const opening = this.#begin();
      this.#opening = opening;
      opening.catch(() => {
        this.#opening = null;
      });
    }
    return this.#opening;
  }

  async #begin(): Promise<FileHandle> {
    let handle: FileHandle | null = null;
    try {
      handle = await openToRead(this.name);
      const found = await handle.stat();
      this.#identity = { device: found.dev, inode: found.ino };
      this.#size = found.size;
      return handle;
    } catch (error) {
      await handle?.close();
      throw failure(error, this.name);
    }
  }

  #changed(how: string): SourceError {
    return new SourceError("changed", `file was changed since it was opened, ${how}: ${this.name}`);
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

export function failure(cause: unknown, path: string): SourceError {
  if (cause instanceof SourceError) return cause;
  const code = codeOf(cause);
  if (code === "ENOENT") return new SourceError("failed", `no such file: ${path}`, { cause });
  if (code === "EACCES" || code === "EPERM")
    return new SourceError("failed", `no permission to read: ${path}`, { cause });
  return new SourceError("failed", `file cannot be read (${code || String(cause)}): ${path}`, { cause });
}
