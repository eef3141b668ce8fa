import { type BlockAt, regionFiles } from "./anvil.ts";
import { DATA_VERSION, Tower } from "./hcrp-tower.ts";
import { noiseOf, randomOf } from "./random.ts";
import { zipOf } from "./zip.ts";

/** Blocks from the middle to the shore of the lake, and to the edge of the island. */
const LAKE = 17;
const EDGE = 46;
/** The highest water, which lies lower than any fall ends; how deep the lake is, and how thick the island. */
const WATER = 54;
const DEPTH = 4;
const THICKNESS = 15;
/** So many platforms stand on pillars: those below which there are no others, and none behind the start. */
const PILLARS = 10;

const AIR = "minecraft:air";
const LEAVES = "minecraft:oak_leaves[distance=1,persistent=true,waterlogged=false]";

/** The island in the air that the tower of the race stands on: the game's region files in a zip. */
export function regions({ seed }: { readonly seed: number }): Uint8Array {
  const area = { from: [-3, 2, -3], to: [2, 5, 2], dataVersion: DATA_VERSION } as const;
  return zipOf(regionFiles(area, islandOf(seed)));
}

function islandOf(seed: number): BlockAt {
  const rough = noiseOf(seed);
  const tower = new Tower(randomOf(seed));
  const built = new Map<string, string>();
  const put = (x: number, y: number, z: number, name: string): void => void built.set(`${x} ${y} ${z}`, name);
  const topAt = (x: number, z: number): number => {
    const shore = Math.hypot(x, z) - LAKE - 3 * (rough(x / 9, z / 9) - 0.5);
    // a meadow around the lake, then hills
    const land = 1 + Math.max(0, shore - 6) * 0.5 * rough(x / 14 + 30, z / 14 + 30);
    return WATER + Math.round(shore < 0 ? Math.max(-DEPTH, shore) : Math.min(9, land));
  };
  const isIsland = (x: number, z: number): boolean => awayFromEdge(x, z) > 0;
  const awayFromEdge = (x: number, z: number): number => EDGE - 7 * rough(x / 12 + 60, z / 12 + 60) - Math.hypot(x, z);

  for (let x = 4 - EDGE; x < EDGE - 4; x++)
    for (let z = 4 - EDGE; z < EDGE - 4; z++) {
      const top = topAt(x, z);
      const luck = rough(1000 * x, 1000 * z);
      if (top <= WATER || awayFromEdge(x, z) < 4) continue;
      if (luck > 0.985) plant(x, top + 1, z, 4 + Math.round(rough(1000 * x + 500, 1000 * z)), put);
      else if (luck < 0.03) put(x, top + 1, z, luck < 0.015 ? "minecraft:poppy" : "minecraft:dandelion");
    }
  for (const [x, y, z] of tower.platforms.slice(0, PILLARS))
    for (let at = WATER - DEPTH; at < y; at++) put(x, at, z, "minecraft:stone_bricks");
  for (const [[x, y, z], name] of tower.blocks()) put(x, y, z, name);

  return (x, y, z) => {
    const own = built.get(`${x} ${y} ${z}`);
    if (own !== undefined) return own;
    if (!isIsland(x, z)) return AIR;
    const top = topAt(x, z);
    if (y > top) return y <= WATER ? "minecraft:water[level=0]" : AIR;
    const thick = THICKNESS * Math.sqrt(Math.min(1, awayFromEdge(x, z) / EDGE)) * (0.6 + 0.5 * rough(x / 5, z / 5));
    if (y < Math.min(top, WATER - DEPTH) - thick) return AIR;
    if (y === top) return top < WATER ? "minecraft:sand" : "minecraft:grass_block[snowy=false]";
    return y > top - 3 ? "minecraft:dirt" : "minecraft:stone";
  };
}

/** An oak with a trunk so high. */
function plant(
  x: number,
  y: number,
  z: number,
  height: number,
  put: (x: number, y: number, z: number, name: string) => void,
): void {
  for (let up = height - 2; up <= height + 1; up++) {
    const reach = up < height ? 2 : 1;
    for (let dx = -reach; dx <= reach; dx++)
      for (let dz = -reach; dz <= reach; dz++)
        if (Math.abs(dx) + Math.abs(dz) < (up > height ? 2 : 2 * reach)) put(x + dx, y + up, z + dz, LEAVES);
  }
  for (let up = 0; up < height; up++) put(x, y + up, z, "minecraft:oak_log[axis=y]");
}
