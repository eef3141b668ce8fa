/** Where the pieces of a file go, one after the other. */
export type Put = (piece: Uint8Array) => Promise<void>;

/** At the beginning of a file and at its end (Arrow columnar format, "IPC File Format"). */
const MAGIC = new TextEncoder().encode("ARROW1");
/** Behind the last message: the sign of a message, and that it is empty. */
const END = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
/** Sign of a message and the length of its head. */
const PREFIX = 8;
/** A `Block` of the footer: place, length of the head, four bytes of nothing, length of the body. */
const BLOCK = 24;
/** Number of the field `recordBatches` of a `Footer`. */
const RECORD_BATCHES = 3;

/** Where a record batch is in the file. */
interface Block {
  readonly offset: number;
  readonly head: number;
  readonly body: number;
}

/**
 * An Arrow file or stream that is put together from streams of one record batch each, so that no more than one is in
 * memory: the schema is written once, and the footer of a file, which knows where the batches are, at the end.
 */
export class ArrowFile {
  readonly #put: Put;
  readonly #isFile: boolean;
  readonly #schema: Uint8Array;
  readonly #blocks: Block[] = [];
  /** Of a file with the first batch alone. */
  #footer: Uint8Array | null = null;
  #position = 0;

  /** `stream`: one with the schema and no batch. */
  constructor(put: Put, format: "stream" | "file", stream: Uint8Array) {
    this.#put = put;
    this.#isFile = format === "file";
    this.#schema = stream.slice(0, headLength(stream));
  }

  /** One batch, encoded with the same schema as a stream of its own, or as a file. */
  async batch(encoded: (as: "stream" | "file") => Uint8Array): Promise<void> {
    await this.#begin();
    if (this.#isFile) this.#footer ??= footerOf(encoded("file")).slice();
    const stream = encoded("stream");
    const message = stream.subarray(this.#schema.length, stream.length - END.length);
    const head = headLength(message);
    this.#blocks.push({ offset: this.#position, head, body: message.length - head });
    await this.#write(message);
  }

  /** `emptyFile` gives a file with the same schema and no batch. */
  async end(emptyFile: () => Uint8Array): Promise<void> {
    await this.#begin();
    await this.#write(END);
    if (!this.#isFile) return;
    const footer = this.#footer === null ? footerOf(emptyFile()) : withBlocks(this.#footer, this.#blocks);
    const tail = new Uint8Array(footer.length + 4 + MAGIC.length);
    tail.set(footer);
    new DataView(tail.buffer).setInt32(footer.length, footer.length, true);
    tail.set(MAGIC, footer.length + 4);
    await this.#write(tail);
  }

  async #begin(): Promise<void> {
    if (this.#position > 0) return;
    // the first message is at a place that 8 divides
    const magic = new Uint8Array(this.#isFile ? 8 : 0);
    if (this.#isFile) magic.set(MAGIC);
    await this.#write(magic);
    await this.#write(this.#schema);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#position += bytes.length;
    await this.#put(bytes);
  }
}

/** Bytes of the head of the message at the beginning, with its prefix. */
function headLength(message: Uint8Array): number {
  return PREFIX + view(message).getInt32(4, true);
}

function footerOf(file: Uint8Array): Uint8Array {
  const end = file.length - MAGIC.length - 4;
  return file.subarray(end - view(file).getInt32(end, true), end);
}

/**
 * A footer that has blocks, with others: they are put behind it, and its field leads there (FlatBuffers: an offset counts from where
 * it stands, and a vector is its length and then its items, which are aligned).
 */
function withBlocks(footer: Uint8Array, blocks: readonly Block[]): Uint8Array {
  const vector = Math.ceil((footer.length - 4) / 8) * 8 + 4;
  const whole = new Uint8Array(vector + 4 + BLOCK * blocks.length);
  whole.set(footer);
  const bytes = view(whole);
  const table = bytes.getUint32(0, true);
  const fields = table - bytes.getInt32(table, true);
  const at = table + bytes.getUint16(fields + 4 + 2 * RECORD_BATCHES, true);
  bytes.setUint32(at, vector - at, true);
  bytes.setUint32(vector, blocks.length, true);
  blocks.forEach(({ offset, head, body }, k) => {
    const block = vector + 4 + BLOCK * k;
    bytes.setBigInt64(block, BigInt(offset), true);
    bytes.setInt32(block + 8, head, true);
    bytes.setBigInt64(block + 16, BigInt(body), true);
  });
  return whole;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
