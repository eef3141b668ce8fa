import { type ByteSource, decompress, LayoutError } from "simtape/kit";

/** Bytes of a sector; positions and lengths of chunks are counted in sectors. */
const SECTOR = 4096;
/** Chunks along each side of a region. */
export const SIDE = 32;
/** Most bytes of a chunk, and most bytes that it may take in the file. */
export const MOST_BYTES: number = 32 << 20;
const MOST_PACKED = 16 << 20;
/** Most sectors of a chunk that the table can count. */
const MOST_SECTORS = 255;
/** The content of a chunk is in a file of its own. */
const ELSEWHERE = 0x80;
/** Bytes before the content of a chunk: its length and its compression. */
const HEAD = 5;

/** The numbers of a region, from the name of its file: `r.X.Z.mca`. */
export function regionName(x: number, z: number): string {
  return `r.${x}.${z}.mca`;
}

/**
 * A region file of the game (Anvil, `.mca`): two sectors of tables, and for each chunk its length, its compression and its
 * content. Only the table and the chunks that are asked for are read.
 */
export class RegionFile {
  readonly #source: ByteSource;
  readonly #size: number;
  /** Four bytes a chunk: the first sector (24 bits) and the count of sectors. Null: the file is empty. */
  readonly #table: DataView | null;

  private constructor(source: ByteSource, size: number, table: DataView | null) {
    this.#source = source;
    this.#size = size;
    this.#table = table;
  }

  /** Reads the table. Rejects with `LayoutError` for a file that ends within it, and with the errors of the source. */
  static async open(source: ByteSource): Promise<RegionFile> {
    const table = await source.read(0, SECTOR);
    const size = (await source.size()) ?? 0;
    // the game leaves empty files behind
    if (size === 0) return new RegionFile(source, 0, null);
    if (table.length < SECTOR) throw truncated("the file ends within the table of chunks", table.length);
    return new RegionFile(source, size, viewOf(table));
  }

  /**
   * The NBT of the chunk with these numbers, 0 to 31 each way; null: the file has none. `beside` opens `c.X.Z.mcc`, which
   * has the content of a chunk that is too large for a region file. Rejects with `LayoutError` for a damaged chunk.
   */
  async chunk(x: number, z: number, beside: () => Promise<ByteSource | null>): Promise<Uint8Array | null> {
    const entry = this.#table?.getUint32(4 * (x + SIDE * z)) ?? 0;
    if (entry === 0) return null;
    const [at, count] = [(entry >>> 8) * SECTOR, entry & 0xff];
    if (at < 2 * SECTOR || count === 0 || at + HEAD > this.#size)
      throw truncated(`${count} sectors at byte ${at} of a file of ${this.#size} bytes`, at);
    const head = viewOf(await this.#source.read(at, HEAD));
    if (head.byteLength < HEAD) throw truncated("the file ends within a chunk", at);
    const [length, kind] = [head.getUint32(0), head.getUint8(4)];
    // servers that write larger chunks than the game does not count any higher
    const room = count === MOST_SECTORS ? this.#size : count * SECTOR;
    if (length === 0 || length > MOST_PACKED || length + 4 > room || at + 4 + length > this.#size)
      throw truncated(`${length} bytes in ${count} sectors of a file of ${this.#size} bytes`, at);
    const isElsewhere = (kind & ELSEWHERE) !== 0;
    const packed = isElsewhere ? await wholeOf(await beside()) : await this.#source.read(at + HEAD, length - 1);
    return unpacked(kind & ~ELSEWHERE, packed);
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

async function wholeOf(source: ByteSource | null): Promise<Uint8Array> {
  const size = (await source?.size()) ?? null;
  if (source === null || size === null) throw truncated("the file that its content is in is missing", 0);
  if (size > MOST_PACKED) throw malformed(`its content has ${size} bytes in a file of its own`);
  return source.read(0, size);
}

/** The numbers of compressions are those of the game: gzip, zlib, none, LZ4. */
async function unpacked(kind: number, bytes: Uint8Array): Promise<Uint8Array> {
  if (kind === 1) return inflated("gzip", bytes);
  if (kind === 2) return inflated("deflate", bytes);
  if (kind === 3) return bytes;
  if (kind === 4) return unpackedLz4(bytes);
  throw malformed(`compressed in a way that is not known: ${kind}`);
}

/** `deflate` is what the platform calls zlib. */
async function inflated(kind: "gzip" | "deflate", bytes: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream(kind));
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw malformed(`its ${kind === "gzip" ? "gzip" : "zlib"} stream is damaged (${(error as Error).message})`);
    });
    if (done) return joined(parts, length);
    length += value.length;
    if (length > MOST_BYTES) {
      await reader.cancel().catch(() => undefined);
      throw malformed(`it has more than ${MOST_BYTES >> 20} MiB`);
    }
    parts.push(value);
  }
}

/** "LZ4Block", as the game's LZ4 library begins each block. */
const LZ4 = [0x4c, 0x5a, 0x34, 0x42, 0x6c, 0x6f, 0x63, 0x6b] as const;
/** Magic, method, two lengths and checksum of a block. */
const LZ4_HEAD = 21;
/** Header of an LZ4 frame: version 1, independent blocks of 4 MiB, and the checksum of the header. */
const FRAME = [0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73] as const;

/** Each block that is compressed becomes a standard frame. */
async function unpackedLz4(bytes: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < LZ4_HEAD || !LZ4.every((byte, i) => bytes[at + i] === byte))
      throw malformed("not a block of LZ4");
    const view = viewOf(bytes.subarray(at, at + LZ4_HEAD));
    const [method, packed, size] = [view.getUint8(8) & 0xf0, view.getUint32(9, true), view.getUint32(13, true)];
    at += LZ4_HEAD;
    if (packed > bytes.length - at || total + size > MOST_BYTES)
      throw malformed(`a block of LZ4 with ${packed} bytes for ${size}`);
    const content = bytes.subarray(at, at + packed);
    at += packed;
    total += size;
    if (size === 0) continue;
    parts.push(method === 0x10 ? content : await decompress("lz4", framed(content), size));
  }
  return joined(parts, total);
}

function framed(content: Uint8Array): Uint8Array {
  const frame = new Uint8Array(FRAME.length + 8 + content.length);
  frame.set(FRAME);
  new DataView(frame.buffer).setUint32(FRAME.length, content.length, true);
  frame.set(content, FRAME.length + 4);
  return frame;
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part.subarray(0, length - at), at);
    at += part.length;
  }
  return all;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function truncated(message: string, at: number): LayoutError {
  return new LayoutError("truncated", message, at);
}

function malformed(message: string): LayoutError {
  return new LayoutError("malformed", message, 0);
}
