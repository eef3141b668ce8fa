import { createRequire } from "node:module";
import { createDeserializer, createSerializer } from "minecraft-protocol";
import type { Packet } from "../../src/game/packet.ts";

const load = createRequire(import.meta.url);

interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A chunk as prismarine-chunk has it; its own types know nothing of versions. */
export interface Column {
  setBlockStateId(place: Place, state: number): void;
  getBlockStateId(place: Place): number;
  setBiome(place: Place, biome: number): void;
  getBiome(place: Place): number;
  getMask(): number;
  dump(): Buffer;
  load(bytes: Buffer, bitMap?: number): void;
  readonly biomes: readonly number[];
}

/** A chunk of nothing. */
export function columnOf(version: string): Column {
  const Chunk = (load("prismarine-chunk") as (version: string) => new () => Column)(version);
  return new Chunk();
}

/** `map_chunk` of a chunk. */
export function packetOf(version: string, column: Column, x: number, z: number): object {
  const heightmaps = { type: "compound", name: "", value: {} };
  if (version === "1.16.5") {
    const biomes = column.biomes.map((biome) => biome);
    const old = { groundUp: true, bitMap: column.getMask(), biomes, chunkData: column.dump(), blockEntities: [] };
    return { x, z, heightmaps, ...old };
  }
  const light = { skyLightMask: [], blockLightMask: [], emptySkyLightMask: [], emptyBlockLightMask: [] };
  return { x, z, heightmaps, chunkData: column.dump(), blockEntities: [], ...light, skyLight: [], blockLight: [] };
}

/** A packet as a client gets it. */
export function sent(version: string, [name, params]: Packet): Record<string, unknown> {
  const options = { state: "play" as never, version, customPackets: {} };
  const bytes = createSerializer({ ...options, isServer: true }).createPacketBuffer({ name, params }) as Buffer;
  const parser = createDeserializer({ ...options, isServer: false }) as unknown as {
    parsePacketBuffer(bytes: Buffer): { data: { name: string; params: Record<string, unknown> } };
  };
  return parser.parsePacketBuffer(bytes).data.params;
}
