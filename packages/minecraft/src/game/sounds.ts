import type { GameData } from "./data.ts";

interface Sound {
  readonly id: number;
  readonly name: string;
}

const byName = new WeakMap<GameData, ReadonlyMap<string, number>>();

/**
 * The number of a sound in the game's registry, by a name such as `minecraft:block.anvil.use`; null: it does not exist.
 */
export function soundNumber(data: GameData, name: string): number | null {
  let numbers = byName.get(data);
  if (numbers === undefined) {
    const { soundsArray: sounds = [] } = data.raw as unknown as { soundsArray?: readonly Sound[] };
    numbers = new Map(sounds.map((sound, i) => [`minecraft:${sound.name}`, i]));
    byName.set(data, numbers);
  }
  return numbers.get(name) ?? null;
}

const bySound = new WeakMap<GameData, ReadonlyMap<number, string>>();

/**
 * The sound with that number in the game's registry, in the form `minecraft:block.anvil.use`; null: it does not exist.
 */
export function soundName(data: GameData, sound: number): string | null {
  let names = bySound.get(data);
  if (names === undefined) {
    // The types lack this property. In some versions the list begins with 1, the registry always with 0.
    const { soundsArray: sounds = [] } = data.raw as unknown as { soundsArray?: readonly Sound[] };
    const first = sounds[0]?.id ?? 0;
    names = new Map(sounds.map(({ id, name }) => [id - first, `minecraft:${name}`]));
    bySound.set(data, names);
  }
  return names.get(sound) ?? null;
}
