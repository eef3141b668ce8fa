/** Things that versions of the game since 1.16 call by several names. Without `minecraft:`. */
export interface Renamed {
  readonly blocks: readonly (readonly string[])[];
  readonly items: readonly (readonly string[])[];
  readonly kinds: readonly (readonly string[])[];
}

const BLOCKS = [
  // 1.20.3
  ["grass", "short_grass"],
  // 1.17
  ["grass_path", "dirt_path"],
  // 1.21.9
  ["chain", "iron_chain"],
] as const;

const RENAMED: Renamed = {
  blocks: BLOCKS,
  // 1.20.5
  items: [...BLOCKS, ["scute", "turtle_scute"]],
  kinds: [
    // 1.21.2
    ["boat", "oak_boat"],
    ["chest_boat", "oak_chest_boat"],
    // 1.21.5
    ["potion", "splash_potion"],
  ],
};

/** The other names of a thing; most have none. */
export function otherNames(of: keyof Renamed, name: string): readonly string[] {
  return RENAMED[of].find((names) => names.includes(name))?.filter((other) => other !== name) ?? [];
}
