import { BoxGeometry, type BufferGeometry, Color } from "three";
import { blockLook } from "../../blocks/block-look.ts";
import { Instances } from "../drawing/instances.ts";
import type { Look } from "../drawing/look.ts";
import { box, merged, shaded } from "./shapes.ts";

/** Names of items that are tools with a handle, and of those that are long. */
const TOOL = /_(pickaxe|axe|hoe|shovel)$|^mace$/;
const LONG =
  /_sword$|_spear$|^(stick|trident|bow|crossbow|fishing_rod|blaze_rod|bone|arrow|spyglass|brush|.*_on_a_stick)$/;
/** Of those that are blocks; all others are flat. */
const BLOCK =
  /(^|_)(block|ore|planks|log|wood|stem|hyphae|stone|cobblestone|bricks?|dirt|sand|sandstone|gravel|glass|wool|concrete|powder|terracotta|slab|stairs|leaves|obsidian|ice|deepslate|netherrack|basalt|blackstone|tuff|calcite|andesite|diorite|granite|quartz|purpur|prismarine|clay|mud|moss|sponge|furnace|chest|barrel|table|bookshelf|tnt|pumpkin|melon|cactus|glowstone|lantern|magma|shulker_box|jukebox|beacon|bedrock|snow)$/;
const HANDLE = [0.32, 0.2, 0.1] as const;
const SHADE = new Color();
const GREY = [0.6, 0.6, 0.6] as const;

/** What things have in their hands: small shapes in the colours of their names. */
export class Held {
  readonly #look: Look;
  readonly #cubes: Instances;
  readonly #plates: Instances;
  readonly #rods: Instances;
  readonly #tools: Instances;

  constructor(look: Look) {
    this.#look = look;
    const of = (geometry: BufferGeometry): Instances =>
      new Instances(geometry, look.material({ vertexColors: true, flatShading: true }));
    this.#cubes = of(shaded(new BoxGeometry(0.3, 0.3, 0.3).translate(0.15, -0.05, 0), 1));
    this.#plates = of(shaded(box(0.14, -0.02, 0, 0.3, 0.3, 0.04), 1));
    this.#rods = of(
      merged([shaded(box(0.42, 0, 0, 0.7, 0.1, 0.05), 1), shaded(box(0, 0, 0, 0.16, 0.07, 0.07), ...HANDLE)]),
    );
    this.#tools = of(
      merged([shaded(box(0.25, 0, 0, 0.66, 0.06, 0.06), ...HANDLE), shaded(box(0.54, 0, 0, 0.14, 0.4, 0.08), 1)]),
    );
  }

  get shapes(): readonly Instances[] {
    return [this.#cubes, this.#plates, this.#rods, this.#tools];
  }

  begin(): void {
    for (const shapes of this.shapes) shapes.begin();
  }

  /** Puts an item where a hand is, turned as the hand is. */
  put(item: string, place: Float64Array, turn: Float32Array): void {
    const shade = this.#look.paint(SHADE.setRGB(...(blockLook(item)?.color ?? GREY)));
    const [x, y, z, w] = turn as unknown as [number, number, number, number];
    this.#shapesOf(item).put(place[0]!, place[1]!, place[2]!, x, y, z, w, 1, 1, 1, shade);
  }

  end(): void {
    for (const shapes of this.shapes) shapes.end();
  }

  #shapesOf(item: string): Instances {
    const name = item.replace(/^[\w.-]+:/, "");
    if (TOOL.test(name)) return this.#tools;
    if (LONG.test(name)) return this.#rods;
    return BLOCK.test(name) ? this.#cubes : this.#plates;
  }
}
