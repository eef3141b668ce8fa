import { deflateSync, gzipSync } from "node:zlib";
import { regionFile as regionFileOf, type Slot } from "../../../demo/src/region-file.ts";

/**
 * A small writer of the game's region files, from what is published about them (minecraft.wiki: "Region file format",
 * "Chunk format", "NBT format"). It shares nothing with what reads them.
 */

export type Packing = "gzip" | "zlib" | "none" | "lz4" | "lz4-stored";
const KINDS = { gzip: 1, zlib: 2, none: 3, lz4: 4, "lz4-stored": 4 } as const;

/** A state of a block, by its name in the form `minecraft:oak_slab[type=top]`. */
export type BlockAt = (x: number, y: number, z: number) => string;

export interface ChunkToWrite {
  readonly x: number;
  readonly z: number;
  /** In the world. */
  readonly at: BlockAt;
  /** Numbers of sections, 16 blocks high each. */
  readonly sections: readonly number[];
  readonly dataVersion: number;
  readonly status?: string;
  readonly packing?: Packing;
}

/** The region file with these chunks, all of one region. */
export function regionFile(chunks: readonly ChunkToWrite[]): Buffer {
  return regionOf(chunks.map((chunk) => ({ ...chunk, nbt: chunkNbt(chunk) })));
}

/** The region file with these documents: the table is that of the simulations. */
export function regionOf(
  chunks: readonly { readonly x: number; readonly z: number; readonly nbt: Buffer; readonly packing?: Packing }[],
): Buffer {
  const slots = chunks.map(
    ({ x, z, nbt, packing = "zlib" }): Slot => ({
      ...{ x: x & 31, z: z & 31, kind: KINDS[packing], bytes: packed(nbt, packing) },
    }),
  );
  return Buffer.from(regionFileOf(slots));
}

function packed(nbt: Buffer, packing: Packing): Buffer {
  if (packing === "gzip") return gzipSync(nbt);
  if (packing === "zlib") return deflateSync(nbt);
  if (packing === "none") return nbt;
  const content = packing === "lz4" ? literals(nbt) : nbt;
  const head = Buffer.alloc(21);
  head.write("LZ4Block", "latin1");
  head.writeUInt8(packing === "lz4" ? 0x26 : 0x16, 8);
  head.writeUInt32LE(content.length, 9);
  head.writeUInt32LE(nbt.length, 13);
  const end = Buffer.alloc(21);
  end.write("LZ4Block", "latin1");
  end.writeUInt8(0x16, 8);
  return Buffer.concat([head, content, end]);
}

/** LZ4 that repeats nothing but a run of zeros at its beginning, if there is one, and is literals otherwise. */
function literals(bytes: Buffer): Buffer {
  const lengths: number[] = [];
  let rest = bytes.length - 15;
  for (; rest >= 255; rest -= 255) lengths.push(255);
  lengths.push(rest);
  return Buffer.concat([Buffer.from([0xf0, ...lengths]), bytes]);
}

/** The document of a chunk, as the version of the game that its data version names writes it. */
export function chunkNbt({ x, z, at, sections, dataVersion, status = "full" }: ChunkToWrite): Buffer {
  const isNew = dataVersion >= 2844;
  const written = sections.map((y) => {
    const names = Array.from({ length: 4096 }, (_, i) =>
      at(16 * x + (i & 15), 16 * y + (i >> 8), 16 * z + ((i >> 4) & 15)),
    );
    const palette = [...new Set(names)];
    const numbers = names.map((name) => palette.indexOf(name));
    const longs = dataVersion < 2529 ? spanning(numbers, palette.length) : padded(numbers, palette.length);
    const states = list(10, palette.map(state));
    if (!isNew) return compound({ Y: byte(y), Palette: states, BlockStates: longArray(longs) });
    const blocks = { palette: states, ...(palette.length === 1 ? {} : { data: longArray(longs) }) };
    return compound({ Y: byte(y), block_states: compound(blocks) });
  });
  const place = { xPos: int(x), zPos: int(z), Status: text(isNew ? `minecraft:${status}` : status) };
  const members = isNew
    ? { DataVersion: int(dataVersion), ...place, sections: list(10, written) }
    : { DataVersion: int(dataVersion), Level: compound({ ...place, Sections: list(10, written) }) };
  return Buffer.concat([Buffer.from([10, 0, 0]), compound(members).body]);
}

function state(name: string): Tag {
  const [id = "", properties = ""] = name.replace("]", "").split("[");
  const pairs = properties === "" ? [] : properties.split(",").map((pair) => pair.split("=") as [string, string]);
  const own = Object.fromEntries(pairs.map(([key, value]) => [key, text(value)]));
  return compound({ Name: text(id), ...(pairs.length === 0 ? {} : { Properties: compound(own) }) });
}

function bitsFor(count: number): number {
  return Math.max(4, Math.ceil(Math.log2(count)));
}

/** Since 1.16: no number is in two longs. */
function padded(numbers: readonly number[], count: number): bigint[] {
  const bits = bitsFor(count);
  const each = Math.floor(64 / bits);
  const longs: bigint[] = [];
  for (let i = 0; i < numbers.length; i += each)
    longs.push(numbers.slice(i, i + each).reduce((sum, n, k) => sum | (BigInt(n) << BigInt(k * bits)), 0n));
  return longs;
}

/** Before 1.16: all bits one after another. */
function spanning(numbers: readonly number[], count: number): bigint[] {
  const bits = bitsFor(count);
  const all = numbers
    .map((n) => n.toString(2).padStart(bits, "0"))
    .reverse()
    .join("");
  const longs: bigint[] = [];
  for (let end = all.length; end > 0; end -= 64) longs.push(BigInt(`0b${all.slice(Math.max(0, end - 64), end)}`));
  return longs;
}

interface Tag {
  readonly type: number;
  readonly body: Buffer;
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value, "utf8");
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function byte(value: number): Tag {
  return { type: 1, body: Buffer.from([value & 0xff]) };
}

export function int(value: number): Tag {
  return { type: 3, body: number(value) };
}

function text(value: string): Tag {
  return { type: 8, body: string(value) };
}

function list(type: number, items: readonly Tag[]): Tag {
  return {
    type: 9,
    body: Buffer.concat([Buffer.from([type]), number(items.length), ...items.map(({ body }) => body)]),
  };
}

function longArray(longs: readonly bigint[]): Tag {
  const body = Buffer.alloc(4 + 8 * longs.length);
  body.writeInt32BE(longs.length);
  for (const [i, long] of longs.entries()) body.writeBigUInt64BE(long, 4 + 8 * i);
  return { type: 12, body };
}

export function compound(members: Readonly<Record<string, Tag>>): Tag {
  const parts = Object.entries(members).flatMap(([name, { type, body }]) => [Buffer.from([type]), string(name), body]);
  return { type: 10, body: Buffer.concat([...parts, Buffer.from([0])]) };
}
