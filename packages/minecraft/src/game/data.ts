import minecraftData from "minecraft-data";
import { otherNames, type Renamed } from "./renamed.ts";

/** A state of a block in the form of simtape: `minecraft:oak_stairs[facing=north,half=top]`. */
export type BlockName = string;

/** Stands for a block that a version does not have. */
const PLACEHOLDER = "magenta_wool";
const NAMESPACE = "minecraft:";

type Data = minecraftData.IndexedData;
type Block = minecraftData.IndexedBlock;
type ByProtocol = Readonly<Record<number, readonly { readonly minecraftVersion: string }[]>>;
type Property = NonNullable<Block["states"]>[number];

/** Names and numbers of one version of the game. Numbers have no meaning in another version; names mostly do. */
export class GameData {
  readonly version: string;
  readonly protocol: number;
  readonly dataVersion: number;
  readonly raw: Data;
  readonly #states = new Map<BlockName, number | null>();
  readonly #names: (BlockName | undefined)[] = [];
  readonly #entityNames = new Map<number, string>();
  readonly #biomes: (string | undefined)[] = [];

  private constructor(raw: Data) {
    this.raw = raw;
    this.version = raw.version.minecraftVersion!;
    this.protocol = raw.version.version!;
    this.dataVersion = raw.version.dataVersion!;
    for (const { id, name } of raw.entitiesArray) this.#entityNames.set(id, NAMESPACE + name);
  }

  static readonly #known = new Map<string, GameData>();

  /** Throws `RangeError` for an unknown version. */
  static of(version: string): GameData {
    const known = GameData.#known.get(version);
    if (known !== undefined) return known;
    // null for an unknown version, whatever its type says
    const raw = minecraftData(version);
    if (raw?.version.type !== "pc") throw new RangeError(`no version of the game: ${version}`);
    const made = new GameData(raw);
    GameData.#known.set(version, made);
    return made;
  }

  /** The version whose protocol has this number, as a client sends it; null: it is unknown. */
  static versionOf(protocol: number): string | null {
    // The types say one version; several may share a number.
    const versions = minecraftData.postNettyVersionsByProtocolVersion.pc as unknown as ByProtocol;
    return versions[protocol]?.[0]?.minecraftVersion ?? null;
  }

  /** The number of the state that stands for an unknown block. */
  get placeholder(): number {
    return this.raw.blocksByName[PLACEHOLDER]!.defaultState!;
  }

  /**
   * The number of a state; missing properties have the values of the block's default state. Names of other versions are
   * understood, here and below. Null: the block does not exist.
   */
  stateOf(name: BlockName): number | null {
    let state = this.#states.get(name);
    if (state === undefined) {
      state = this.#find(name);
      this.#states.set(name, state);
    }
    return state;
  }

  /** The name of a state with all of its properties, in the game's order. Null: the number does not exist. */
  nameOf(state: number): BlockName | null {
    const known = this.#names[state];
    if (known !== undefined) return known;
    const block = this.raw.blocksByStateId[state];
    if (block === undefined) return null;
    const properties = (block.states ?? []).map((property, i, all) => {
      const index = Math.floor((state - block.minStateId!) / sizeOf(all.slice(i + 1))) % property.num_values;
      return `${property.name}=${valuesOf(property)[index]}`;
    });
    const name = NAMESPACE + block.name + (properties.length === 0 ? "" : `[${properties.join(",")}]`);
    this.#names[state] = name;
    return name;
  }

  /** The number of a kind of thing, such as `minecraft:bat`; null: it does not exist. */
  kindOf(name: string): number | null {
    return this.#entry("kinds", this.raw.entitiesByName, name)?.id ?? null;
  }

  /** The kind with this number, such as `minecraft:bat`. */
  kindName(kind: number): string | null {
    return this.#entityNames.get(kind) ?? null;
  }

  /** The number of an item; null: it does not exist. */
  itemOf(name: string): number | null {
    return this.#entry("items", this.raw.itemsByName, name)?.id ?? null;
  }

  /** Names of biomes by number, for a server that has no biomes of its own. */
  get biomes(): readonly (string | undefined)[] {
    if (this.#biomes.length === 0) for (const { id, name } of this.raw.biomesArray) this.#biomes[id] = NAMESPACE + name;
    return this.#biomes;
  }

  itemName(item: number): string | null {
    const found = this.raw.items[item];
    return found === undefined ? null : NAMESPACE + found.name;
  }

  #entry<T>(of: keyof Renamed, table: Readonly<Record<string, T>>, name: string): T | undefined {
    const own = plain(name);
    if (Object.hasOwn(table, own)) return table[own];
    const other = otherNames(of, own).find((one) => Object.hasOwn(table, one));
    return other === undefined ? undefined : table[other];
  }

  #find(name: BlockName): number | null {
    const [, id, written = ""] = /^(?:minecraft:)?([^[\]]+)(?:\[(.*)\])?$/.exec(name) ?? [];
    const block = id === undefined ? undefined : this.#entry("blocks", this.raw.blocksByName, id);
    if (block === undefined) return null;
    const properties = block.states ?? [];
    const wanted = new Map(written.split(",").map((pair) => pair.split("=", 2) as [string, string]));
    let state = block.minStateId!;
    for (const [i, property] of properties.entries()) {
      const size = sizeOf(properties.slice(i + 1));
      const usual = Math.floor((block.defaultState! - block.minStateId!) / size) % property.num_values;
      const index = valuesOf(property).indexOf(wanted.get(property.name) ?? "");
      state += size * (index < 0 ? usual : index);
    }
    return state;
  }
}

/** The first property is the most significant. */
function sizeOf(properties: readonly Property[]): number {
  return properties.reduce((size, { num_values: count }) => size * count, 1);
}

function valuesOf({ type, values, num_values: count }: Property): readonly string[] {
  if (type === "bool") return ["true", "false"];
  return (values as readonly string[] | undefined) ?? Array.from({ length: count }, (_, i) => String(i));
}

function plain(name: string): string {
  return name.startsWith(NAMESPACE) ? name.slice(NAMESPACE.length) : name;
}
