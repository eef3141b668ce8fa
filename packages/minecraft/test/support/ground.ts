import minecraftData from "minecraft-data";
import { type Column, columnOf } from "./column.ts";

interface Params {
  readonly x: number;
  readonly z: number;
  readonly chunkX: number;
  readonly chunkZ: number;
  readonly chunkData: Buffer;
  readonly bitMap?: number;
  readonly location: { readonly x: number; readonly y: number; readonly z: number };
  readonly type: number;
}

interface Loaded {
  readonly params: Params;
  /** Loaded when it is looked at. */
  column: Column | null;
  readonly edits: Map<string, number>;
}

/** The blocks that a client has: chunks as prismarine-chunk reads them, and what was changed in those since. */
export class Ground {
  readonly #version: string;
  readonly #chunks = new Map<string, Loaded>();

  constructor(version: string) {
    this.#version = version;
  }

  hear(name: string, given: object): void {
    const params = given as Params;
    if (name === "map_chunk") this.#chunks.set(`${params.x},${params.z}`, { params, column: null, edits: new Map() });
    else if (name === "unload_chunk") this.#chunks.delete(`${params.chunkX},${params.chunkZ}`);
    else if (name === "block_change") {
      const { x, y, z } = params.location;
      this.#chunkAt(x, z)?.edits.set(`${x},${y},${z}`, params.type);
    }
  }

  /** The number of a state; null: no chunk is there. */
  stateAt(x: number, y: number, z: number): number | null {
    const chunk = this.#chunkAt(x, z);
    if (chunk === undefined) return null;
    if (chunk.column === null) {
      chunk.column = columnOf(this.#version);
      const { chunkData, bitMap } = chunk.params;
      if (bitMap === undefined) chunk.column.load(chunkData);
      else chunk.column.load(chunkData, bitMap);
    }
    return chunk.edits.get(`${x},${y},${z}`) ?? chunk.column.getBlockStateId({ x: x & 15, y, z: z & 15 });
  }

  /** As `stone`; null: no chunk is there. */
  nameAt(x: number, y: number, z: number): string | null {
    const state = this.stateAt(x, y, z);
    return state === null ? null : minecraftData(this.#version).blocksByStateId[state]!.name;
  }

  #chunkAt(x: number, z: number): Loaded | undefined {
    return this.#chunks.get(`${Math.floor(x / 16)},${Math.floor(z / 16)}`);
  }
}
