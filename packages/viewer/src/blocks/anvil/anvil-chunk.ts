import { LayoutError, NBT, type NbtCompound, nbtEntry, nbtLength, type NbtTag, readNbt } from "simtape/kit";
import type { Cells, WorldChunk, WorldSection } from "simtape/world";
import { MOST_BYTES } from "./region-file.ts";

/** Data versions: the first with names instead of numbers (1.13), the first without numbers that span two words (1.16). */
const WITH_NAMES = 1451;
const WITHOUT_SPANS = 2529;
/** Statuses of chunks that the game has finished; others are still being made. */
const FINISHED: ReadonlySet<string> = new Set(["full", "fullchunk", "postprocessed", "mobs_spawned"]);
/** Blocks of a section, which are as many names as its palette can have. */
const BLOCKS = 4096;
const MOST_SECTIONS = 256;
/** Items in chests have NBT of their own, to any depth. */
const MOST_DEPTH = 512;
/** Names, and properties with their values. */
const NAME = /^[\w.:/-]{1,256}$/;
const PROPERTY = /^[\w.+-]{1,64}=[\w.+-]{1,64}$/;
const MOST_PROPERTIES = 16;
const EMPTY: WorldSection = { blocks: { palette: ["minecraft:air"], indices: null }, biomes: null };

/** A chunk of the game, with its numbers: the place of its blocks, divided by 16. */
export interface PlacedChunk {
  readonly x: number;
  readonly z: number;
  readonly chunk: WorldChunk;
}

/** A chunk that says with numbers what its blocks are, as before 1.13. */
export class TooOldError extends Error {}

/**
 * The blocks of a chunk, from the NBT document of a region file, since 1.13; null: the game has not finished it. Biomes and
 * what blocks hold are left out. Throws `LayoutError` for a document that is no chunk, and `TooOldError` for an older one.
 */
export function anvilChunk(bytes: Uint8Array): PlacedChunk | null {
  const root = rootOf(bytes);
  const dataVersion = numberOf(nbtEntry(root, "DataVersion"));
  if (dataVersion === null || dataVersion < WITH_NAMES)
    throw new TooOldError("it is too old: before 1.13 blocks had numbers for names");
  const level = nbtEntry(root, "Level");
  const isOld = level?.type === NBT.compound;
  const from = isOld ? level : root;
  const [x, z] = [numberOf(nbtEntry(from, "xPos")), numberOf(nbtEntry(from, "zPos"))];
  if (x === null || z === null) throw malformed("a chunk that does not say where it is");
  const status = textOf(nbtEntry(from, "Status"));
  if (status !== null && !FINISHED.has(status.replace(/^minecraft:/, ""))) return null;
  const list = nbtEntry(from, isOld ? "Sections" : "sections");
  const sections = new Map<number, WorldSection>();
  for (const section of compoundsOf(list)) {
    const y = numberOf(nbtEntry(section, "Y"));
    const blocks = isOld ? oldBlocks(section, dataVersion < WITHOUT_SPANS) : newBlocks(section);
    if (y === null || blocks === null) continue;
    sections.set(y, { blocks, biomes: null });
    if (sections.size > MOST_SECTIONS) throw malformed(`more than ${MOST_SECTIONS} sections`);
  }
  return { x, z, chunk: { dataVersion, ...withoutGaps(sections), blockEntities: [] } };
}

/** As the game does, it ignores bytes behind the root: some programs write whole blocks. */
function rootOf(bytes: Uint8Array): NbtCompound {
  const limits = { maxBytes: MOST_BYTES, maxDepth: MOST_DEPTH };
  try {
    return readNbt(bytes, { rootName: "named", ...limits }).root;
  } catch (error) {
    if (!(error instanceof LayoutError) || bytes.length < 3 || bytes[0] !== NBT.compound) throw error;
    // the document without the name of its root
    const nameless = bytes.slice(2 + ((bytes[1]! << 8) | bytes[2]!));
    if (nameless.length === 0) throw error;
    nameless[0] = NBT.compound;
    const length = nbtLength(nameless, 0, nameless.length, MOST_DEPTH);
    return readNbt(nameless.subarray(0, length), { rootName: "network", ...limits }).root;
  }
}

/** Until 1.17 only sections with blocks have a palette. */
function oldBlocks(section: NbtCompound, spans: boolean): Cells | null {
  const names = namesOf(nbtEntry(section, "Palette"));
  return names.length === 0 ? null : cellsOf(names, nbtEntry(section, "BlockStates"), spans);
}

/** Since 1.18. */
function newBlocks(section: NbtCompound): Cells | null {
  const states = nbtEntry(section, "block_states");
  if (states?.type !== NBT.compound) return null;
  return cellsOf(namesOf(nbtEntry(states, "palette")), nbtEntry(states, "data"), false);
}

function cellsOf(palette: readonly string[], data: NbtTag | undefined, spans: boolean): Cells {
  if (palette.length === 0) throw malformed("a palette of nothing");
  if (data === undefined && palette.length === 1) return { palette, indices: null };
  if (data?.type !== NBT.longArray)
    throw malformed(`a palette of ${palette.length} and nothing that says what is where`);
  const bits = Math.max(4, 32 - Math.clz32(palette.length - 1));
  const count = spans ? (BLOCKS * bits) / 64 : Math.ceil(BLOCKS / Math.floor(64 / bits));
  if (data.value.length !== count)
    throw malformed(`${data.value.length} longs for numbers of ${bits} bits, not ${count}`);
  const indices = unpack(data.value, bits, spans);
  for (const index of indices)
    if (index >= palette.length) throw malformed(`the palette of ${palette.length} has no ${index}`);
  return { palette, indices };
}

/** Numbers of `bits` bits each, from the lowest bit on. `spans`: without gaps; else no number is in two words. */
function unpack(longs: BigInt64Array, bits: number, spans: boolean): Uint16Array {
  const words = new Uint32Array(2 * longs.length + 1);
  for (const [i, long] of longs.entries()) {
    words[2 * i] = Number(long & 0xffff_ffffn);
    words[2 * i + 1] = Number((long >> 32n) & 0xffff_ffffn);
  }
  const values = new Uint16Array(BLOCKS);
  const mask = (1 << bits) - 1;
  const each = Math.floor(64 / bits);
  for (let i = 0; i < BLOCKS; i++) {
    const at = spans ? i * bits : 64 * Math.floor(i / each) + (i % each) * bits;
    const [word, shift] = [at >>> 5, at & 31];
    const low = words[word]! >>> shift;
    values[i] = (shift + bits > 32 ? low | (words[word + 1]! << (32 - shift)) : low) & mask;
  }
  return values;
}

function namesOf(list: NbtTag | undefined): string[] {
  const states = compoundsOf(list);
  if (states.length > BLOCKS) throw malformed(`a palette of more than ${BLOCKS} blocks`);
  return states.map(nameOf);
}

/** As `minecraft:oak_stairs[facing=north,half=top]`: properties in the order of their names. */
function nameOf(state: NbtCompound): string {
  const name = textOf(nbtEntry(state, "Name"));
  if (name === null || !NAME.test(name))
    throw malformed(`a block that is called ${JSON.stringify(name?.slice(0, 100))}`);
  const properties = nbtEntry(state, "Properties");
  if (properties?.type !== NBT.compound) return name;
  const pairs = properties.entries.flatMap(({ name: { value: key }, tag }) => {
    const value = textOf(tag);
    return value === null ? [] : [`${key}=${value}`];
  });
  if (pairs.length > MOST_PROPERTIES || pairs.some((pair) => !PROPERTY.test(pair)))
    throw malformed(`properties that no block has: ${name}`);
  return pairs.length === 0 ? name : `${name}[${pairs.sort().join(",")}]`;
}

/** Sections from the lowest to the highest, with air where one is missing. */
function withoutGaps(found: ReadonlyMap<number, WorldSection>): { minSection: number; sections: WorldSection[] } {
  if (found.size === 0) return { minSection: 0, sections: [] };
  const [low, high] = [Math.min(...found.keys()), Math.max(...found.keys())];
  if (high - low >= MOST_SECTIONS) throw malformed(`sections from ${low} to ${high}`);
  const sections = Array.from({ length: high - low + 1 }, (_, i) => found.get(low + i) ?? EMPTY);
  return { minSection: low, sections };
}

function compoundsOf(list: NbtTag | undefined): readonly NbtCompound[] {
  if (list?.type !== NBT.list || list.itemType !== NBT.compound) return [];
  return list.items as readonly NbtCompound[];
}

function numberOf(tag: NbtTag | undefined): number | null {
  return tag?.type === NBT.byte || tag?.type === NBT.short || tag?.type === NBT.int ? tag.value : null;
}

function textOf(tag: NbtTag | undefined): string | null {
  return tag?.type === NBT.string ? tag.value : null;
}

function malformed(message: string): LayoutError {
  return new LayoutError("malformed", message, 0);
}
