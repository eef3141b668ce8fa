/**
 * Kinds of block entities, numbered as 1.21.4 does. Other versions have other numbers; what is at a place follows from its
 * block, so these alone are needed.
 */
const KINDS =
  "furnace chest trapped_chest ender_chest jukebox dispenser dropper sign hanging_sign mob_spawner creaking_heart piston brewing_stand enchanting_table end_portal beacon skull daylight_detector hopper comparator banner structure_block end_gateway command_block shulker_box bed conduit barrel smoker blast_furnace lectern bell jigsaw campfire beehive sculk_sensor calibrated_sculk_sensor sculk_catalyst sculk_shrieker chiseled_bookshelf brushable_block decorated_pot crafter trial_spawner vault".split(
    " ",
  );
const NUMBERS = new Map(KINDS.map((kind, number) => [`minecraft:${kind}`, number]));

/** Blocks that are called otherwise than what they have. */
const OF_BLOCKS: readonly (readonly [RegExp, string])[] = [
  [/_hanging_sign$/, "hanging_sign"],
  [/_sign$/, "sign"],
  [/_bed$/, "bed"],
  [/_banner$/, "banner"],
  [/(^|_)shulker_box$/, "shulker_box"],
  [/_(skull|head)$/, "skull"],
  [/campfire$/, "campfire"],
  [/command_block$/, "command_block"],
  [/^(bee_nest|beehive)$/, "beehive"],
  [/^suspicious_/, "brushable_block"],
  [/^spawner$/, "mob_spawner"],
  [/^moving_piston$/, "piston"],
];

/** The number that 1.21.4 has for a kind; null: none. */
export function blockEntityNumber(kind: string): number | null {
  return NUMBERS.get(kind) ?? null;
}

/** What a block has beside its state; null: nothing that is known. */
export function blockEntityOf(block: string): string | null {
  const [, name] = /^minecraft:(\w+)/.exec(block) ?? [];
  if (name === undefined) return null;
  const kind = OF_BLOCKS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
  return NUMBERS.has(`minecraft:${kind}`) && name !== "piston_head" ? `minecraft:${kind}` : null;
}
