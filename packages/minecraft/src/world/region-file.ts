import { open, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gunzipSync, inflateSync } from "node:zlib";
import { decompress, LayoutError } from "simtape/kit";
import { Damage } from "./damage.ts";

/** Bytes of a sector; positions and lengths of chunks are counted in sectors. */
const SECTOR = 4096;
/** Chunks along each side. */
const SIDE = 32;
/** Most bytes of a chunk, and most bytes that it may take in the file. */
const MOST_BYTES = 32 << 20;
const MOST_PACKED = 16 << 20;
/** Most sectors of a chunk that the table can count. */
const MOST_SECTORS = 255;
/** The content of a chunk is in a file of its own. */
const ELSEWHERE = 0x80;

/** A chunk of a region file: its NBT, or why it cannot be read. */
export type Stored = (Place & { readonly nbt: Uint8Array }) | Unreadable;

/** Its numbers are null when the whole file cannot be read. */
export interface Unreadable {
  readonly x: number | null;
  readonly z: number | null;
  readonly problem: string;
}

/** A chunk by its numbers: the position of its blocks, divided by 16. */
interface Place {
  readonly x: number;
  readonly z: number;
}

/** The numbers of a region from the name of its file, `r.X.Z.mca`; null: the name is another one. */
export function regionIn(name: string): Place | null {
  const [, x, z] = /^r\.(-?\d{1,6})\.(-?\d{1,6})\.mca$/.exec(basename(name)) ?? [];
  return x === undefined ? null : { x: Number(x), z: Number(z) };
}

/**
 * Yields the chunks of a region file of the game (Anvil, `.mca`): two sectors of tables, and for each chunk its length,
 * its compression, and NBT. Damage in one chunk does not affect another. An error of the file system is reported as a
 * problem, too.
 */
export async function* chunksIn(path: string): AsyncGenerator<Stored> {
  try {
    // reading something other than a file might never end
    const found = await stat(path);
    if (!found.isFile()) throw new Damage("not a file");
    // the game leaves empty files behind
    if (found.size > 0) yield* chunksOf(path);
  } catch (error) {
    yield { x: null, z: null, problem: problemOf(error) };
  }
}

async function* chunksOf(path: string): AsyncGenerator<Stored> {
  const region = regionIn(path) ?? { x: 0, z: 0 };
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const table = await bytesAt(file, 0, SECTOR);
    if (table.length < SECTOR) throw new Damage("the file ends within the table of chunks");
    for (let i = 0; i < SIDE * SIDE; i++) {
      const [sector, count] = [table.readUInt32BE(4 * i) >>> 8, table[4 * i + 3]!];
      if (sector === 0 && count === 0) continue;
      const place = { x: SIDE * region.x + (i % SIDE), z: SIDE * region.z + Math.floor(i / SIDE) };
      const beside = join(dirname(path), `c.${place.x}.${place.z}.mcc`);
      yield await contentAt(file, size, sector, count, beside).then(
        (nbt) => ({ ...place, nbt }),
        (error: unknown) => ({ ...place, problem: problemOf(error) }),
      );
    }
  } finally {
    await file.close();
  }
}

type File = Awaited<ReturnType<typeof open>>;

async function contentAt(file: File, size: number, sector: number, count: number, beside: string): Promise<Uint8Array> {
  if (sector < 2 || count === 0 || sector * SECTOR + 5 > size)
    throw new Damage(`${count} sectors at ${sector} of a file of ${Math.ceil(size / SECTOR)}`);
  const head = await bytesAt(file, sector * SECTOR, 5);
  const [length, kind] = [head.readUInt32BE(0), head[4]!];
  // servers that write larger chunks than the game does not count any higher
  const room = count === MOST_SECTORS ? size : count * SECTOR;
  if (length === 0 || length > MOST_PACKED || length + 4 > room || sector * SECTOR + 4 + length > size)
    throw new Damage(`${length} bytes in ${count} sectors at ${sector} of a file of ${size} bytes`);
  const isElsewhere = (kind & ELSEWHERE) !== 0;
  const packed = isElsewhere ? await readBeside(beside) : await bytesAt(file, sector * SECTOR + 5, length - 1);
  return unpacked(kind & ~ELSEWHERE, packed);
}

/** `c.X.Z.mcc`: for a chunk that is too large for a region file. */
async function readBeside(path: string): Promise<Buffer> {
  const found = await stat(path);
  if (!found.isFile() || found.size > MOST_PACKED) throw new Damage(`${basename(path)}: ${found.size} bytes`);
  return readFile(path);
}

async function unpacked(kind: number, bytes: Buffer): Promise<Uint8Array> {
  try {
    if (kind === 1) return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
    if (kind === 2) return inflateSync(bytes, { maxOutputLength: MOST_BYTES });
    if (kind === 3) return bytes;
    if (kind === 4) return await unpackedLz4(bytes);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Damage(code === "ERR_BUFFER_TOO_LARGE" ? `more than ${MOST_BYTES >> 20} MiB` : message);
  }
  throw new Damage(`compressed in a way that is not known: ${kind}`);
}

const LZ4 = Buffer.from("LZ4Block");
/** Magic, lengths and checksum of a block. */
const LZ4_HEAD = 21;
/** Header of an LZ4 frame: version 1, independent blocks of 4 MiB, and the checksum of the header. */
const FRAME = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0x73]);

/** Blocks in the form of the game's LZ4 library, each of which becomes a standard frame. */
async function unpackedLz4(bytes: Buffer): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < LZ4_HEAD || !bytes.subarray(at, at + 8).equals(LZ4)) throw new Damage("not a block of LZ4");
    const [method, packed, size] = [bytes[at + 8]! & 0xf0, bytes.readUInt32LE(at + 9), bytes.readUInt32LE(at + 13)];
    at += LZ4_HEAD;
    if (packed > bytes.length - at || total + size > MOST_BYTES)
      throw new Damage(`a block of LZ4 with ${packed} bytes for ${size}`);
    const content = bytes.subarray(at, at + packed);
    at += packed;
    total += size;
    if (size === 0) continue;
    const head = Buffer.alloc(4);
    head.writeUInt32LE(packed);
    parts.push(
      method === 0x10 ? content : await decompress("lz4", Buffer.concat([FRAME, head, content, Buffer.alloc(4)]), size),
    );
  }
  return Buffer.concat(parts);
}

async function bytesAt(file: File, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  return buffer.subarray(0, bytesRead);
}

/**
 * Describes damage; for an error of the file system it omits the path, which is named beside it. Throws all other
 * errors.
 */
function problemOf(error: unknown): string {
  if (error instanceof Damage || error instanceof LayoutError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return message.replace(/, \w+ '.*'$/, "");
}
