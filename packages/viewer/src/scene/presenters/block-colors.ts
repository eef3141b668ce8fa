import { Color } from "three";

/** Colours of materials, by the words of a block's name; the first that fits. Others get one of their own by name. */
const MATERIALS: readonly (readonly [word: string, color: string])[] = [
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
  ["leaves", "#4d8a35"],
  ["grass", "#6fae47"],
  ["moss", "#5f7d33"],
  ["dirt", "#866043"],
  ["sandstone", "#ddd1a0"],
  ["sand", "#e0d6a2"],
  ["gravel", "#8a8583"],
  ["deepslate", "#4f4f55"],
  ["obsidian", "#241a35"],
  ["netherrack", "#753131"],
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
];

/** How a block looks; null for one that is not seen. */
export interface BlockLook {
  readonly color: Color;
  /** Where it begins and how high it is, of a metre. */
  readonly from: number;
  readonly height: number;
}

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
  if (/^(|air|cave_air|void_air|barrier|light|structure_void)$/.test(name)) return null;
  const found = MATERIALS.find(([word]) => name.includes(word));
  const color = found === undefined ? new Color().setHSL((hash(name) % 360) / 360, 0.35, 0.5) : new Color(found[1]);
  if (properties.includes("lit=true")) color.lerp(WHITE, 0.35);
  if (name.includes("slab") && !properties.includes("type=double")) {
    return { color, from: properties.includes("type=top") ? 0.5 : 0, height: 0.5 };
  }
  if (/carpet|pressure_plate/.test(name)) return { color, from: 0, height: 0.0625 };
  return { color, from: 0, height: 1 };
}

const WHITE = new Color("#ffffff");

function hash(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) >>> 0;
  return sum;
}
