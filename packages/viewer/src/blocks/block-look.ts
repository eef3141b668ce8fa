/** Colours of materials, by the words of a block's name; the first that fits. Others get one of their own by name. */
const MATERIALS: readonly (readonly [word: string, color: string])[] = [
  ["_ore", "#86847f"],
  ["cherry_leaves", "#e8b6cf"],
  ["leaves", "#4d8a35"],
  ["emerald", "#2ecc71"],
  ["gold", "#f5cd2f"],
  ["diamond", "#5fe0d8"],
  ["redstone_lamp", "#e8a94f"],
  ["redstone", "#c0281c"],
  ["glowstone", "#f0c878"],
  ["sea_lantern", "#c9e6dd"],
  ["lapis", "#2450b8"],
  ["iron", "#d9d9d9"],
  ["quartz", "#ece6de"],
  ["birch", "#d7c48a"],
  ["spruce", "#7a5a34"],
  ["dark_oak", "#4c331a"],
  ["jungle", "#a6764c"],
  ["acacia", "#b1623a"],
  ["oak", "#b08d55"],
  ["planks", "#b08d55"],
  ["log", "#6b5231"],
  ["mangrove", "#76362f"],
  ["cherry", "#e3b3ad"],
  ["bamboo", "#c3ab4f"],
  ["crimson", "#7c2f45"],
  ["warped", "#2f8583"],
  ["hay", "#c4a61c"],
  ["cactus", "#5a8a2f"],
  ["podzol", "#6a4a2b"],
  ["mycelium", "#6f6265"],
  ["mud", "#46424a"],
  ["clay", "#9ea4b0"],
  ["grass", "#6fae47"],
  ["moss", "#5f7d33"],
  ["dirt", "#866043"],
  ["soul", "#54402f"],
  ["sandstone", "#ddd1a0"],
  ["sand", "#e0d6a2"],
  ["gravel", "#8a8583"],
  ["deepslate", "#4f4f55"],
  ["obsidian", "#241a35"],
  ["netherrack", "#753131"],
  ["nether_brick", "#3b1f25"],
  ["blackstone", "#2f2a33"],
  ["basalt", "#4f4f55"],
  ["magma", "#a0481c"],
  ["bedrock", "#4a4a4a"],
  ["andesite", "#8a8a8b"],
  ["diorite", "#c9c9c9"],
  ["granite", "#9a6b58"],
  ["tuff", "#6c6d66"],
  ["calcite", "#dfe0dc"],
  ["amethyst", "#8a66c0"],
  ["copper", "#c06a4d"],
  ["coal", "#33343a"],
  ["furnace", "#7d7d7d"],
  ["bookshelf", "#a0814f"],
  ["chest", "#a5772f"],
  ["table", "#9a6c3f"],
  ["pumpkin", "#c8781a"],
  ["melon", "#7aa22b"],
  ["torch", "#f5d78a"],
  ["lantern", "#e8a94f"],
  ["stone", "#8c8c8c"],
  ["brick", "#9a5443"],
  ["prismarine", "#63a294"],
  ["purpur", "#a97ba9"],
  ["ice", "#93b8f5"],
  ["snow", "#f4fafa"],
  ["water", "#3f76e4"],
  ["lava", "#e0641c"],
  ["slime", "#79c865"],
  ["honey", "#f0a630"],
  ["glass", "#c6e6ee"],
  ["white", "#e9ecec"],
  ["light_gray", "#9d9d97"],
  ["light_blue", "#3aafd9"],
  ["gray", "#54595c"],
  ["black", "#1f2025"],
  ["brown", "#835432"],
  ["red", "#b02e26"],
  ["orange", "#f07613"],
  ["yellow", "#f8c527"],
  ["lime", "#70b919"],
  ["green", "#5e7c16"],
  ["cyan", "#158991"],
  ["blue", "#35399d"],
  ["purple", "#792aac"],
  ["magenta", "#bd44b3"],
  ["pink", "#ed8dac"],
  ["terracotta", "#985e44"],
  ["mushroom", "#a9866a"],
  ["poppy", "#d03a2a"],
  ["dandelion", "#f5d33a"],
];

/** How a block looks; null for one that is not seen. */
export interface BlockLook {
  /** Red, green and blue from 0 to 1, linear. */
  readonly color: readonly [number, number, number];
  /** Where it begins and how high it is, of a metre. */
  readonly from: number;
  readonly height: number;
  /** Metres from the sides of its place to its own. */
  readonly inset: number;
  /** Whether one sees through it. */
  readonly isClear: boolean;
  /** Whether it has holes through which others are seen; absent: it has none. */
  readonly isOpen?: boolean;
  /** Layers of pictures on its six faces, in the order of `WAYS` (0: none), and what they are multiplied with. */
  readonly skin?: {
    readonly layers: readonly number[];
    readonly tints: readonly (readonly [number, number, number])[];
  };
  /** It is two squares that cross, with that layer, and no box. */
  readonly cross?: number;
}

type Shape = Pick<BlockLook, "from" | "height" | "inset">;

const UNSEEN =
  /^(|air|cave_air|void_air|barrier|light|structure_void|moving_piston|(short_|tall_|tall_sea|sea)?grass|(large_)?fern|([a-z]+_)?vines?(_plant)?|glow_lichen|sculk_vein|tripwire|end_gateway|bubble_column|hanging_roots)$/;
const CLEAR = /glass|^water$|^ice$|frosted_ice|slime_block|honey_block|nether_portal/;
/** A metre in sixteenths: that is how the game's shapes are measured. */
const PX = 1 / 16;
const CUBE: Shape = { from: 0, height: 1, inset: 0 };
const POST: Shape = { from: 0, height: 1, inset: 6 * PX };
const PLATE: Shape = { from: 0, height: PX, inset: 0 };

/** Shapes that are no cubes, by the words of a name; the first that fits. Each is one box. */
const SHAPES: readonly (readonly [word: RegExp, shape: Shape])[] = [
  [/carpet|pressure_plate|rail$|redstone_wire|lily_pad|pink_petals|wildflowers|leaf_litter/, PLATE],
  [/repeater|comparator/, { from: 0, height: 2 * PX, inset: 0 }],
  [/trapdoor/, { from: 0, height: 3 * PX, inset: 0 }],
  [/daylight_detector/, { from: 0, height: 6 * PX, inset: 0 }],
  [/_bed$|stonecutter/, { from: 0, height: 9 * PX, inset: 0 }],
  [/enchanting_table|end_portal_frame/, { from: 0, height: 12 * PX, inset: 0 }],
  [/farmland|dirt_path/, { from: 0, height: 15 * PX, inset: 0 }],
  [/(^|_)chest$|^cactus$/, { from: 0, height: 14 * PX, inset: PX }],
  [/^cake$/, { from: 0, height: 8 * PX, inset: PX }],
  [/_head$|_skull$|flower_pot|potted_|sea_pickle|_egg$|candle$|conduit/, { from: 0, height: 0.5, inset: 4 * PX }],
  [/lantern$/, { from: 0, height: 9 * PX, inset: 5 * PX }],
  [/button|lever|tripwire_hook|ladder|_wall_sign|wall_banner/, { from: 6 * PX, height: 4 * PX, inset: 6 * PX }],
  [/sign$|banner$|armor_stand|brewing_stand|bell$|lectern|grindstone/, { from: 0, height: 14 * PX, inset: 5 * PX }],
  [
    /torch|sapling|flower|tulip|orchid|allium|bluet|daisy|dandelion|poppy|lilac|peony|rose_bush|cornflower|_bush$|mushroom$|fungus$|_roots$|sprouts|wheat|carrots|potatoes|beetroots|nether_wart$|_stem$|sugar_cane|bamboo$|kelp|coral(_fan)?$|pointed_dripstone|amethyst_(bud|cluster)|propagule|dead_bush|eyeblossom/,
    { from: 0, height: 0.5, inset: 6 * PX },
  ],
  [/fence|_wall$|_pane$|iron_bars|chain$|_door$|end_rod|lightning_rod|scaffolding|cocoa/, POST],
];

const known = new Map<string, BlockLook | null>();

/** By a name such as `minecraft:oak_slab[type=top]`. */
export function blockLook(kind: string): BlockLook | null {
  let look = known.get(kind);
  if (look === undefined) {
    look = lookOf(kind);
    known.set(kind, look);
  }
  return look;
}

function lookOf(kind: string): BlockLook | null {
  const [name = "", properties = ""] = kind.replace(/^[\w.-]+:/, "").split("[");
  if (UNSEEN.test(name)) return null;
  const found = MATERIALS.find(([word]) => name.includes(word));
  const own = found === undefined ? ofHue((hash(name) % 360) / 360) : linear(found[1]);
  const isLit = properties.includes("lit=true");
  const color = own.map((part) => (isLit ? part + 0.35 * (1 - part) : part)) as [number, number, number];
  return { color, ...shapeOf(name, properties), isClear: CLEAR.test(name) };
}

function shapeOf(name: string, properties: string): Shape {
  const isAbove = /type=top|half=top/.test(properties);
  if (name.endsWith("slab"))
    return properties.includes("type=double") ? CUBE : { from: isAbove ? 0.5 : 0, height: 0.5, inset: 0 };
  if (name === "snow") {
    const [, layers] = /layers=(\d)/.exec(properties) ?? [];
    return { from: 0, height: Math.min(8, Number(layers ?? 1)) / 8, inset: 0 };
  }
  // what the tree is of, and what the nether's trees are
  if (/^(stripped_)?(crimson|warped)_stem$|^mushroom_stem$/.test(name)) return CUBE;
  const shape = SHAPES.find(([words]) => words.test(name))?.[1] ?? CUBE;
  return isAbove && name.includes("trapdoor") ? { ...shape, from: 1 - shape.height } : shape;
}

/** Of `#rrggbb`. */
function linear(text: string): number[] {
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(text.slice(at, at + 2), 16) / 255;
    return part < 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
}

/** Neither bright nor dark, and rather grey. */
function ofHue(hue: number): number[] {
  return [0, 1 / 3, 2 / 3].map((shift) => {
    const away = Math.abs(((((hue - shift + 0.5) % 1) + 1) % 1) - 0.5);
    return 0.325 + 0.35 * Math.min(1, Math.max(0, 2 - 6 * away));
  });
}

function hash(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) >>> 0;
  return sum;
}
