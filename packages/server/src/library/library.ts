import type { SinkBundle, SourceBundle, Store } from "simtape";
import type { Readable } from "node:stream";

/** A file of the library. */
export interface LibraryFile {
  /** Folders and name, joined by `/`; never begins with one. */
  readonly key: string;
  readonly bytes: number;
  /** Changes with every change of the content; never parsed. Without quotes. */
  readonly etag: string;
  /** When it was changed last, in milliseconds since 1970; null: it appears when it is whole, as in S3. */
  readonly changed: number | null;
}

/** A file that is open for reading. Close it. */
export interface OpenFile {
  readonly file: LibraryFile;
  /** `[start, end)`, all within the file; for short ranges. */
  read(start: number, end: number): Promise<Uint8Array>;
  stream(start: number, end: number): Readable;
  close(): Promise<void>;
}

/** Where the recordings are: a folder, or a bucket of S3. */
export interface Library {
  /** For messages. */
  readonly name: string;
  /** Everything that may be a recording or a part of one; what begins with a point is left out. */
  list(signal?: AbortSignal): AsyncIterable<LibraryFile>;
  /** Null: not there, or a link that leads out of the library. */
  open(key: string): Promise<OpenFile | null>;
  /** A recording by the key of its main file. */
  bundle(key: string): SourceBundle;
  /** Where one is written; its files appear when they are closed, and replace nothing. */
  sink(key: string): SinkBundle;
  /** Moves or copies a file of this machine into it. False: there is one already, which stays, and `path` too. */
  put(path: string, key: string): Promise<boolean>;
  /** Calls when something may have changed; much is missed. Call what it gives to stop. */
  watch(changed: () => void): () => void;
  /** Where one is written in place of what is there: it stays as it is until the new one is whole. */
  replacement(key: string): SinkBundle;
  /** The objects in one of its folders, or in all of it (""). */
  store(folder: string): Store;
  /** An address at which a file can be read for some minutes without this server; null: there is none, or it is not wanted. */
  presigned(key: string): Promise<string | null>;
  /** Without effect when it is not there. */
  remove(key: string): Promise<void>;
}
