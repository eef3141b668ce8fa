import { NBT } from "simtape/kit";
import type { BlockEntity, Cells, WorldSection } from "simtape/world";
import { GameData } from "../game/data.ts";
import { compacted } from "./containers.ts";
import { Damage } from "./damage.ts";
import { longsFor, unpack } from "./longs.ts";
import { PLACED, type PlacedChunk } from "./packets.ts";
import { EMPTY, OLD_SECTIONS, PLAINS } from "./sections.ts";
import { type Tag, Tags } from "./tags.ts";

/**
 * Data versions: the first with names instead of numbers (1.13), the first without numbers that span two words (1.16),
 * and that of 1.18.
 */
const WITH_NAMES = 1451;
const WITHOUT_SPANS = 2529;
/** Numbers of biomes until 1.17 are those of this version. */
const BIOMES_OF = "1.16.5";
/** Statuses of chunks that the game has finished; others are still being made. */
const FINISHED: ReadonlySet<string> = new Set(["full", "fullchunk", "postprocessed", "mobs_spawned"]);
/** Longest palettes: every block differs. */
const BLOCKS = 4096;
const BIOMES = 64;
/** Columns of blocks, each of which had a biome of its own before 1.15. */
const COLUMNS = 256;
const MOST_SECTIONS = 256;
const MOST_ENTITIES = 65_536;
/** Names, and properties with their values. */
const NAME = /^[\w.:/-]{1,256}$/;
const PROPERTY = /^[\w.+-]{1,64}=[\w.+-]{1,64}$/;
const MOST_PROPERTIES = 16;
const OLD = ["xPos", "zPos", "Status", "Sections", "TileEntities", "Biomes"];
const NEW = ["xPos", "zPos", "Status", "sections", "block_entities"];

/**
 * The chunk in an NBT document of a region file, since 1.13; null: the game has not finished it. Throws `Damage` for a
 * document that is no chunk, and for an older chunk.
 */
export function anvilChunk(bytes: Uint8Array): PlacedChunk | null {
  const tags = new Tags(bytes);
  const root = tags.root();
  const [version, old] = tags.members(root, ["DataVersion", "Level"]);
  const dataVersion = tags.number(version);
  if (dataVersion === null || dataVersion < WITH_NAMES)
    throw new Damage("a chunk of before 1.13, which has numbers for names");
  const isOld = old?.type === NBT.compound;
  const [xPos, zPos, state, sections, entities, biomes] = tags.members(isOld ? old : root, isOld ? OLD : NEW);
  const [x, z, status] = [tags.number(xPos), tags.number(zPos), tags.text(state)];
  if (x === null || z === null) throw new Damage("a chunk that does not say where it is");
  if (status !== null && !FINISHED.has(status.replace(/^minecraft:/, ""))) return null;
  const found = isOld
    ? oldSections(tags, sections, oldBiomes(tags.ints(biomes)), dataVersion < WITHOUT_SPANS)
    : newSections(tags, sections);
  const blockEntities = blockEntitiesIn(tags, entities, x, z);
  return { x, z, chunk: { dataVersion, ...withoutGaps(found), blockEntities } };
}

/** Until 1.17: biomes belong to the whole chunk, and only sections with blocks have palettes. */
function oldSections(
  tags: Tags,
  list: Tag | undefined,
  biomes: readonly Cells<Uint8Array>[],
  spans: boolean,
): Map<number, WorldSection> {
  const sections = new Map<number, WorldSection>();
  for (const [y, of] of biomes.entries()) sections.set(y, { ...EMPTY, biomes: of });
  for (const section of tags.items(list, NBT.compound)) {
    const [height, palette, states] = tags.members(section, ["Y", "Palette", "BlockStates"]);
    const y = tags.number(height);
    const names = blockNames(tags, palette);
    if (y === null || names.length === 0) continue;
    const blocks = cellsOf(tags, names, states, BLOCKS, 4, spans);
    keep(sections, y, { blocks, biomes: sections.get(y)?.biomes ?? null });
  }
  return sections;
}

/** Since 1.18. */
function newSections(tags: Tags, list: Tag | undefined): Map<number, WorldSection> {
  const sections = new Map<number, WorldSection>();
  for (const section of tags.items(list, NBT.compound)) {
    const [height, states, biomes] = tags.members(section, ["Y", "block_states", "biomes"]);
    const y = tags.number(height);
    if (y === null || states?.type !== NBT.compound) continue;
    const [palette, data] = tags.members(states, ["palette", "data"]);
    const blocks = cellsOf(tags, blockNames(tags, palette), data, BLOCKS, 4, false);
    keep(sections, y, { blocks, biomes: newBiomes(tags, biomes) });
  }
  return sections;
}

function keep(sections: Map<number, WorldSection>, y: number, section: WorldSection): void {
  sections.set(y, section);
  if (sections.size > MOST_SECTIONS) throw new Damage(`more than ${MOST_SECTIONS} sections`);
}

function newBiomes(tags: Tags, tag: Tag | undefined): Cells<Uint8Array> | null {
  if (tag?.type !== NBT.compound) return null;
  const [names, data] = tags.members(tag, ["palette", "data"]);
  const palette: string[] = [];
  for (const item of tags.items(names, NBT.string)) {
    const name = tags.text(item)!;
    if (!NAME.test(name)) throw new Damage(`a biome that is called ${JSON.stringify(name.slice(0, 100))}`);
    if (palette.push(name) > BIOMES) throw new Damage(`a palette of more than ${BIOMES} biomes`);
  }
  if (palette.length === 0) return null;
  const { indices } = cellsOf(tags, palette, data, BIOMES, 1, false);
  return { palette, indices: indices === null ? null : Uint8Array.from(indices) };
}

/** By section. Since 1.15 there is a number for every 4 blocks in each direction; before, for every column. */
function oldBiomes(numbers: Int32Array | null): Cells<Uint8Array>[] {
  const names = GameData.of(BIOMES_OF).biomes;
  const section = (of: ArrayLike<number>): Cells<Uint8Array> => {
    const { palette, indices } = compacted(of);
    const known = palette.map((number) => names[number] ?? PLAINS);
    return { palette: known, indices: indices === null ? null : Uint8Array.from(indices) };
  };
  if (numbers?.length === COLUMNS) {
    // the game itself uses these when it updates a chunk
    const cells = section(
      Int32Array.from({ length: BIOMES }, (_, i) => numbers[64 * ((i >> 2) & 3) + 4 * (i & 3) + 34]!),
    );
    return new Array<Cells<Uint8Array>>(OLD_SECTIONS).fill(cells);
  }
  if (numbers?.length !== OLD_SECTIONS * BIOMES) return [];
  return Array.from({ length: OLD_SECTIONS }, (_, y) => section(numbers.subarray(y * BIOMES, (y + 1) * BIOMES)));
}

function cellsOf(
  tags: Tags,
  palette: readonly string[],
  data: Tag | undefined,
  size: number,
  least: number,
  spans: boolean,
): Cells {
  if (palette.length === 0) throw new Damage("a palette of nothing");
  if (data === undefined && palette.length === 1) return { palette, indices: null };
  const found = tags.countOfLongs(data);
  if (data === undefined || found === null)
    throw new Damage(`a palette of ${palette.length} and nothing that says what is where`);
  const bits = Math.max(least, 32 - Math.clz32(palette.length - 1));
  const count = spans ? (size * bits) / 64 : longsFor(size, bits);
  if (found !== count) throw new Damage(`${found} longs for numbers of ${bits} bits, not ${count}`);
  const indices = unpack(tags.longs(data), bits, size, spans);
  for (const index of indices)
    if (index >= palette.length) throw new Damage(`the palette of ${palette.length} has no ${index}`);
  return { palette, indices };
}

function blockNames(tags: Tags, list: Tag | undefined): string[] {
  const names: string[] = [];
  for (const state of tags.items(list, NBT.compound))
    if (names.push(blockName(tags, state)) > BLOCKS) throw new Damage(`a palette of more than ${BLOCKS} blocks`);
  return names;
}

/**
 * In the form `minecraft:oak_stairs[facing=north,half=top]`: properties in the order of their names, as the game sorts
 * them.
 */
function blockName(tags: Tags, state: Tag): string {
  const [id, properties] = tags.members(state, ["Name", "Properties"]);
  const name = tags.text(id);
  if (name === null || !NAME.test(name))
    throw new Damage(`a block that is called ${JSON.stringify(name?.slice(0, 100))}`);
  if (properties?.type !== NBT.compound) return name;
  const pairs: string[] = [];
  for (const { name: key, tag } of tags.entries(properties)) {
    const value = tags.text(tag);
    if (value === null) continue;
    const pair = `${key}=${value}`;
    if (!PROPERTY.test(pair) || pairs.push(pair) > MOST_PROPERTIES)
      throw new Damage(`properties that no block has: ${name}`);
  }
  return pairs.length === 0 ? name : `${name}[${pairs.sort().join(",")}]`;
}

/** The block entities that are inside the chunk. */
function blockEntitiesIn(tags: Tags, list: Tag | undefined, chunkX: number, chunkZ: number): BlockEntity[] {
  const found: BlockEntity[] = [];
  for (const entity of tags.items(list, NBT.compound)) {
    const [id, ...place] = tags.members(entity, ["id", "x", "y", "z"]);
    const [x, y, z] = place.map((tag) => tags.number(tag)) as [number | null, number | null, number | null];
    const kind = tags.text(id);
    if (x === null || y === null || z === null || kind === null || !NAME.test(kind)) continue;
    if (x >> 4 !== chunkX || z >> 4 !== chunkZ) continue;
    const nbt = tags.without(entity, PLACED);
    if (found.push({ x: x & 15, y, z: z & 15, kind, nbt }) > MOST_ENTITIES)
      throw new Damage(`more than ${MOST_ENTITIES} blocks that hold something`);
  }
  return found;
}

/** Sections from the lowest to the highest, with air where one is missing. */
function withoutGaps(found: ReadonlyMap<number, WorldSection>): { minSection: number; sections: WorldSection[] } {
  if (found.size === 0) return { minSection: 0, sections: [] };
  const [low, high] = [Math.min(...found.keys()), Math.max(...found.keys())];
  if (high - low >= MOST_SECTIONS) throw new Damage(`sections from ${low} to ${high}`);
  const sections = Array.from({ length: high - low + 1 }, (_, i) => found.get(low + i) ?? EMPTY);
  return { minSection: low, sections };
}
