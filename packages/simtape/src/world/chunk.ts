import { ByteBuilder } from "../bytes/builder.ts";
import { ByteCursor } from "../bytes/cursor.ts";
import { LayoutError } from "../bytes/error.ts";
import { readVarint, readZigzag, writeVarint, writeZigzag } from "../bytes/varint.ts";

/** Which values are in a section, and which of them is where. */
export interface Cells<Indices extends Uint16Array | Uint8Array = Uint16Array> {
  /** At least one. */
  readonly palette: readonly string[];
  /** Of the palette, x fastest, then z, then y; null: the first is everywhere. */
  readonly indices: Indices | null;
}

/** A cube of 16 blocks each way. */
export interface WorldSection {
  /** 4,096 states of blocks, as `minecraft:oak_stairs[facing=north,half=top]`. */
  readonly blocks: Cells;
  /** 64 biomes, each of 4 blocks each way; null: not known. */
  readonly biomes: Cells<Uint8Array> | null;
}

/** What a block has beside its state, as the text of a sign. */
export interface BlockEntity {
  /** In the chunk, 0 to 15. */
  readonly x: number;
  /** In the world. */
  readonly y: number;
  /** In the chunk, 0 to 15. */
  readonly z: number;
  /** As `minecraft:sign`. */
  readonly kind: string;
  /** An NBT document without a name of its root, as it came. */
  readonly nbt: Uint8Array;
}

/** A column of 16 by 16 blocks. Names are those of the game's data version. */
export interface WorldChunk {
  readonly dataVersion: number;
  /** The height of the lowest section: its lowest block, divided by 16. */
  readonly minSection: number;
  /** From below, without gaps. */
  readonly sections: readonly WorldSection[];
  readonly blockEntities: readonly BlockEntity[];
}

/** "STWC". */
const MAGIC = 0x53545743;
const VERSION = 1;
/** Blocks of a section. */
export const BLOCKS: number = 4096;
const BIOMES = 64;
/** The game's worlds are 4,064 blocks high at most: 254 sections. */
const MOST_SECTIONS = 256;
/** Names are identifiers with properties. */
const LONGEST_NAME = 4096;
const UTF8 = new TextEncoder();
const TEXT = new TextDecoder("utf-8", { fatal: true });

/**
 * A chunk as bytes: the same blocks are always the same bytes, however palettes are ordered and whatever is in them that no
 * block has. Throws `RangeError` for what is no chunk.
 *
 * Layout: "STWC", version 1; then varints (LEB128), signed ones as zigzag. Data version, lowest section (signed). Count of
 * names, and each with its length and UTF-8. Count of sections; each has its blocks, then its biomes: the size of its
 * palette (0: not known), the palette as numbers of names, and above one the indices, packed without gaps, low bits first,
 * each in as many bits as the last of the palette needs. Count of block entities; each has x and 16 times z in a byte, y
 * (signed), the name's number, the length of its NBT, and the NBT.
 */
export function encodeChunk(chunk: WorldChunk): Uint8Array {
  const { dataVersion, minSection, sections, blockEntities } = chunk;
  if (sections.length > MOST_SECTIONS) throw new RangeError(`a chunk of ${sections.length} sections`);
  const names = new Map<string, number>();
  const body = new ByteBuilder(8192);
  writeVarint(body, sections.length);
  for (const { blocks, biomes } of sections) {
    writeCells(body, blocks, BLOCKS, names);
    if (biomes === null) writeVarint(body, 0);
    else writeCells(body, biomes, BIOMES, names);
  }
  writeVarint(body, blockEntities.length);
  for (const { x, y, z, kind, nbt } of blockEntities.toSorted((a, b) => a.y - b.y || a.z - b.z || a.x - b.x)) {
    if (!isInChunk(x) || !isInChunk(z)) throw new RangeError(`a block entity at ${x}, ${z} of a chunk`);
    body.u8(x | (z << 4));
    writeZigzag(body, y);
    writeVarint(body, numberOf(kind, names));
    writeVarint(body, nbt.length);
    body.raw(nbt);
  }
  const head = new ByteBuilder(2048).u32be(MAGIC).u8(VERSION);
  writeVarint(head, dataVersion);
  writeZigzag(head, minSection);
  writeVarint(head, names.size);
  for (const name of names.keys()) {
    const bytes = UTF8.encode(name);
    writeVarint(head, bytes.length);
    head.raw(bytes);
  }
  return head.raw(body.take()).take();
}

/** Throws `LayoutError` for what `encodeChunk` does not make. Block entities are views of `bytes`. */
export function decodeChunk(bytes: Uint8Array): WorldChunk {
  const cursor = new ByteCursor(bytes);
  if (cursor.u32be() !== MAGIC) throw new LayoutError("malformed", "not a chunk of a world", 0);
  const version = cursor.u8();
  if (version !== VERSION) throw new LayoutError("malformed", `a chunk of version ${version}, ${VERSION} is known`, 4);
  const dataVersion = readVarint(cursor);
  const minSection = readZigzag(cursor);
  const names = Array.from({ length: readCount(cursor, "names", cursor.remaining) }, () => {
    const length = readCount(cursor, "bytes of a name", LONGEST_NAME);
    return readName(cursor, length);
  });
  const sections = Array.from({ length: readCount(cursor, "sections", MOST_SECTIONS) }, (): WorldSection => {
    const blocks = readCells(cursor, names, BLOCKS);
    if (blocks === null) throw new LayoutError("malformed", "a section without blocks", cursor.offset);
    const biomes = readCells(cursor, names, BIOMES);
    return {
      blocks,
      biomes: biomes && { ...biomes, indices: biomes.indices && Uint8Array.from(biomes.indices) },
    };
  });
  const blockEntities = Array.from(
    { length: readCount(cursor, "block entities", cursor.remaining) },
    (): BlockEntity => {
      const place = cursor.u8();
      const y = readZigzag(cursor);
      const kind = nameAt(names, readVarint(cursor), cursor);
      const nbt = cursor.view(readCount(cursor, "bytes of NBT", cursor.remaining));
      return { x: place & 15, y, z: place >> 4, kind, nbt };
    },
  );
  if (cursor.remaining > 0)
    throw new LayoutError("malformed", `${cursor.remaining} bytes are left over`, cursor.offset);
  return { dataVersion, minSection, sections, blockEntities };
}

/** With the palette in the order in which its values are met, and without those that are not. */
function writeCells(
  builder: ByteBuilder,
  { palette, indices }: Cells<Uint16Array | Uint8Array>,
  size: number,
  names: Map<string, number>,
): void {
  if (indices !== null && indices.length !== size) throw new RangeError(`${indices.length} cells and not ${size}`);
  const used: number[] = [];
  const places = new Map<string, number>();
  const order = new Int32Array(palette.length).fill(-1);
  const cells = new Uint16Array(size);
  for (let i = 0; i < size; i++) {
    const index = indices === null ? 0 : indices[i]!;
    let place = order[index];
    if (place === undefined) throw new RangeError(`the palette of ${palette.length} has no ${index}`);
    if (place < 0) {
      const name = palette[index]!;
      place = places.get(name) ?? places.size;
      if (place === places.size) {
        places.set(name, place);
        used.push(numberOf(name, names));
      }
      order[index] = place;
    }
    cells[i] = place;
    if (indices === null) break;
  }
  writeVarint(builder, used.length);
  for (const name of used) writeVarint(builder, name);
  const bits = bitsFor(used.length);
  let held = 0;
  let count = 0;
  for (let i = 0; i < size && bits > 0; i++) {
    held |= cells[i]! << count;
    for (count += bits; count >= 8; count -= 8) {
      builder.u8(held & 0xff);
      held >>>= 8;
    }
  }
}

function readCells(cursor: ByteCursor, names: readonly string[], size: number): Cells | null {
  const count = readCount(cursor, "values of a section", size);
  if (count === 0) return null;
  const palette = Array.from({ length: count }, () => nameAt(names, readVarint(cursor), cursor));
  if (count === 1) return { palette, indices: null };
  const bits = bitsFor(count);
  const indices = new Uint16Array(size);
  const start = cursor.offset;
  const packed = cursor.view((size * bits) / 8);
  const mask = (1 << bits) - 1;
  let held = 0;
  let have = 0;
  let at = 0;
  for (let i = 0; i < size; i++) {
    for (; have < bits; have += 8) held |= packed[at++]! << have;
    const index = held & mask;
    if (index >= count) throw new LayoutError("malformed", `the palette of ${count} has no ${index}`, start + at - 1);
    indices[i] = index;
    held >>>= bits;
    have -= bits;
  }
  return { palette, indices };
}

/** Bits of the last number of a palette. */
function bitsFor(count: number): number {
  return 32 - Math.clz32(count - 1);
}

function numberOf(name: string, names: Map<string, number>): number {
  let number = names.get(name);
  if (number === undefined) {
    if (name === "" || name.length > LONGEST_NAME / 4) throw new RangeError(`a name of ${name.length} letters`);
    number = names.size;
    names.set(name, number);
  }
  return number;
}

function nameAt(names: readonly string[], number: number, cursor: ByteCursor): string {
  const name = names[number];
  if (name === undefined) throw new LayoutError("malformed", `there is no name ${number}`, cursor.offset);
  return name;
}

function readName(cursor: ByteCursor, length: number): string {
  const start = cursor.offset;
  try {
    return TEXT.decode(cursor.view(length));
  } catch (error) {
    if (error instanceof LayoutError) throw error;
    throw new LayoutError("malformed", "a name is no UTF-8", start);
  }
}

function readCount(cursor: ByteCursor, what: string, most: number): number {
  const start = cursor.offset;
  const count = readVarint(cursor);
  if (count > most) throw new LayoutError("malformed", `${count} ${what}, ${most} at most`, start);
  return count;
}

function isInChunk(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 16;
}
