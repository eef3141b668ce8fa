/**
 * Kinds of block entities in the order of 1.21.4. Earlier versions have the same order without later kinds; when a
 * chunk is read, the kind of a block entity follows from its block.
 */
const KINDS =
  "furnace chest trapped_chest ender_chest jukebox dispenser dropper sign hanging_sign mob_spawner creaking_heart piston brewing_stand enchanting_table end_portal beacon skull daylight_detector hopper comparator banner structure_block end_gateway command_block shulker_box bed conduit barrel smoker blast_furnace lectern bell jigsaw campfire beehive sculk_sensor calibrated_sculk_sensor sculk_catalyst sculk_shrieker chiseled_bookshelf brushable_block decorated_pot crafter trial_spawner vault".split(
    " ",
  );
/** The protocols that added kinds, since 1.18. */
const SINCE: Readonly<Record<string, number>> = {
  sculk_catalyst: 759,
  sculk_shrieker: 759,
  hanging_sign: 761,
  chiseled_bookshelf: 761,
  brushable_block: 762,
  decorated_pot: 762,
  calibrated_sculk_sensor: 763,
  crafter: 765,
  trial_spawner: 765,
  vault: 766,
  creaking_heart: 769,
};
const KNOWN = new Set(KINDS);

/** Blocks whose block entity has another name. */
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

/** The numbers of a version since 1.18 for kinds, in the form `minecraft:chest`. */
export function blockEntityNumbers(protocol: number): ReadonlyMap<string, number> {
  const there = KINDS.filter((kind) => (SINCE[kind] ?? 0) <= protocol);
  return new Map(there.map((kind, number) => [`minecraft:${kind}`, number]));
}

/** The kind of a block's block entity; null: none is known. */
export function blockEntityOf(block: string): string | null {
  const [, name] = /^minecraft:(\w+)/.exec(block) ?? [];
  if (name === undefined) return null;
  const kind = OF_BLOCKS.find(([pattern]) => pattern.test(name))?.[1] ?? name;
  return KNOWN.has(kind) && name !== "piston_head" ? `minecraft:${kind}` : null;
}
