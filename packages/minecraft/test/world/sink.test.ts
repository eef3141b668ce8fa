import { memoryStore } from "simtape";
import { type WorldChunk, type WorldName, WorldReader } from "simtape/world";
import { expect, test } from "vitest";
import { blockAt } from "../../src/world/packets.ts";
import { ChunkSink } from "../../src/world/sink.ts";

const WORLD: WorldName = { id: "5ba7a26a-0e4d-4b9c-8155-0123456789ab", version: "00".repeat(16) };
const OVERWORLD = "minecraft:overworld";

/** Stone, but for these blocks at y 0 and z 0, by x. */
function chunk(blocks: Readonly<Record<number, string>> = {}): WorldChunk {
  const palette = ["minecraft:stone", ...Object.values(blocks)];
  const indices = new Uint16Array(4096);
  for (const [i, x] of Object.keys(blocks).entries()) indices[Number(x)] = i + 1;
  return {
    dataVersion: 2586,
    minSection: 0,
    sections: [{ blocks: { palette, indices }, biomes: null }],
    blockEntities: [],
  };
}

const texts = (edits: readonly { x: number; y: number; z: number; name: string }[]): string[] =>
  edits.map(({ x, y, z, name }) => `${x},${y},${z} ${name}`);

test("the first chunk of a place is kept; a later one is edits of what differs", async () => {
  const store = memoryStore();
  const sink = new ChunkSink(store, WORLD);
  expect(await sink.see(OVERWORLD, { x: 1, z: -2, chunk: chunk({ 3: "minecraft:dirt" }) })).toEqual([]);
  sink.edit(OVERWORLD, 20, 0, -32, "minecraft:glass");
  const later = chunk({ 3: "minecraft:dirt", 4: "minecraft:glass", 5: "minecraft:sand" });
  expect(texts(await sink.see(OVERWORLD, { x: 1, z: -2, chunk: later }))).toEqual(["21,0,-32 minecraft:sand"]);
  expect(await sink.see(OVERWORLD, { x: 1, z: -2, chunk: later })).toEqual([]);
  expect(texts(await sink.see(OVERWORLD, { x: 1, z: -2, chunk: chunk() }))).toEqual([
    "19,0,-32 minecraft:stone",
    "20,0,-32 minecraft:stone",
    "21,0,-32 minecraft:stone",
  ]);
  expect(await sink.see("minecraft:the_nether", { x: 1, z: -2, chunk: chunk() })).toEqual([]);
  await sink.flush();
  expect(sink.kept).toBe(2);
  const kept = await new WorldReader(store, WORLD).chunk(OVERWORLD, 1, -2);
  expect([3, 4, 5].map((x) => blockAt(kept!, x, 0, 0))).toEqual([
    "minecraft:dirt",
    "minecraft:stone",
    "minecraft:stone",
  ]);
});

test("what the store has of a version counts as the first, and an edit outlives what was seen before it", async () => {
  const store = memoryStore();
  const before = new ChunkSink(store, WORLD);
  await before.see(OVERWORLD, { x: 0, z: 0, chunk: chunk() });
  await before.flush();
  const sink = new ChunkSink(store, WORLD);
  const coming = sink.see(OVERWORLD, { x: 0, z: 0, chunk: chunk({ 1: "minecraft:dirt", 2: "minecraft:sand" }) });
  sink.edit(OVERWORLD, 1, 0, 0, "minecraft:glass");
  expect(texts(await coming)).toEqual(["2,0,0 minecraft:sand"]);
  expect(
    await sink.see(OVERWORLD, { x: 0, z: 0, chunk: chunk({ 1: "minecraft:glass", 2: "minecraft:sand" }) }),
  ).toEqual([]);
});

test("a store that fails loses no chunk for good", async () => {
  const store = memoryStore();
  let fails = true;
  const flawed = {
    ...store,
    head: store.head.bind(store),
    get: store.get.bind(store),
    put: (...args: Parameters<typeof store.put>) => (fails ? Promise.reject(new Error("no room")) : store.put(...args)),
  } as typeof store;
  const sink = new ChunkSink(flawed, WORLD);
  await expect(sink.see(OVERWORLD, { x: 0, z: 0, chunk: chunk() })).rejects.toThrow("no room");
  fails = false;
  expect(await sink.see(OVERWORLD, { x: 0, z: 0, chunk: chunk({ 0: "minecraft:dirt" }) })).toEqual([]);
  await sink.flush();
  const kept = await new WorldReader(store, WORLD).chunk(OVERWORLD, 0, 0);
  expect(blockAt(kept!, 0, 0, 0)).toBe("minecraft:dirt");
});
