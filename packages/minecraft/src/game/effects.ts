import type { GameData } from "./data.ts";

/** In the order of the game's registry, which only grows. */
const NAMES: readonly string[] =
  "speed slowness haste mining_fatigue strength instant_health instant_damage jump_boost nausea regeneration resistance fire_resistance water_breathing invisibility blindness night_vision hunger weakness poison wither health_boost absorption saturation glowing levitation luck unluck slow_falling conduit_power dolphins_grace bad_omen hero_of_the_village darkness trial_omen raid_omen wind_charged weaving oozing infested".split(
    " ",
  );

/**
 * The effect with that number, in the form `minecraft:slow_falling`; null: it does not exist. Before 1.20.2, numbers
 * began with 1.
 */
export function effectName({ raw }: GameData, effect: number): string | null {
  const name = NAMES[effect - raw.effectsByName["Speed"]!.id];
  return name === undefined ? null : `minecraft:${name}`;
}
