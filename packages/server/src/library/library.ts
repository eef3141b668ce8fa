import type { SinkBundle, SourceBundle, Store } from "simtape";
import type { Readable } from "node:stream";

/** A file of the library. */
export interface LibraryFile {
  /** Folders and name, joined by `/`; does not begin with `/`. */
  readonly key: string;
  readonly bytes: number;
  /** Changes with every change of the content; it is opaque. Without quotes. */
  readonly etag: string;
  /**
   * When the file last changed, in milliseconds since 1970; null: files appear only when they are complete, as in S3.
   */
  readonly changed: number | null;
}

/** A file that is open for reading. The caller closes it. */
export interface OpenFile {
  /** The file as it was when it was opened. */
  readonly file: LibraryFile;
  /**
   * The file as it is now: it may have been changed in place. Its etag differs when the content does, even at the same
   * size and time.
   */
  now(): LibraryFile;
  /** Reads `[start, end)`, all within the file; meant for short ranges. */
  read(start: number, end: number): Promise<Uint8Array>;
  stream(start: number, end: number): Readable;
  close(): Promise<void>;
  /**
   * Opens it once more, at once, where open files are shared; null: it must be opened by its key, as it may have been
   * replaced.
   */
  again?(): OpenFile | null;
}

/** The place of the recordings: a folder, or an S3 bucket. */
export interface Library {
  /** Name for messages. */
  readonly name: string;
  /**
   * Lists all files that may be a recording or a part of one, in the whole library or one of its folders; names that
   * begin with a dot are left out.
   */
  list(signal?: AbortSignal, folder?: string): AsyncIterable<LibraryFile>;
  /** Null: the file does not exist, or is a link that leads out of the library. */
  open(key: string): Promise<OpenFile | null>;
  /** Opens a recording by the key of its main file. */
  bundle(key: string): SourceBundle;
  /** A sink for a new recording; its files appear when they are closed, and replace no file. */
  sink(key: string): SinkBundle;
  /**
   * Moves or copies a file of this machine into the library. False: the key is taken; that file stays, and `path` too.
   */
  put(path: string, key: string): Promise<boolean>;
  /** Calls back when files may have changed; many changes are missed. Call the function that it returns to stop. */
  watch(changed: () => void): () => void;
  /** A sink that replaces a recording, which stays as it is until the new one is complete. */
  replacement(key: string): SinkBundle;
  /** Lists the objects in one of its folders, or in the whole library (""). */
  store(folder: string): Store;
  /**
   * An address at which clients can read a file for some minutes without this server; null: there is none, or the
   * settings do not want it.
   */
  presigned(key: string): Promise<string | null>;
  /** Has no effect when the file does not exist. */
  remove(key: string): Promise<void>;
  /** The folders that exist, also empty ones; none in storage without folders. */
  folders(): Promise<readonly string[]>;
  /** Has no effect when the folder contains files that are not hidden, or does not exist. */
  removeFolder(folder: string): Promise<void>;
}
