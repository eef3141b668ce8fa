import { NBT, type NbtCompound, type NbtTag, nbtEntry, readNbt, writeNbt } from "simtape/kit";
import type { BlockEntity, Cells, WorldSection } from "simtape/world";
import { GameData } from "../game/data.ts";
import { compacted } from "./containers.ts";
import { Damage } from "./damage.ts";
import { type Longs, longsFor, unpack } from "./longs.ts";
import { PLACED, type PlacedChunk } from "./packets.ts";
import { EMPTY, OLD_SECTIONS, PLAINS } from "./sections.ts";

/** Data versions: the first with names instead of numbers (1.13), without numbers in two words (1.16), and of 1.18. */
const WITH_NAMES = 1451;
const WITHOUT_SPANS = 2529;
/** Numbers of biomes until 1.17 are those of this version. */
const BIOMES_OF = "1.16.5";
/** Of chunks that the game has finished; others are still being made. */
const FINISHED: ReadonlySet<string> = new Set(["full", "fullchunk", "postprocessed", "mobs_spawned"]);
const MOST_BYTES = 32 << 20;
/** Items in chests have NBT of their own, to any depth. */
const MOST_DEPTH = 512;
/** Longest palettes: every block is another one. */
const BLOCKS = 4096;
const BIOMES = 64;
const MOST_SECTIONS = 256;
/** Names, and properties with their values. */
const NAME = /^[\w.:/-]{1,256}$/;
const PROPERTY = /^[\w.+-]{1,64}=[\w.+-]{1,64}$/;
const MOST_PROPERTIES = 16;

/**
 * The chunk of an NBT document as region files have it, since 1.13; null: the game has not finished it. Throws
 * `Damage` for what is no chunk, and for one of before, and `LayoutError` for what is no NBT.
 */
export function anvilChunk(bytes: Uint8Array): PlacedChunk | null {
  const { root } = readNbt(bytes, { rootName: "named", maxBytes: MOST_BYTES, maxDepth: MOST_DEPTH, allowsRest: true });
  const dataVersion = numberIn(root, "DataVersion");
  if (dataVersion === null || dataVersion < WITH_NAMES)
    throw new Damage("a chunk of before 1.13, which has numbers for names");
  const old = nbtEntry(root, "Level");
  const level = old?.type === NBT.compound ? old : root;
  const [x, z] = [numberIn(level, "xPos"), numberIn(level, "zPos")];
  if (x === null || z === null) throw new Damage("a chunk that does not say where it is");
  const status = textIn(level, "Status");
  if (status !== null && !FINISHED.has(status.replace(/^minecraft:/, ""))) return null;
  const isOld = level !== root;
  const found = isOld ? oldSections(level, dataVersion) : newSections(level);
  const entities = compoundsIn(level, isOld ? "TileEntities" : "block_entities");
  const { minSection, sections } = withoutGaps(found);
  const blockEntities = entities.flatMap((entity) => blockEntityIn(entity, x, z));
  return { x, z, chunk: { dataVersion, minSection, sections, blockEntities } };
}

/** Until 1.17: biomes are of the whole chunk, and only sections with blocks have palettes. */
function oldSections(level: NbtCompound, dataVersion: number): Map<number, WorldSection> {
  const biomes = oldBiomes(nbtEntry(level, "Biomes"));
  const sections = new Map<number, WorldSection>();
  if (biomes.length > 0) for (let y = 0; y < OLD_SECTIONS; y++) sections.set(y, { ...EMPTY, biomes: biomes[y]! });
  for (const section of compoundsIn(level, "Sections")) {
    const y = numberIn(section, "Y");
    const palette = compoundsIn(section, "Palette");
    if (y === null || palette.length === 0) continue;
    const states = nbtEntry(section, "BlockStates");
    const blocks = cellsOf(palette.map(blockName), states, BLOCKS, 4, dataVersion < WITHOUT_SPANS);
    sections.set(y, { blocks, biomes: sections.get(y)?.biomes ?? null });
  }
  return sections;
}

/** Since 1.18. */
function newSections(level: NbtCompound): Map<number, WorldSection> {
  const sections = new Map<number, WorldSection>();
  for (const section of compoundsIn(level, "sections")) {
    const y = numberIn(section, "Y");
    const states = nbtEntry(section, "block_states");
    if (y === null || states?.type !== NBT.compound) continue;
    const blocks = cellsOf(compoundsIn(states, "palette").map(blockName), nbtEntry(states, "data"), BLOCKS, 4, false);
    sections.set(y, { blocks, biomes: newBiomes(nbtEntry(section, "biomes")) });
  }
  return sections;
}

function newBiomes(tag: NbtTag | undefined): Cells<Uint8Array> | null {
  if (tag?.type !== NBT.compound) return null;
  const names = nbtEntry(tag, "palette");
  if (names?.type !== NBT.list || names.itemType !== NBT.string) return null;
  const palette = names.items.map((name) => (name as { value: string }).value);
  if (!palette.every((name) => NAME.test(name))) throw new Damage("a biome that is called otherwise than biomes are");
  const { palette: used, indices } = cellsOf(palette, nbtEntry(tag, "data"), BIOMES, 1, false);
  return { palette: used, indices: indices === null ? null : Uint8Array.from(indices) };
}

/** One number for every 4 blocks each way, since 1.15. */
function oldBiomes(tag: NbtTag | undefined): Cells<Uint8Array>[] {
  if (tag?.type !== NBT.intArray || tag.value.length !== OLD_SECTIONS * BIOMES) return [];
  const names = GameData.of(BIOMES_OF).biomes;
  return Array.from({ length: OLD_SECTIONS }, (_, y) => {
    const { palette, indices } = compacted(tag.value.subarray(y * BIOMES, (y + 1) * BIOMES));
    const known = palette.map((number) => names[number] ?? PLAINS);
    return { palette: known, indices: indices === null ? null : Uint8Array.from(indices) };
  });
}

function cellsOf(
  palette: readonly string[],
  tag: NbtTag | undefined,
  size: number,
  least: number,
  spans: boolean,
): Cells {
  if (palette.length === 0 || palette.length > size) throw new Damage(`a palette of ${palette.length}`);
  if (tag === undefined && palette.length === 1) return { palette, indices: null };
  if (tag?.type !== NBT.longArray)
    throw new Damage(`a palette of ${palette.length} and nothing that says what is where`);
  const bits = Math.max(least, 32 - Math.clz32(palette.length - 1));
  const count = spans ? (size * bits) / 64 : longsFor(size, bits);
  if (tag.value.length !== count)
    throw new Damage(`${tag.value.length} longs for numbers of ${bits} bits, not ${count}`);
  const indices = unpack(wordsOf(tag.value), bits, size, spans);
  for (const index of indices)
    if (index >= palette.length) throw new Damage(`the palette of ${palette.length} has no ${index}`);
  return { palette, indices };
}

function wordsOf(values: BigInt64Array): Longs {
  const words = new Uint32Array(2 * values.length);
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  // the longs are in the order of this machine
  const isLittle = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
  for (let i = 0; i < words.length; i++) words[i] = view.getUint32(4 * (isLittle ? i : i ^ 1), isLittle);
  return words;
}

/** As `minecraft:oak_stairs[facing=north,half=top]`: properties in the order of their names, as the game has them. */
function blockName(state: NbtCompound): string {
  const name = textIn(state, "Name");
  if (name === null || !NAME.test(name)) throw new Damage(`a block that is called ${JSON.stringify(name)}`);
  const properties = nbtEntry(state, "Properties");
  const pairs =
    properties?.type !== NBT.compound
      ? []
      : properties.entries.flatMap(({ name: { value: key }, tag }) =>
          tag.type === NBT.string ? [`${key}=${tag.value}`] : [],
        );
  if (pairs.length > MOST_PROPERTIES || !pairs.every((pair) => PROPERTY.test(pair)))
    throw new Damage(`properties that no block has: ${name}`);
  return pairs.length === 0 ? name : `${name}[${pairs.sort().join(",")}]`;
}

function blockEntityIn(entity: NbtCompound, chunkX: number, chunkZ: number): BlockEntity[] {
  const [x, y, z] = ["x", "y", "z"].map((name) => numberIn(entity, name));
  const kind = textIn(entity, "id");
  if (x == null || y == null || z == null || kind === null || kind === "" || kind.length > 256) return [];
  if (x >> 4 !== chunkX || z >> 4 !== chunkZ) return [];
  const entries = entity.entries.filter(({ name }) => !PLACED.includes(name.value));
  return [{ x: x & 15, y, z: z & 15, kind, nbt: writeNbt({ root: { type: NBT.compound, entries }, name: null }) }];
}

/** Sections from the lowest to the highest, with air where there is none. */
function withoutGaps(found: ReadonlyMap<number, WorldSection>): { minSection: number; sections: WorldSection[] } {
  if (found.size === 0) return { minSection: 0, sections: [] };
  const [low, high] = [Math.min(...found.keys()), Math.max(...found.keys())];
  if (high - low >= MOST_SECTIONS) throw new Damage(`sections from ${low} to ${high}`);
  const sections = Array.from({ length: high - low + 1 }, (_, i) => found.get(low + i) ?? EMPTY);
  return { minSection: low, sections };
}

function compoundsIn(of: NbtCompound, name: string): NbtCompound[] {
  const list = nbtEntry(of, name);
  return list?.type === NBT.list ? list.items.filter((item) => item.type === NBT.compound) : [];
}

function numberIn(of: NbtCompound, name: string): number | null {
  const tag = nbtEntry(of, name);
  return tag?.type === NBT.byte || tag?.type === NBT.short || tag?.type === NBT.int ? tag.value : null;
}

function textIn(of: NbtCompound, name: string): string | null {
  const tag = nbtEntry(of, name);
  return tag?.type === NBT.string ? tag.value : null;
}
