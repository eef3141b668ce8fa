import type { Point } from "simtape/making";
import type { Course } from "./hcrp-runner.ts";

/** Data version of Minecraft, for the names of blocks. */
export const DATA_VERSION = 4903;
export const LAMP_OFF = "minecraft:redstone_lamp[lit=false]";
const CHECKPOINT_EVERY = 8;

/** A spiral of platforms, sixteen in a turn, each one jump from the last. */
export class Tower implements Course {
  readonly platforms: readonly Point[];

  constructor(random: () => number) {
    const platforms: Point[] = [];
    let height = 64;
    for (let i = 0; i < 40; i++) {
      const angle = (i / 16) * 2 * Math.PI;
      const radius = 10 + random();
      platforms.push([Math.round(radius * Math.cos(angle)), Math.floor(height), Math.round(radius * Math.sin(angle))]);
      height += 0.5 + 0.5 * random();
    }
    this.platforms = platforms;
  }

  isCheckpoint(platform: number): boolean {
    return platform > 0 && platform % CHECKPOINT_EVERY === 0 && platform < this.platforms.length - 1;
  }

  /** Number of the checkpoint at a platform; 0 for the start. */
  numberOf(platform: number): number {
    return Math.floor(platform / CHECKPOINT_EVERY);
  }

  /** All blocks of the platforms, as they are before a race. */
  *blocks(): Generator<[Point, string]> {
    for (const [i, [x, y, z]] of this.platforms.entries())
      for (let dx = -1; dx <= 1; dx++)
        for (let dz = -1; dz <= 1; dz++) yield [[x + dx, y, z + dz], this.#kindOf(i, dx === 0 && dz === 0)];
  }

  #kindOf(platform: number, isMiddle: boolean): string {
    if (platform === this.platforms.length - 1) return isMiddle ? "minecraft:emerald_block" : "minecraft:gold_block";
    if (this.isCheckpoint(platform)) return isMiddle ? LAMP_OFF : "minecraft:quartz_block";
    return platform % 4 === 0 ? "minecraft:stripped_birch_wood[axis=y]" : "minecraft:smooth_quartz";
  }
}
