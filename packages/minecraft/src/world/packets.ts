import { ByteBuilder, writeVarint } from "simtape/kit";
import type { BlockEntity, WorldChunk, WorldSection } from "simtape/world";
import type { GameData } from "../game/data.ts";
import type { Packet } from "../game/packet.ts";
import { ViewerBiomes } from "./biomes.ts";
import { blockEntityNumbers, blockEntityOf } from "./block-entities.ts";
import { nbtBytes, type PacketNbt, packetNbt } from "./nbt.ts";
import {
  AIR,
  EMPTY,
  hasBiomesInSections,
  isAir,
  OLD_SECTIONS,
  oldSectionsIn,
  sectionsIn,
  SectionWriter,
} from "./sections.ts";

/** A chunk by its numbers: the position of its blocks, divided by 16. */
export interface PlacedChunk {
  readonly x: number;
  readonly z: number;
  readonly chunk: WorldChunk;
}

/** Fields of `map_chunk`, as minecraft-data names them. */
interface MapChunk {
  readonly x: number;
  readonly z: number;
  readonly groundUp?: boolean;
  readonly bitMap?: unknown;
  readonly biomes?: readonly number[];
  readonly chunkData: Uint8Array;
  readonly blockEntities: readonly unknown[];
}

interface OldEntity {
  readonly value: Readonly<Record<"id" | "x" | "y" | "z", PacketNbt | undefined>>;
}

interface NewEntity {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly nbtData?: PacketNbt | null;
}

/** Members of a block entity for its kind and position. */
export const PLACED: readonly string[] = ["id", "x", "y", "z", "keepPacked"];
/** The lowest section when the world extends below zero, and the number of sections then. */
const DEEP = -4;
const DEEP_SECTIONS = 24;
/** Light of a section with full daylight, two blocks in a byte. */
const DAY = new Uint8Array(2048).fill(0xff);
/** A viewer does not use its 16 numbers for each column of blocks: it counts the shown blocks itself. */
const NO_HEIGHTS = new Array(36).fill([0, 0]);

/**
 * The chunk of a packet `map_chunk`; null: it is incomplete, or of 1.17, which counts sections in another way. Since
 * 1.18 a chunk of 24 sections begins 64 blocks below zero, and every other at zero. Throws `LayoutError` for data that
 * is no chunk.
 */
export function chunkIn(data: GameData, params: object): PlacedChunk | null {
  const { x, z, groundUp, bitMap, biomes, chunkData, blockEntities } = params as MapChunk;
  const isNew = hasBiomesInSections(data);
  if (!isNew && (groundUp !== true || typeof bitMap !== "number")) return null;
  const sections = isNew
    ? sectionsIn(data, chunkData)
    : oldSectionsIn(data, chunkData, bitMap as number, biomes?.length === OLD_SECTIONS * 64 ? biomes : null);
  const minSection = isNew && sections.length === DEEP_SECTIONS ? DEEP : 0;
  const entities = isNew
    ? newEntities(blockEntities as readonly NewEntity[], sections, minSection)
    : oldEntities(blockEntities as readonly OldEntity[]);
  return { x, z, chunk: { dataVersion: data.dataVersion, minSection, sections, blockEntities: entities } };
}

/** Makes packets of chunks of any version, for viewers of one version: before 1.17, or since 1.18. */
export class ChunkPackets {
  readonly #data: GameData;
  readonly #writer: SectionWriter;
  readonly #biomes: ViewerBiomes;
  readonly #entityNumbers: ReadonlyMap<string, number>;

  /** `unknown` gets the names of blocks that the version does not have; other blocks stand for them. */
  constructor(data: GameData, unknown: Set<string>) {
    this.#data = data;
    this.#biomes = new ViewerBiomes(data);
    this.#entityNumbers = blockEntityNumbers(data.protocol);
    this.#writer = new SectionWriter(data, this.#biomes, (name) => {
      unknown.add(name);
      return data.placeholder;
    });
  }

  of({ x, z, chunk }: PlacedChunk): Packet[] {
    return hasBiomesInSections(this.#data) ? this.#new(x, z, chunk) : this.#old(x, z, chunk);
  }

  #old(x: number, z: number, chunk: WorldChunk): Packet[] {
    const sections = Array.from({ length: OLD_SECTIONS }, (_, i) => sectionAt(chunk, i));
    const body = new ByteBuilder(16384);
    let bitMap = 0;
    for (const [i, section] of sections.entries()) {
      if (isAir(section)) continue;
      bitMap |= 1 << i;
      this.#writer.write(body, section);
    }
    const biomes = sections.flatMap((section) => {
      const { palette, indices } = this.#writer.biomeNumbers(section.biomes);
      return Array.from({ length: 64 }, (_, i) => palette[indices?.[i] ?? 0]!);
    });
    const heightmaps = {
      type: "compound",
      name: "",
      value: { MOTION_BLOCKING: { type: "longArray", value: NO_HEIGHTS } },
    };
    const blockEntities = chunk.blockEntities
      .filter(({ y }) => y >= 0 && y < 16 * OLD_SECTIONS)
      .map((entity) => {
        const { x: dx, y, z: dz, kind } = entity;
        const place = { id: text(kind), x: int(16 * x + dx), y: int(y), z: int(16 * z + dz) };
        return { type: "compound", name: "", value: { ...this.#contents(entity, chunk), ...place } };
      });
    const map = {
      x,
      z,
      groundUp: true,
      bitMap,
      heightmaps,
      biomes,
      chunkData: Buffer.from(body.take()),
      blockEntities,
    };
    const data = new ByteBuilder((OLD_SECTIONS + 2) * 2050);
    for (let i = 0; i < OLD_SECTIONS + 2; i++) {
      writeVarint(data, DAY.length);
      data.raw(DAY);
    }
    const all = (1 << (OLD_SECTIONS + 2)) - 1;
    const masks = { skyLightMask: all, blockLightMask: 0, emptySkyLightMask: 0, emptyBlockLightMask: all };
    const light = { chunkX: x, chunkZ: z, trustEdges: true, ...masks, data: Buffer.from(data.take()) };
    return [
      ["update_light", light],
      ["map_chunk", map],
    ];
  }

  #new(x: number, z: number, chunk: WorldChunk): Packet[] {
    const body = new ByteBuilder(16384);
    for (let i = DEEP; i < DEEP + DEEP_SECTIONS; i++) this.#writer.write(body, sectionAt(chunk, i));
    const blockEntities = chunk.blockEntities.flatMap((entity) => {
      const type = this.#entityNumbers.get(entity.kind);
      if (type === undefined || entity.y < 16 * DEEP || entity.y >= 16 * (DEEP + DEEP_SECTIONS)) return [];
      const nbtData = { type: "compound", name: "", value: this.#contents(entity, chunk) };
      return [{ x: entity.x, y: entity.y, z: entity.z, type, nbtData }];
    });
    const heightmaps = { type: "compound", name: "", value: {} };
    const all = [[0, 2 ** (DEEP_SECTIONS + 2) - 1]];
    const masks = { skyLightMask: all, blockLightMask: [], emptySkyLightMask: [], emptyBlockLightMask: all };
    const light = { trustEdges: true, ...masks, skyLight: new Array(DEEP_SECTIONS + 2).fill(DAY), blockLight: [] };
    return [["map_chunk", { x, z, heightmaps, chunkData: Buffer.from(body.take()), blockEntities, ...light }]];
  }

  /** The content of a block entity has a meaning only in its own version. */
  #contents({ nbt }: BlockEntity, { dataVersion }: WorldChunk): object {
    return dataVersion === this.#data.dataVersion ? (packetNbt(nbt).value as object) : {};
  }
}

/** The name of a block of a chunk, at a place in the chunk; null: the chunk has no such height. */
export function blockAt({ minSection, sections }: WorldChunk, x: number, y: number, z: number): string | null {
  const blocks = sections[Math.floor(y / 16) - minSection]?.blocks;
  if (blocks === undefined) return null;
  return blocks.palette[blocks.indices?.[((y & 15) << 8) | (z << 4) | x] ?? 0]!;
}

function sectionAt({ minSection, sections }: WorldChunk, y: number): WorldSection {
  return sections[y - minSection] ?? EMPTY;
}

function oldEntities(given: readonly OldEntity[]): BlockEntity[] {
  return given.flatMap((entity) => {
    const { id, x, y, z } = entity.value;
    if ([x, y, z].some((of) => typeof of?.value !== "number") || typeof id?.value !== "string") return [];
    const kind = id.value.includes(":") ? id.value : `minecraft:${id.value}`;
    const nbt = nbtBytes(entity as unknown as PacketNbt, PLACED);
    return [{ x: x!.value & 15, y: y!.value, z: z!.value & 15, kind, nbt }];
  });
}

/** Numbers of kinds differ between versions: the block decides the kind. */
function newEntities(
  given: readonly NewEntity[],
  sections: readonly WorldSection[],
  minSection: number,
): BlockEntity[] {
  const chunk = { dataVersion: 0, minSection, sections, blockEntities: [] };
  return given.flatMap(({ x, y, z, nbtData }) => {
    const kind = blockEntityOf(blockAt(chunk, x, y, z) ?? AIR);
    if (kind === null) return [];
    const empty: PacketNbt = { type: "compound", value: {} };
    return [{ x, y, z, kind, nbt: nbtBytes(nbtData ?? empty, PLACED) }];
  });
}

function int(value: number): PacketNbt {
  return { type: "int", value };
}

function text(value: string): PacketNbt {
  return { type: "string", value };
}
