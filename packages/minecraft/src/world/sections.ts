import { type ByteBuilder, ByteCursor, LayoutError } from "simtape/kit";
import type { Cells, WorldSection } from "simtape/world";
import type { GameData } from "../game/data.ts";
import { compacted, type ContainerKind, type Numbers, readContainer, writeContainer } from "./containers.ts";
import type { ViewerBiomes } from "./biomes.ts";

/** The first protocols of 1.18, of 1.21.5, and of 26.1. */
const WITH_BIOMES = 757;
const WITHOUT_SIZES = 770;
const WITH_FLUIDS = 775;
/** Sections of a chunk before 1.17. */
export const OLD_SECTIONS = 16;
/** Worlds of the game are 4,064 blocks high at most. */
const MOST_SECTIONS = 254;
const BIOMES = 64;
export const AIR = "minecraft:air";
export const PLAINS = "minecraft:plains";
const AIRS: ReadonlySet<string> = new Set([AIR, "minecraft:cave_air", "minecraft:void_air"]);
export const EMPTY: WorldSection = { blocks: { palette: [AIR], indices: null }, biomes: null };

/** The version for which sections are packed. */
export function hasBiomesInSections({ protocol }: GameData): boolean {
  return protocol >= WITH_BIOMES;
}

/** Sections of a packet before 1.17: those in `bitMap`; `biomes` belong to the whole chunk. Throws `LayoutError`. */
export function oldSectionsIn(
  data: GameData,
  bytes: Uint8Array,
  bitMap: number,
  biomes: readonly number[] | null,
): WorldSection[] {
  const cursor = new ByteCursor(bytes);
  const kind = blockKind(data);
  return Array.from({ length: OLD_SECTIONS }, (_, i): WorldSection => {
    const known = biomes === null ? null : biomeCells(data, compacted(biomes.slice(i * BIOMES, (i + 1) * BIOMES)));
    if (((bitMap >> i) & 1) === 0) return { ...EMPTY, biomes: known };
    cursor.skip(2);
    return { blocks: blockCells(data, readContainer(cursor, kind)), biomes: known };
  });
}

/** Sections of a packet since 1.18. Throws `LayoutError`. */
export function sectionsIn(data: GameData, bytes: Uint8Array): WorldSection[] {
  const cursor = new ByteCursor(bytes);
  const sections: WorldSection[] = [];
  while (cursor.remaining > 0) {
    if (sections.length === MOST_SECTIONS)
      throw new LayoutError("malformed", "a chunk that is too high", cursor.offset);
    cursor.skip(data.protocol >= WITH_FLUIDS ? 4 : 2);
    const blocks = blockCells(data, readContainer(cursor, blockKind(data)));
    sections.push({ blocks, biomes: biomeCells(data, readContainer(cursor, biomeKind(data))) });
  }
  return sections;
}

/**
 * Sections as bytes of a packet; `missing` gets the names that the version does not have, and returns their
 * replacements.
 */
export class SectionWriter {
  readonly #data: GameData;
  readonly #biomes: ViewerBiomes;
  readonly #missing: (name: string) => number;
  readonly #direct: number;

  constructor(data: GameData, biomes: ViewerBiomes, missing: (name: string) => number) {
    this.#data = data;
    this.#biomes = biomes;
    this.#missing = missing;
    this.#direct = 32 - Math.clz32(Math.max(...data.raw.blocksArray.map(({ maxStateId }) => maxStateId!)));
  }

  write(builder: ByteBuilder, { blocks, biomes }: WorldSection): void {
    builder.i16be(solidIn(blocks));
    const states = blocks.palette.map((name) => this.#data.stateOf(name) ?? this.#missing(name));
    writeContainer(builder, { palette: states, indices: blocks.indices }, blockKind(this.#data), this.#direct);
    if (!hasBiomesInSections(this.#data)) return;
    const numbers = this.biomeNumbers(biomes);
    const bits = 32 - Math.clz32(this.#data.raw.biomesArray.length - 1);
    writeContainer(builder, numbers, biomeKind(this.#data), bits);
  }

  biomeNumbers(biomes: WorldSection["biomes"]): Numbers {
    if (biomes === null) return { palette: [this.#biomes.numberOf(PLAINS)], indices: null };
    const palette = biomes.palette.map((name) => this.#biomes.numberOf(name));
    return { palette, indices: biomes.indices === null ? null : Uint16Array.from(biomes.indices) };
  }
}

/** Whether it contains only air. */
export function isAir({ blocks: { palette } }: WorldSection): boolean {
  return palette.every((name) => AIRS.has(name));
}

function solidIn({ palette, indices }: Cells): number {
  const isSolid = palette.map((name) => !AIRS.has(name));
  if (indices === null) return isSolid[0]! ? 4096 : 0;
  let count = 0;
  for (const index of indices) if (isSolid[index]!) count++;
  return count;
}

function blockCells(data: GameData, { palette, indices }: Numbers): Cells {
  return { palette: palette.map((state) => data.nameOf(state) ?? AIR), indices };
}

function biomeCells(data: GameData, { palette, indices }: Numbers): Cells<Uint8Array> {
  const names = palette.map((number) => data.biomes[number] ?? PLAINS);
  return { palette: names, indices: indices === null ? null : Uint8Array.from(indices) };
}

function blockKind({ protocol }: GameData): ContainerKind {
  const hasSingle = protocol >= WITH_BIOMES;
  return { size: 4096, least: 4, most: 8, isSized: protocol < WITHOUT_SIZES, hasSingle };
}

function biomeKind({ protocol }: GameData): ContainerKind {
  return { size: 64, least: 1, most: 3, isSized: protocol < WITHOUT_SIZES, hasSingle: true };
}
