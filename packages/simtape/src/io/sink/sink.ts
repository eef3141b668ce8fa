import { SourceError } from "../source/source.ts";

/** Where the bytes of one file go. Not safe for two writers at once; writes are taken in the order of the calls. */
export interface ByteSink {
  /** For messages only. */
  readonly name: string;
  /** Bytes written so far, and so the place of the next. */
  readonly position: number;
  /** Appends. The bytes belong to the sink until the promise settles, and are not changed by it. */
  write(bytes: Uint8Array): Promise<void>;
  /** Overwrites bytes written earlier: counts and lengths that are known only now. */
  writeAt(offset: number, bytes: Uint8Array): Promise<void>;
  /** Resolves when everything written so far survives a crash. */
  flush(): Promise<void>;
  /** The file is whole: it appears under its name. Idempotent. */
  close(): Promise<void>;
  /** The file is not wanted: nothing is left under its name. Idempotent; without effect after `close()`. */
  abort(): Promise<void>;
}

/** Why a write failed: what was read has no part in it. */
export class SinkError extends SourceError {
  constructor(message: string, options?: { cause?: unknown }) {
    super("failed", message, options);
    this.name = "SinkError";
  }
}

/** A sink whose bytes can be read before it is closed: so that a file is checked before it appears under its name. */
export interface ReadableSink extends ByteSink {
  /** Bytes `[offset, offset + length)` of those written, fewer at their end; the caller's own. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Whether what is written can be read back: in files, in memory, and on the way to a store, but not in its objects. */
export function isReadable(sink: ByteSink): sink is ReadableSink {
  return "read" in sink && typeof sink.read === "function";
}

/** The files of one recording being written. */
export interface SinkBundle {
  /** File name of the main one, when it has one. */
  readonly name: string | null;
  /** `open()` is the main file, `open("run.state")` one beside it. */
  open(name?: string): Promise<ByteSink>;
}

/** Files kept in memory, by name; a file is there once its sink was closed. */
export class MemoryFiles implements SinkBundle {
  readonly name: string;
  readonly files: Map<string, Uint8Array> = new Map();

  constructor(name = "recording") {
    this.name = name;
  }

  /** Bytes of the main file. Throws `RangeError` when it was not written. */
  get bytes(): Uint8Array {
    const bytes = this.files.get(this.name);
    if (bytes === undefined) throw new RangeError(`${this.name} was not written`);
    return bytes;
  }

  async open(name: string = this.name): Promise<ByteSink> {
    return new MemorySink(name, this.files);
  }
}

class MemorySink implements ReadableSink {
  readonly name: string;
  readonly #files: Map<string, Uint8Array>;
  #bytes = new Uint8Array(4096);
  #length = 0;
  #isDone = false;

  constructor(name: string, files: Map<string, Uint8Array>) {
    this.name = name;
    this.#files = files;
  }

  get position(): number {
    return this.#length;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#refuse();
    const need = this.#length + bytes.length;
    if (need > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(need, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = need;
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#refuse();
    if (offset < 0 || offset + bytes.length > this.#length) {
      throw new RangeError(`${bytes.length} bytes at ${offset}, ${this.#length} are written: ${this.name}`);
    }
    this.#bytes.set(bytes, offset);
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#refuse();
    return this.#bytes.slice(offset, Math.min(this.#length, offset + length));
  }

  async flush(): Promise<void> {
    this.#refuse();
  }

  async close(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#files.set(this.name, this.#bytes.subarray(0, this.#length));
  }

  async abort(): Promise<void> {
    this.#isDone = true;
  }

  #refuse(): void {
    if (this.#isDone) throw new RangeError(`the file is closed: ${this.name}`);
  }
}
