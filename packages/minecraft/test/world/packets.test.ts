import fc from "fast-check";
import minecraftData from "minecraft-data";
import { LayoutError } from "simtape/kit";
import { decodeChunk, encodeChunk, type WorldChunk } from "simtape/world";
import { expect, test } from "vitest";
import { VERSIONS } from "../../src/scene/versions.ts";
import { GameData } from "../../src/game/data.ts";
import { blockEntityOf } from "../../src/world/block-entities.ts";
import { blockAt, ChunkPackets, chunkIn } from "../../src/world/packets.ts";
import { type Column, columnOf, packetOf, sent } from "../support/column.ts";

function emptyChunk(dataVersion: number, minSection: number, names: readonly string[]): WorldChunk {
  const sections = names.map((name) => ({ blocks: { palette: [name], indices: null }, biomes: null }));
  return { dataVersion, minSection, sections, blockEntities: [] };
}

/** Blocks of every kind of packing: one value, few, more than fit a palette. */
function filled(version: string): Column {
  const column = columnOf(version);
  const most = Math.max(...minecraftData(version).blocksArray.map(({ maxStateId }) => maxStateId!));
  let state = 1;
  for (let y = 0; y < 64; y++)
    for (let z = 0; z < 16; z++)
      for (let x = 0; x < 16; x++) {
        state = (state * 48271) % most;
        const some = [5, (x + z) % 3, x === 3 ? 9 + (y % 20) : 0, state];
        column.setBlockStateId({ x, y, z }, some[y >> 4]!);
      }
  return column;
}

test.each(VERSIONS)("%s: a chunk is read as prismarine-chunk writes it, and written as it reads it", (version) => {
  const data = GameData.of(version);
  const column = filled(version);
  const { chunk, x, z } = chunkIn(data, packetOf(version, column, -3, 7))!;
  expect([x, z]).toEqual([-3, 7]);
  expect([chunk.minSection, chunk.sections.length]).toEqual(version === "1.16.5" ? [0, 16] : [-4, 24]);
  const again = columnOf(version);
  const unknown = new Set<string>();
  const packets = new ChunkPackets(data, unknown).of({ x, z, chunk: decodeChunk(encodeChunk(chunk)) });
  const map = sent(version, packets.at(-1)!);
  if (version === "1.16.5") again.load(map["chunkData"] as Buffer, map["bitMap"] as number);
  else again.load(map["chunkData"] as Buffer);
  let wrong = 0;
  for (let y = 16 * chunk.minSection; y < 16 * (chunk.minSection + chunk.sections.length); y++)
    for (let dz = 0; dz < 16; dz++)
      for (let dx = 0; dx < 16; dx++) {
        const state = column.getBlockStateId({ x: dx, y, z: dz });
        if (data.nameOf(state) !== blockAt(chunk, dx, y, dz)) wrong++;
        if (again.getBlockStateId({ x: dx, y, z: dz }) !== state) wrong++;
      }
  expect([wrong, [...unknown]]).toEqual([0, []]);
});

test("names cross versions: what is below or unknown is seen as far as there is something for it", () => {
  const [old, young] = [GameData.of("1.16.5"), GameData.of("1.21.4")];
  const grass = emptyChunk(old.dataVersion, 0, ["minecraft:grass", "minecraft:oak_stairs[facing=east,half=top]"]);
  const unknown = new Set<string>();
  const [map] = new ChunkPackets(young, unknown).of({ x: 0, z: 0, chunk: grass });
  const seen = chunkIn(young, sent("1.21.4", map!))!.chunk;
  expect(blockAt(seen, 0, 0, 0)).toBe("minecraft:short_grass");
  expect(blockAt(seen, 5, 31, 5)).toMatch(/^minecraft:oak_stairs\[facing=east,half=top,/);
  expect([blockAt(seen, 0, -1, 0), blockAt(seen, 0, 32, 0), unknown.size]).toEqual([
    "minecraft:air",
    "minecraft:air",
    0,
  ]);
  const deep = emptyChunk(young.dataVersion, -4, ["minecraft:deepslate", "", "", "", "minecraft:crafter"]);
  const chunk = { ...deep, sections: deep.sections.filter(({ blocks }) => blocks.palette[0] !== "") };
  const shifted = { ...chunk, minSection: -1 };
  const [, late] = new ChunkPackets(old, unknown).of({ x: 0, z: 0, chunk: shifted });
  const below = chunkIn(old, sent("1.16.5", late!))!.chunk;
  expect([blockAt(below, 0, 0, 0), [...unknown]]).toEqual(["minecraft:magenta_wool", ["minecraft:crafter"]]);
});

test.each(VERSIONS)("%s: biomes and what blocks hold stay", (version) => {
  const data = GameData.of(version);
  const column = columnOf(version);
  const sign = data.stateOf("minecraft:oak_sign")!;
  column.setBlockStateId({ x: 4, y: 20, z: 9 }, sign);
  const desert = data.biomes.indexOf("minecraft:desert");
  for (let y = 0; y < 16; y++) column.setBiome({ x: 8, y, z: 0 }, desert);
  const lines = { type: "list", value: { type: "long", value: [[1, -2]] } };
  const own = { Text1: { type: "string", value: '{"text":"here"}' }, lines };
  const placed = { x: { type: "int", value: 36 }, y: { type: "int", value: 20 }, z: { type: "int", value: 41 } };
  const old = {
    type: "compound",
    name: "",
    value: { ...own, ...placed, id: { type: "string", value: "minecraft:sign" } },
  };
  const young = { x: 4, y: 20, z: 9, type: 7, nbtData: { type: "compound", name: "", value: own } };
  const given = { ...packetOf(version, column, 2, 2), blockEntities: [version === "1.16.5" ? old : young] };
  const first = chunkIn(data, given)!;
  const again = chunkIn(data, sent(version, new ChunkPackets(data, new Set()).of(first).at(-1)!))!;
  expect(again.chunk.blockEntities).toEqual(first.chunk.blockEntities);
  expect(again.chunk.blockEntities[0]).toMatchObject({ x: 4, y: 20, z: 9, kind: "minecraft:sign" });
  expect(again.chunk.blockEntities[0]!.nbt.length).toBeGreaterThan(30);
  const { biomes } = again.chunk.sections[-again.chunk.minSection]!;
  expect([biomes!.palette[biomes!.indices![2]!], biomes!.indices]).toEqual([
    "minecraft:desert",
    first.chunk.sections[-first.chunk.minSection]!.biomes!.indices,
  ]);
});

test("blocks and what they hold", () => {
  const kinds = ["oak_wall_hanging_sign[facing=north]", "red_bed", "chest", "piston_head", "stone", "player_wall_head"];
  expect(kinds.map((name) => blockEntityOf(`minecraft:${name}`)?.slice(10) ?? null)).toEqual([
    "hanging_sign",
    "bed",
    "chest",
    null,
    null,
    "skull",
  ]);
});

test.each(VERSIONS)("%s: bytes that are no chunk are refused as such", (version) => {
  const data = GameData.of(version);
  const whole = packetOf(version, filled(version), 0, 0) as { chunkData: Buffer };
  const flaw = fc.record({ at: fc.nat(whole.chunkData.length - 1), byte: fc.nat(255), length: fc.nat(1) });
  fc.assert(
    fc.property(flaw, ({ at, byte, length }) => {
      const chunkData = Buffer.from(whole.chunkData);
      chunkData[at] = byte;
      const cut = length === 0 ? chunkData : chunkData.subarray(0, at);
      try {
        const found = chunkIn(data, { ...whole, chunkData: cut });
        if (found !== null) encodeChunk(found.chunk);
      } catch (error) {
        expect(error).toBeInstanceOf(LayoutError);
      }
    }),
    { numRuns: 60 },
  );
  expect(() => chunkIn(data, { ...whole, chunkData: whole.chunkData.subarray(0, 1000) })).toThrow(LayoutError);
});
