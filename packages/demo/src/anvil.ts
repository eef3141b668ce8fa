import { deflateZlib, NBT, type NbtCompound, nbtCompound, type NbtTag, nbtText, writeNbt } from "simtape/making";
import { regionFile, SIDE, type Slot } from "./region-file.ts";

/** Blocks of a section. */
const BLOCKS = 4096;
const ZLIB = 2;
const AIR = "minecraft:air";

/** The state of a block, by its name in the form `minecraft:oak_slab[type=top]`. */
export type BlockAt = (x: number, y: number, z: number) => string;

/** Chunks from one corner to the other, those included, and the sections of each: all counted in 16 blocks. */
export interface Area {
  readonly from: readonly [x: number, section: number, z: number];
  readonly to: readonly [x: number, section: number, z: number];
  readonly dataVersion: number;
}

/**
 * The region files of an area, by name, with chunks as the game saves them since 1.18 (minecraft.wiki: "Chunk format").
 * Chunks of air alone are left out.
 */
export function regionFiles(area: Area, at: BlockAt): Map<string, Uint8Array> {
  const regions = new Map<string, Slot[]>();
  for (let z = area.from[2]; z <= area.to[2]; z++)
    for (let x = area.from[0]; x <= area.to[0]; x++) {
      const chunk = chunkOf(x, z, area, at);
      if (chunk === null) continue;
      const name = `r.${Math.floor(x / SIDE)}.${Math.floor(z / SIDE)}.mca`;
      const bytes = deflateZlib(writeNbt({ root: chunk, name: nbtText("") }), 9);
      regions.set(name, [...(regions.get(name) ?? []), { x: x & 31, z: z & 31, kind: ZLIB, bytes }]);
    }
  return new Map([...regions].map(([name, slots]) => [name, regionFile(slots)]));
}

/** Null: it is of air alone. */
function chunkOf(x: number, z: number, { from, to, dataVersion }: Area, at: BlockAt): NbtCompound | null {
  const sections: NbtTag[] = [];
  let isEmpty = true;
  for (let y = from[1]; y <= to[1]; y++) {
    const palette = new Map<string, number>();
    const numbers = Array.from({ length: BLOCKS }, (_, i) => {
      const name = at(16 * x + (i & 15), 16 * y + (i >> 8), 16 * z + ((i >> 4) & 15));
      if (name !== AIR) isEmpty = false;
      if (!palette.has(name)) palette.set(name, palette.size);
      return palette.get(name)!;
    });
    const bits = Math.max(4, Math.ceil(Math.log2(palette.size)));
    const states = nbtCompound({
      palette: listOf([...palette.keys()].map(stateOf)),
      ...(palette.size === 1 ? {} : { data: { type: NBT.longArray, value: packed(numbers, bits) } }),
    });
    const biomes = nbtCompound({
      palette: { type: NBT.list, itemType: NBT.string, items: [nbtText("minecraft:plains")] },
    });
    sections.push(nbtCompound({ Y: { type: NBT.byte, value: y }, block_states: states, biomes }));
  }
  if (isEmpty) return null;
  return nbtCompound({
    DataVersion: intOf(dataVersion),
    xPos: intOf(x),
    yPos: intOf(from[1]),
    zPos: intOf(z),
    Status: nbtText("minecraft:full"),
    LastUpdate: { type: NBT.long, value: 0n },
    InhabitedTime: { type: NBT.long, value: 0n },
    block_entities: { type: NBT.list, itemType: NBT.end, items: [] },
    sections: listOf(sections),
  });
}

function stateOf(name: string): NbtTag {
  const [id = "", properties = ""] = name.replace("]", "").split("[");
  if (properties === "") return nbtCompound({ Name: nbtText(id) });
  const pairs = properties.split(",").map((pair) => pair.split("=") as [string, string]);
  const own = Object.fromEntries(pairs.map(([key, value]) => [key, nbtText(value)]));
  return nbtCompound({ Name: nbtText(id), Properties: nbtCompound(own) });
}

/** Numbers in words of 64 bits, the lowest bits first; none is in two words. */
function packed(numbers: readonly number[], bits: number): BigInt64Array {
  const each = Math.floor(64 / bits);
  const words = new BigInt64Array(Math.ceil(numbers.length / each));
  for (const [i, number] of numbers.entries()) {
    const word = Math.floor(i / each);
    words[word] = BigInt.asIntN(64, words[word]! | (BigInt(number) << BigInt((i % each) * bits)));
  }
  return words;
}

function listOf(items: readonly NbtTag[]): NbtTag {
  return { type: NBT.list, itemType: NBT.compound, items };
}

function intOf(value: number): NbtTag {
  return { type: NBT.int, value };
}
