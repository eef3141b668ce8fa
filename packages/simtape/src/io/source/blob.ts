import { Gate, NO_BYTES } from "./gate.ts";
import { type ByteSource, SourceError } from "./source.ts";

/** A `Blob`, or a `File` a user has chosen (then named like it). Only the ranges read are brought into memory. */
export function blob(file: Blob): ByteSource {
  return new BlobSource(file);
}

class BlobSource implements ByteSource {
  readonly name: string;
  readonly #gate: Gate;
  readonly #file: Blob;

  constructor(file: Blob) {
    this.name = "name" in file && typeof file.name === "string" && file.name !== "" ? file.name : "blob";
    this.#gate = new Gate(this.name);
    this.#file = file;
  }

  async size(): Promise<number> {
    this.#gate.refuse();
    return this.#file.size;
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#gate.enter(offset, length, signal);
    if (length === 0 || offset >= this.#file.size) return NO_BYTES;
    return this.#gate.run(signal, () => this.#slice(offset, offset + length));
  }

  async close(): Promise<void> {
    this.#gate.close();
  }

  async #slice(start: number, end: number): Promise<Uint8Array> {
    try {
      return new Uint8Array(await this.#file.slice(start, end).arrayBuffer());
    } catch (cause) {
      // A browser refuses with NotReadableError, or NotFoundError, when the file behind a `File` has changed or gone.
      const kind = cause instanceof Error ? cause.name : "";
      if (kind === "NotReadableError" || kind === "NotFoundError") {
        throw new SourceError("changed", `file was changed or removed since it was chosen: ${this.name}`, { cause });
      }
      throw new SourceError("failed", `file cannot be read: ${this.name}`, { cause });
    }
  }
}
