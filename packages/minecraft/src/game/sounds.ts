import type { GameData } from "./data.ts";

interface Sound {
  readonly id: number;
  readonly name: string;
}

const bySound = new WeakMap<GameData, ReadonlyMap<number, string>>();

/** The sound of that number in the game's registry, as `minecraft:block.anvil.use`; null: there is none. */
export function soundName(data: GameData, sound: number): string | null {
  let names = bySound.get(data);
  if (names === undefined) {
    // The types leave it out. In some versions the list begins with 1, the registry always with 0.
    const { soundsArray: sounds = [] } = data.raw as unknown as { soundsArray?: readonly Sound[] };
    const first = sounds[0]?.id ?? 0;
    names = new Map(sounds.map(({ id, name }) => [id - first, `minecraft:${name}`]));
    bySound.set(data, names);
  }
  return names.get(sound) ?? null;
}
