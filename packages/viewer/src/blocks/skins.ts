import { type BlockLook, blockLook } from "./block-look.ts";

/** Textures of the six faces of a block, in the order of `WAYS`: -x, +x, -y, +y, -z, +z. */
export type SixFaces = readonly [string, string, string, string, string, string];

/** What a state of a block wears. */
export interface StateSkin {
  /** Properties that the state has; none: all states have it. */
  readonly when: readonly (readonly [name: string, value: string])[];
  readonly faces: SixFaces | null;
  /** Of a plant: the texture of two squares that cross. */
  readonly cross: string | null;
}

/** Textures of blocks, as a resource pack has them. */
export interface BlockSkins {
  /** Layers of the pictures, from 1 on, by names of textures: `minecraft:block/stone`. */
  readonly layers: ReadonlyMap<string, number>;
  /** Of those, which have holes: pixels that nothing is seen of. */
  readonly holed: ReadonlySet<string>;
  /** What blocks wear by their states: `minecraft:stone`. A block that is missing is skinned by the names of textures. */
  readonly states: ReadonlyMap<string, readonly StateSkin[]>;
}

/** The pictures of a pack, which lie one over another. */
export interface SkinPictures {
  /** Pixels along each side. */
  readonly side: number;
  readonly count: number;
  /** Red, green, blue and opacity, the lowest row of each picture first. */
  readonly pixels: Uint8Array<ArrayBuffer>;
}

/** Of textures that the game colours by the place. */
const TINTED = /^(short_|tall_)?grass$|^(large_)?fern$|_leaves$|(^|_)vine$|^water$|^lily_pad$|^sugar_cane$|_stem$/;
const OWN_COLOR = /^(cherry|azalea|flowering_azalea|pale_oak)_leaves$|^(crimson|warped|mushroom)_stem$/;
const WHITE = [1, 1, 1] as const;
/** What is flat in the middle of a block. */
const PLANT =
  /sapling|tulip|orchid|allium|bluet|daisy|dandelion|poppy|cornflower|lily_of_the_valley|wither_rose|mushroom$|fungus$|_roots$|sprouts|^dead_bush$|^(short_|tall_)?grass$|^(large_)?fern$|sugar_cane|^(wheat|carrots|potatoes|beetroots|nether_wart)$|coral$|kelp|seagrass|cobweb|propagule|eyeblossom|_bush$/;
/** Blocks of which others are made, by the end of a name. */
const MADE_OF = /_(slab|stairs|wall|fence|fence_gate|button|pressure_plate|carpet)$/;

const FACES_OF = { west: 0, east: 1, down: 2, up: 3, north: 4, south: 5 } as const;

/** How a state looks with these skins; without a texture for it as it looks without skins. Null: it is not seen. */
export function skinnedLook(kind: string, skins: BlockSkins): BlockLook | null {
  const [id = "", list = ""] = kind.replace("]", "").split("[");
  const name = id.replace(/^[\w.-]+:/, "");
  const properties = new Map(list.split(",").map((pair) => pair.split("=") as [string, string]));
  const plain = blockLook(kind);
  const states = skins.states.get(id);
  const fits = ({ when }: StateSkin): boolean => when.every(([key, value]) => properties.get(key) === value);
  const skin = states?.find(fits) ?? (states === undefined ? byName(id, name, properties, skins) : null);
  if (skin === null) return plain;
  const isTinted = TINTED.test(name) && !OWN_COLOR.test(name);
  // what is not seen without a texture has the colour of grass
  const color = plain?.color ?? blockLook("minecraft:grass_block")!.color;
  if (skin.cross !== null) {
    const layer = skins.layers.get(skin.cross);
    if (layer === undefined) return plain;
    const tint = isTinted ? color : WHITE;
    return { color: tint, from: 0, height: 1, inset: 0, isClear: false, cross: layer, isOpen: true };
  }
  const layers = skin.faces!.map((texture) => skins.layers.get(texture) ?? 0);
  if (plain === null || layers.every((layer) => layer === 0)) return plain;
  const isOpen = skin.faces!.some((texture) => skins.holed.has(texture));
  // of grass only what is above is coloured by the place
  const isGrass = name === "grass_block";
  const tints = WAYS_OF.map((way) => (isTinted || (isGrass && way === FACES_OF.up) ? color : WHITE));
  return { ...plain, skin: { layers, tints }, isOpen };
}

const WAYS_OF = Object.values(FACES_OF);

/** By what packs without models call their textures: `oak_log`, `oak_log_top`, `furnace_front`. */
function byName(
  id: string,
  name: string,
  properties: ReadonlyMap<string, string>,
  { layers }: BlockSkins,
): StateSkin | null {
  const space = id.includes(":") ? id.slice(0, id.indexOf(":")) : "minecraft";
  const find = (...names: readonly string[]): string | undefined =>
    names.map((one) => `${space}:block/${one}`).find((texture) => layers.has(texture));
  if (PLANT.test(name)) {
    const half = properties.get("half") === "upper" ? "top" : "bottom";
    const cross = find(`${name}_${half}`, name, `${name}_stage${properties.get("age") ?? 0}`);
    return cross === undefined ? null : { when: [], faces: null, cross };
  }
  const base = name.replace(MADE_OF, "");
  const isWhole = base === name;
  const names = isWhole ? [name] : [name, base, `${base}s`, `${base}_planks`, `${base}_wool`, `${base}_block`];
  const still = find(`${name}_still`);
  const side = find(...names.flatMap((one) => [`${one}_side`, one])) ?? still;
  const top = find(...names.flatMap((one) => [`${one}_top`, `${one}_end`])) ?? side;
  if (side === undefined || top === undefined) return null;
  const below = name === "grass_block" ? find("dirt") : find(`${name}_bottom`);
  const bottom = below ?? top;
  const front = find(properties.get("lit") === "true" ? `${name}_front_on` : "", `${name}_front`);
  const faces = [side, side, bottom, top, side, side];
  if (properties.get("axis") === "x") faces.splice(0, 6, top, top, side, side, side, side);
  if (properties.get("axis") === "z") faces.splice(0, 6, side, side, side, side, top, top);
  const facing = FACES_OF[properties.get("facing") as keyof typeof FACES_OF] ?? FACES_OF.north;
  if (front !== undefined) faces[facing] = front;
  return { when: [], faces: faces as unknown as SixFaces, cross: null };
}
