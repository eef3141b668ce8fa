import type { WorldChunk } from "simtape/world";
import { type BlockLook, blockLook } from "./block-look.ts";
import { type BlockSkins, skinnedLook } from "./skins.ts";

/** Blocks along each side of a chunk. */
export const SIDE = 16;
/** A chunk, and one block beyond each of its sides. */
const WIDE: number = SIDE + 2;
/** From a cell to the one above it. */
export const LAYER: number = WIDE * WIDE;
/** From a cell to the next one southwards; eastwards it is 1. */
export const ROW: number = WIDE;

/** Numbers of looks, the same for all chunks of a world: 0 is for what is not seen. */
export class Looks {
  readonly #all: (BlockLook | null)[] = [null];
  readonly #byName = new Map<string, number>();
  readonly #byShape = new Map<string, number>();
  readonly #skins: BlockSkins | null;

  constructor(skins: BlockSkins | null = null) {
    this.#skins = skins;
  }

  /** By number. */
  get all(): readonly (BlockLook | null)[] {
    return this.#all;
  }

  /** What looks the same has the same number. */
  numberOf(name: string): number {
    let number = this.#byName.get(name);
    if (number === undefined) {
      const look = this.#skins === null ? blockLook(name) : skinnedLook(name, this.#skins);
      const shape = JSON.stringify(look);
      number = look === null ? 0 : (this.#byShape.get(shape) ?? this.#all.push(look) - 1);
      if (look !== null) this.#byShape.set(shape, number);
      this.#byName.set(name, number);
    }
    return number;
  }
}

/** Chunks on the four sides of one; null: there is none, and nothing is there. */
export interface Neighbours {
  readonly west: WorldChunk | null;
  readonly east: WorldChunk | null;
  readonly north: WorldChunk | null;
  readonly south: WorldChunk | null;
}

/** Numbers of looks of a chunk, and of what is one block beyond it; above and below it nothing is. */
export interface Volume {
  /** Height of its lowest block in the world. */
  readonly bottom: number;
  /** Blocks. */
  readonly height: number;
  readonly cells: Uint16Array;
  readonly looks: readonly (BlockLook | null)[];
}

/** Place of a block in the cells: from -1 to 16, and from -1 to the height. */
export function cellAt(x: number, y: number, z: number): number {
  return (y + 1) * LAYER + (z + 1) * ROW + x + 1;
}

/** What there is below the height `top`; null: nothing is seen of it. */
export function volumeOf(chunk: WorldChunk, around: Neighbours, looks: Looks, top: number): Volume | null {
  const numbers = chunk.sections.map(({ blocks }) => blocks.palette.map((name) => looks.numberOf(name)));
  const isSeen = (numbersOf: readonly number[]): boolean => numbersOf.some((number) => number > 0);
  const [lowest, highest] = [numbers.findIndex(isSeen), numbers.findLastIndex(isSeen)];
  const bottom = SIDE * (chunk.minSection + lowest);
  const height = Math.min(SIDE * (chunk.minSection + highest + 1), top) - bottom;
  if (lowest < 0 || height <= 0) return null;
  const cells = new Uint16Array(LAYER * (height + 2));
  const volume = { bottom, height, cells, looks: looks.all };
  fill(volume, chunk, looks, [0, SIDE], [0, SIDE], 0, 0);
  if (around.west !== null) fill(volume, around.west, looks, [SIDE - 1, SIDE], [0, SIDE], -SIDE, 0);
  if (around.east !== null) fill(volume, around.east, looks, [0, 1], [0, SIDE], SIDE, 0);
  if (around.north !== null) fill(volume, around.north, looks, [0, SIDE], [SIDE - 1, SIDE], 0, -SIDE);
  if (around.south !== null) fill(volume, around.south, looks, [0, SIDE], [0, 1], 0, SIDE);
  return volume;
}

/** Takes blocks away: three numbers of each, in the chunk (or one beyond it), their height in the world. */
export function clear({ bottom, height, cells }: Volume, places: Int32Array): void {
  for (let at = 0; at < places.length; at += 3) {
    const [x, y, z] = [places[at]!, places[at + 1]! - bottom, places[at + 2]!];
    if (x >= -1 && x <= SIDE && z >= -1 && z <= SIDE && y >= 0 && y < height) cells[cellAt(x, y, z)] = 0;
  }
}

/** Blocks `[from, to)` of a chunk that is so far away. */
function fill(
  { bottom, height, cells }: Volume,
  { minSection, sections }: WorldChunk,
  looks: Looks,
  [fromX, toX]: readonly [number, number],
  [fromZ, toZ]: readonly [number, number],
  awayX: number,
  awayZ: number,
): void {
  for (const [i, { blocks }] of sections.entries()) {
    const low = SIDE * (minSection + i) - bottom;
    const [from, to] = [Math.max(0, -low), Math.min(SIDE, height - low)];
    const numbers = Uint16Array.from(blocks.palette, (name) => looks.numberOf(name));
    const { indices } = blocks;
    if (from >= to || (indices === null && numbers[0] === 0)) continue;
    for (let y = from; y < to; y++) {
      for (let z = fromZ; z < toZ; z++) {
        let cell = cellAt(awayX + fromX, low + y, awayZ + z);
        const row = SIDE * (SIDE * y + z);
        for (let x = fromX; x < toX; x++) cells[cell++] = numbers[indices === null ? 0 : indices[row + x]!]!;
      }
    }
  }
}
