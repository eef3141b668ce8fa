import { createRequire } from "node:module";
import minecraftData from "minecraft-data";
export { regionFile, type Slot } from "../../../demo/src/region-file.ts";
import { NBT, type NbtCompound, nbtCompound, type NbtTag, nbtText, writeNbt } from "simtape/kit";
import type { Column } from "./column.ts";

const load = createRequire(import.meta.url);

/** A folder of region files as prismarine-provider-anvil has it. */
export interface Anvil {
  load(x: number, z: number): Promise<Column>;
  loadRaw(x: number, z: number): Promise<object | null>;
  save(x: number, z: number, column: Column): Promise<void>;
  close(): Promise<unknown>;
}

interface Nbt {
  simplify(tag: object): object;
  parseUncompressed(bytes: Buffer): object;
}

interface StateReader {
  fromStateId(state: number, biome: number): { name: string; getProperties(): Readonly<Record<string, unknown>> };
}

export function anvilOf(version: string, folder: string): Anvil {
  const { Anvil } = load("prismarine-provider-anvil") as {
    Anvil: (version: string) => new (folder: string) => Anvil;
  };
  return new (Anvil(version))(folder);
}

/** What NBT says, as prismarine-nbt reads it. `bytes` have no name of their root. */
export function nbtAsSeen(bytes: Uint8Array): object {
  return simplified(
    (load("prismarine-nbt") as Nbt).parseUncompressed(
      Buffer.concat([bytes.subarray(0, 1), Buffer.alloc(2), bytes.subarray(1)]),
    ),
  );
}

export function simplified(tag: object): object {
  return (load("prismarine-nbt") as Nbt).simplify(tag);
}

/** Names of states with their properties, as prismarine-block says them. */
export function namesOf(version: string): (state: number) => string {
  const block = (load("prismarine-block") as (version: string) => StateReader)(version);
  const known: string[] = [];
  return (state) => {
    known[state] ??= textOf(block.fromStateId(state, 0));
    return known[state];
  };
}

/** All states of a version, by number. */
export function statesOf(version: string): number {
  return Math.max(...minecraftData(version).blocksArray.map(({ maxStateId }) => maxStateId!)) + 1;
}

function textOf(block: ReturnType<StateReader["fromStateId"]>): string {
  const pairs = Object.entries(block.getProperties()).map(([key, value]) => `${key}=${String(value)}`);
  return `minecraft:${block.name}${pairs.length === 0 ? "" : `[${pairs.sort().join(",")}]`}`;
}

export function int(value: number): NbtTag {
  return { type: NBT.int, value };
}

export function listOf(...items: readonly NbtTag[]): NbtTag {
  return { type: NBT.list, itemType: items[0]?.type ?? NBT.end, items };
}

/** Numbers one behind the other in one long number, low bits first; `spans`: without gaps at the ends of longs. */
export function packed(values: readonly number[], bits: number, spans: boolean): NbtTag {
  const each = spans ? 64 / bits : Math.floor(64 / bits);
  const longs = new BigInt64Array(Math.ceil(values.length / each));
  let bag = 0n;
  let held = 0;
  let at = 0;
  for (const value of values) {
    if (!spans && held + bits > 64) held = 64;
    bag |= BigInt(value) << BigInt(held);
    held += bits;
    while (held >= 64) {
      longs[at++] = BigInt.asIntN(64, bag);
      bag >>= 64n;
      held -= 64;
    }
  }
  if (held > 0) longs[at] = BigInt.asIntN(64, bag);
  return { type: NBT.longArray, value: longs };
}

export interface Flawed {
  readonly x?: number;
  readonly z?: number;
  readonly dataVersion?: number;
  readonly status?: string;
  readonly blocks?: readonly number[];
  readonly palette?: readonly string[];
  readonly spans?: boolean;
  readonly more?: Readonly<Record<string, NbtTag>>;
}

/** A chunk as region files have it until 1.17: one section at the height 2. */
export function oldChunk(of: Flawed): Uint8Array {
  const { x = 0, z = 0, dataVersion = 2586, status = "full", palette = ["minecraft:stone"], spans = false } = of;
  const { blocks = new Array<number>(4096).fill(0), more = {} } = of;
  const names = palette.map((name) => nbtCompound({ Name: nbtText(name) }));
  const bits = Math.max(4, Math.ceil(Math.log2(palette.length)));
  const section: NbtCompound = nbtCompound({
    Y: { type: NBT.byte, value: 2 },
    Palette: listOf(...names),
    BlockStates: packed(blocks, bits, spans),
  });
  const level = nbtCompound({
    xPos: int(x),
    zPos: int(z),
    Status: nbtText(status),
    Sections: listOf(section),
    ...more,
  });
  return writeNbt({ root: nbtCompound({ DataVersion: int(dataVersion), Level: level }), name: nbtText("") });
}
