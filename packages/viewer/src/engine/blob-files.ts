import type { ByteSink, SinkBundle } from "simtape";

/** Bytes of a block. */
const BLOCK = 4 << 20;
/** Blocks that are held in memory; the others are blobs, which the browser may keep on its disk. */
const MOST_OPEN = 8;

/** Files as blobs, by name; a file is there once its sink was closed. Memory is that of some blocks of each open file. */
export class BlobFiles implements SinkBundle {
  readonly name: string;
  readonly files: Map<string, Blob> = new Map();
  readonly #pause: () => Promise<void>;

  /** `pause` is called before each write, which waits for it, and fails when it rejects. */
  constructor(name: string, pause: () => Promise<void>) {
    this.name = name;
    this.#pause = pause;
  }

  async open(name: string = this.name): Promise<ByteSink> {
    return new BlobSink(name, this.files, this.#pause);
  }
}

/** A sink that can be read back, as `exportTo` needs it. */
class BlobSink implements ByteSink {
  readonly name: string;
  readonly #files: Map<string, Blob>;
  readonly #pause: () => Promise<void>;
  /** The whole file: blocks of `BLOCK` bytes, the last one with room behind what is written. */
  #blocks: (Uint8Array<ArrayBuffer> | Blob)[] = [];
  /** Those in memory, the one used last at the end. */
  #open: number[] = [];
  #length = 0;
  #isDone = false;

  constructor(name: string, files: Map<string, Blob>, pause: () => Promise<void>) {
    this.name = name;
    this.#files = files;
    this.#pause = pause;
  }

  get position(): number {
    return this.#length;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#refuse();
    const at = this.#length;
    this.#length += bytes.length;
    await this.#pause();
    await this.#put(at, bytes);
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    this.#refuse();
    if (offset < 0 || offset + bytes.length > this.#length)
      throw new RangeError(`${bytes.length} bytes at ${offset}, ${this.#length} are written: ${this.name}`);
    await this.#pause();
    await this.#put(offset, bytes);
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#refuse();
    const result = new Uint8Array(Math.max(0, Math.min(this.#length, offset + length) - offset));
    for (let done = 0; done < result.length; ) {
      const inside = (offset + done) % BLOCK;
      const block = await this.#block(Math.floor((offset + done) / BLOCK));
      const part = block.subarray(inside, inside + result.length - done);
      result.set(part, done);
      done += part.length;
    }
    return result;
  }

  async flush(): Promise<void> {
    this.#refuse();
  }

  async close(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#files.set(this.name, new Blob(this.#blocks).slice(0, this.#length));
    this.#blocks = [];
  }

  async abort(): Promise<void> {
    this.#isDone = true;
    this.#blocks = [];
  }

  async #put(offset: number, bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const inside = (offset + done) % BLOCK;
      const block = await this.#block(Math.floor((offset + done) / BLOCK));
      const part = bytes.subarray(done, done + BLOCK - inside);
      block.set(part, inside);
      done += part.length;
    }
  }

  /** The block in memory; a new one is zeros. */
  async #block(index: number): Promise<Uint8Array<ArrayBuffer>> {
    while (this.#blocks.length <= index) this.#blocks.push(new Uint8Array(BLOCK));
    const found = this.#blocks[index]!;
    const block = found instanceof Blob ? new Uint8Array(await found.arrayBuffer()) : found;
    this.#blocks[index] = block;
    this.#open = [...this.#open.filter((other) => other !== index), index];
    if (this.#open.length > MOST_OPEN) {
      const oldest = this.#open.shift()!;
      const bytes = this.#blocks[oldest];
      if (bytes instanceof Uint8Array) this.#blocks[oldest] = new Blob([bytes]);
    }
    return block;
  }

  #refuse(): void {
    if (this.#isDone) throw new RangeError(`the file is closed: ${this.name}`);
  }
}
