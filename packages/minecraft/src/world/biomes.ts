import type { GameData } from "../game/data.ts";
import type { PacketNbt } from "./nbt.ts";

const BIOMES = "minecraft:worldgen/biome";
const PLAINS = "minecraft:plains";

/** Data that clients get at the beginning: since 1.20.5 lists by name, before that NBT with numbers. */
interface Codec {
  readonly [BIOMES]?: { readonly entries: readonly { readonly key: string }[] };
  readonly value?: { readonly [BIOMES]: PacketNbt };
}

interface OldBiome {
  readonly name: { readonly value: string };
  readonly id: { readonly value: number };
}

function biomesIn(codec: Codec | undefined): ReadonlyMap<string, number> {
  const list = codec?.[BIOMES]?.entries;
  if (list !== undefined) return new Map(list.map(({ key }, i) => [key, i]));
  const old = (codec?.value?.[BIOMES].value.value.value.value ?? []) as readonly OldBiome[];
  return new Map(old.map(({ name, id }) => [name.value, id.value]));
}

/** Numbers of biomes for viewers of a version. */
export class ViewerBiomes {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #plains: number;

  constructor({ raw }: GameData) {
    this.#numbers = biomesIn((raw.loginPacket as { dimensionCodec?: unknown }).dimensionCodec as Codec | undefined);
    this.#plains = this.#numbers.get(PLAINS) ?? 0;
  }

  /** Plains stands for an unknown biome. */
  numberOf(name: string): number {
    return this.#numbers.get(name) ?? this.#plains;
  }
}
