/** Bytes of a block of tar: a header, or a piece of a file. */
const BLOCK = 512;
const ENDING = Buffer.alloc(2 * BLOCK);
/** Longest path of the oldest form of tar, and the sizes from which its fields are too small. */
const MOST_PATH = 100;
const LARGE = 8 ** 11;

/** A file or folder of an archive. */
export interface TarEntry {
  readonly path: string;
  readonly bytes: number;
  readonly isFolder: boolean;
  /** Yields the content a piece at a time; the next entry skips what was not read. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** The blocks before and after the content of a file. Long paths and large sizes are written in the form of PAX. */
export function tarHeader(path: string, bytes: number): Buffer {
  const plain = headerOf(path.slice(0, MOST_PATH), bytes, "0");
  if (/^[\x20-\x7e]*$/.test(path) && path.length <= MOST_PATH && bytes < LARGE) return plain;
  const records = Buffer.from(recordOf("path", path) + recordOf("size", String(bytes)));
  const name = "PaxHeader";
  return Buffer.concat([headerOf(name, records.length, "x"), records, tarPadding(records.length), plain]);
}

export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);
}

/** The end of the archive. */
export function tarEnd(): Buffer {
  return ENDING;
}

/** Throws `RangeError` for data that is no tar, or is cut short. However it ends, `input` is ended as well. */
export async function* tarEntries(input: AsyncGenerator<Uint8Array>): AsyncGenerator<TarEntry> {
  try {
    yield* entriesIn(new Pieces(input));
    // what packed it compares its own checksum behind the end
    for await (const rest of input) void rest;
  } finally {
    await input.return(undefined);
  }
}

async function* entriesIn(bytes: Pieces): AsyncGenerator<TarEntry> {
  let [path, size]: [string | undefined, number | undefined] = [undefined, undefined];
  for (;;) {
    const block = await bytes.take(BLOCK);
    const header = readHeader(block);
    if (header === null) return;
    if (header.type === "x") {
      const records = (await bytes.take(header.bytes)).toString("utf8");
      await bytes.pass(tarPadding(header.bytes).length);
      path = /^\d+ path=(.*)$/m.exec(records)?.[1];
      size = Number(/^\d+ size=(\d+)$/m.exec(records)?.[1] ?? Number.NaN);
      continue;
    }
    const length = size === undefined || Number.isNaN(size) ? header.bytes : size;
    const piece = { left: length };
    yield {
      path: path ?? header.path,
      bytes: length,
      isFolder: header.type === "5",
      content: contentOf(bytes, piece),
    };
    await bytes.pass(piece.left + tarPadding(length).length);
    [path, size] = [undefined, undefined];
  }
}

async function* contentOf(bytes: Pieces, piece: { left: number }): AsyncGenerator<Uint8Array> {
  while (piece.left > 0) {
    const part = await bytes.some(piece.left);
    piece.left -= part.length;
    yield part;
  }
}

function headerOf(path: string, bytes: number, type: "0" | "x"): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(path.replaceAll(/[^\x20-\x7e]/g, "_"), 0, "latin1");
  block.write("0000600\0".padEnd(24, "0000000\0"), 100, "latin1");
  block.write(`${(bytes < LARGE ? bytes : 0).toString(8).padStart(11, "0")}\0`, 124, "latin1");
  block.write("00000000000\0", 136, "latin1");
  // the checksum counts its own field as spaces
  block.write(`        ${type}`, 148, "latin1");
  block.write("ustar\x0000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** A line that begins with its length in bytes, the length included. */
function recordOf(name: string, value: string): string {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  let length = rest + String(rest).length;
  if (rest + String(length).length > length) length++;
  return `${length} ${name}=${value}\n`;
}

/** Null: a block of zeros, which ends an archive. */
function readHeader(block: Buffer): { path: string; bytes: number; type: string } | null {
  if (block.every((byte) => byte === 0)) return null;
  const text = (from: number, to: number): string => block.toString("latin1", from, to).replace(/\0.*$/s, "");
  const bytes = Number.parseInt(text(124, 136).trim() || "0", 8);
  if (text(257, 262) !== "ustar" || Number.isNaN(bytes)) throw new RangeError("this is not a tar archive");
  const prefix = text(345, 500);
  return { path: prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`, bytes, type: text(156, 157) };
}

/** Reads pieces of any length as blocks of the requested length. */
class Pieces {
  readonly #input: AsyncGenerator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(input: AsyncGenerator<Uint8Array>) {
    this.#input = input;
  }

  /** Returns some bytes, at most `most`. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#input.next();
      if (done === true) throw new RangeError("the end of it is missing");
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.length);
    }
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = length; left > 0; left -= parts.at(-1)!.length) parts.push(await this.some(left));
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  async pass(length: number): Promise<void> {
    for (let left = length; left > 0; ) left -= (await this.some(left)).length;
  }
}
