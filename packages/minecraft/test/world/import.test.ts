import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import minecraftData from "minecraft-data";
import { memoryStore, type Store } from "simtape";
import { NBT, nbtCompound, nbtText } from "simtape/kit";
import { type WorldChunk, type WorldName, WorldReader } from "simtape/world";
import { expect, test } from "vitest";
import { GameData } from "../../src/game/data.ts";
import { importWorld } from "../../src/world/folder.ts";
import { blockAt, ChunkPackets } from "../../src/world/packets.ts";
import {
  anvilOf,
  int,
  listOf,
  namesOf,
  nbtAsSeen,
  oldChunk,
  packed,
  regionFile,
  simplified,
  statesOf,
} from "../support/anvil.ts";
import { type Column, columnOf, sent } from "../support/column.ts";
import { Folder } from "../support/demo.ts";

const WORLD: WorldName = { id: "5ba7a26a-0e4d-4b9c-8155-0123456789ab", version: "ab".repeat(16) };
const OVERWORLD = "minecraft:overworld";
/** Regions that the game itself has written. */
const REAL = join(
  dirname(createRequire(import.meta.url).resolve("prismarine-provider-anvil/package.json")),
  "test/fixtures",
);

interface Entity {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly keepPacked?: unknown;
}

/** What a region file says of a chunk, simplified. */
interface Raw {
  readonly DataVersion: number;
  readonly Level?: { readonly Status: string; readonly TileEntities?: readonly Entity[]; readonly Biomes?: number[] };
  readonly Status?: string;
  readonly block_entities?: readonly Entity[];
}

/** Places at which a chunk has another block than prismarine says. */
function differences(chunk: WorldChunk, column: Column, names: (state: number) => string): string[] {
  const found: string[] = [];
  const [low, high] = [16 * chunk.minSection, 16 * (chunk.minSection + chunk.sections.length)];
  for (let y = low; y < high; y++)
    for (let z = 0; z < 16; z++)
      for (let x = 0; x < 16; x++) {
        const [wanted, is] = [names(column.getBlockStateId({ x, y, z })), blockAt(chunk, x, y, z)];
        // prismarine reads the delays of repeaters in files as one too many
        if (is?.replace(/delay=\d/, "") !== wanted.replace(/delay=\d/, ""))
          found.push(`${x},${y},${z}: ${is}, not ${wanted}`);
      }
  return found;
}

function biomeAt({ minSection, sections }: WorldChunk, x: number, y: number, z: number): string | null {
  const { palette, indices } = sections[Math.floor(y / 16) - minSection]?.biomes ?? { palette: [], indices: null };
  return palette[indices?.[((y & 15) >> 2) * 16 + (z >> 2) * 4 + (x >> 2)] ?? 0] ?? null;
}

async function chunkIn(store: Store, x: number, z: number): Promise<WorldChunk | null> {
  return new WorldReader(store, WORLD).chunk(OVERWORLD, x, z);
}

test.each([
  ["1.13.2", 75, 5],
  ["1.14.4", 299, 17],
  ["1.16", 253, 8],
  ["1.17.1", 144, 34],
  ["1.18.2", 27, 0],
  ["1.21.1", 16, 0],
] as const)("a region of the game of %s is what prismarine-provider-anvil says", async (version, count, holding) => {
  using folder = new Folder();
  // it opens files for writing
  cpSync(join(REAL, version), folder.path, { recursive: true });
  const store = memoryStore();
  const report = await importWorld(folder.path, store, WORLD);
  expect(report).toMatchObject({ chunks: count, added: count, damaged: [], dimensions: { [OVERWORLD]: count } });
  const [, rx, rz] = readdirSync(folder.path)[0]!.split(".").map(Number) as [number, number, number];
  const anvil = anvilOf(version, folder.path);
  const names = namesOf(version);
  const { biomes } = minecraftData(version === "1.17.1" ? "1.16.5" : version);
  let [unfinished, looked, compared, entities] = [0, 0, 0, 0];
  for (let z = 32 * rz; z < 32 * (rz + 1); z++)
    for (let x = 32 * rx; x < 32 * (rx + 1); x++) {
      const chunk = await chunkIn(store, x, z);
      // most of those that hold nothing are counted alone
      if (chunk?.blockEntities.length === 0 && looked++ % 8 !== 0) continue;
      const tag = await anvil.loadRaw(x, z);
      if (tag === null) continue;
      const raw = simplified(tag) as Raw;
      const isFinished = /full|postprocessed/.test(raw.Level?.Status ?? raw.Status!);
      expect(chunk !== null).toBe(isFinished);
      if (chunk === null) {
        unfinished++;
        continue;
      }
      expect(chunk.dataVersion).toBe(raw.DataVersion);
      const held = (raw.Level?.TileEntities ?? raw.block_entities ?? []).map(({ id, x, y, z, ...own }) =>
        JSON.stringify([id, x & 15, y, z & 15, { ...own, keepPacked: undefined }]),
      );
      const kept = chunk.blockEntities.map(({ kind, x, y, z, nbt }) => JSON.stringify([kind, x, y, z, nbtAsSeen(nbt)]));
      expect(kept.sort()).toEqual(held.sort());
      entities += kept.length;
      // a few of them block by block
      if (looked % 32 !== 1) continue;
      compared++;
      const column = await anvil.load(x, z);
      expect(differences(chunk, column, names).slice(0, 5)).toEqual([]);
      const old = raw.Level?.Biomes;
      const wrong: string[] = [];
      for (let y = 16 * chunk.minSection; y < 16 * (chunk.minSection + chunk.sections.length); y += 4)
        for (let i = 0; i < 16; i++) {
          const place = { x: (i & 3) * 4, y, z: (i >> 2) * 4 };
          const columns = old?.length === 256 ? old[64 * (i >> 2) + 4 * (i & 3) + 34]! : null;
          const number = columns ?? (old === undefined ? column.getBiome(place) : old[y * 4 + i]!);
          const [is, wanted] = [biomeAt(chunk, place.x, y, place.z), `minecraft:${biomes[number]!.name}`];
          if (is !== wanted) wrong.push(`${JSON.stringify(place)}: ${is}, not ${wanted}`);
        }
      expect(wrong.slice(0, 5)).toEqual([]);
    }
  await anvil.close();
  expect([unfinished, entities, compared > 0]).toEqual([report.unfinished, holding, true]);
});

test.each(["1.16.5", "1.20.4", "1.21.4"])(
  "%s: every state of every block is imported, and shown to clients as it was",
  async (version) => {
    using folder = new Folder();
    const anvil = anvilOf(version, folder.path);
    const [count, names, data] = [statesOf(version), namesOf(version), GameData.of(version)];
    const low = version === "1.16.5" ? 0 : -64;
    const columns: Column[] = [];
    // 128 to a section; above 256 prismarine would have no palette
    const fits = version === "1.16.5" ? 16 * 128 : 24 * 128;
    for (let state = 0; state < count; state++) {
      const [i, at] = [Math.floor(state / fits), state % fits];
      columns[i] ??= columnOf(version);
      const y = low + 16 * Math.floor(at / 128) + (at % 16);
      columns[i].setBlockStateId({ x: (at >> 4) & 7, y, z: i & 15 }, state);
    }
    for (const [i, column] of columns.entries()) {
      for (let y = 0; y < 16; y++) column.setBiome({ x: 8, y, z: 0 }, data.biomes.indexOf("minecraft:desert"));
      await anvil.save(i, -1, column);
    }
    await anvil.close();
    const store = memoryStore();
    expect(await importWorld(folder.path, store, WORLD)).toMatchObject({ chunks: columns.length, damaged: [] });
    const unknown = new Set<string>();
    const packets = new ChunkPackets(data, unknown);
    for (const [i, column] of columns.entries()) {
      const chunk = (await chunkIn(store, i, -1))!;
      expect(differences(chunk, column, names).slice(0, 5)).toEqual([]);
      expect([biomeAt(chunk, 8, 0, 0), biomeAt(chunk, 8, 12, 0)]).toEqual(["minecraft:desert", "minecraft:desert"]);
      expect(biomeAt(chunk, 0, 0, 0)).not.toBe("minecraft:desert");
      const map = sent(
        version,
        packets.of({ x: i, z: -1, chunk: { ...chunk, dataVersion: data.dataVersion } }).at(-1)!,
      );
      const seen = columnOf(version);
      seen.load(map["chunkData"] as Buffer, map["bitMap"] as number | undefined);
      expect(differences(chunk, seen, names).slice(0, 5)).toEqual([]);
    }
    expect([...unknown]).toEqual([]);
  },
);

/** One that uses all bits of numbers of 5 to 9 bits. */
function mixed(count: number): { blocks: number[]; palette: string[] } {
  const blocks = Array.from({ length: 4096 }, (_, i) => (i * 7919 + (i >> 5)) % count);
  return { blocks, palette: Array.from({ length: count }, (_, i) => `minecraft:block_${i}`) };
}

test.each([
  ["before 1.16, numbers span longs", 2528, true],
  ["since 1.16 they do not", 2529, false],
])("%s", async (_, dataVersion, spans) => {
  using folder = new Folder();
  const cases = [2, 17, 33, 129, 300, 4096].map(mixed);
  const slots = cases.map((of, x) => ({
    x,
    z: 0,
    kind: 2,
    bytes: deflateSync(oldChunk({ x, dataVersion, spans, ...of })),
  }));
  writeFileSync(folder.at("r.0.0.mca"), regionFile(slots));
  const store = memoryStore();
  expect((await importWorld(folder.path, store, WORLD)).damaged).toEqual([]);
  for (const [x, { blocks, palette }] of cases.entries()) {
    const chunk = (await chunkIn(store, x, 0))!;
    const wrong = blocks.filter((block, i) => blockAt(chunk, i & 15, 32 + (i >> 8), (i >> 4) & 15) !== palette[block]);
    expect(wrong).toEqual([]);
  }
});

/** A block of LZ4 as the game's library has it: some bytes as they are, then the last of them 4 times more. */
function lz4(bytes: Uint8Array): Buffer {
  const block = (method: number, content: Buffer, size: number): Buffer => {
    const head = Buffer.alloc(21);
    head.write("LZ4Block");
    head[8] = method;
    head.writeUInt32LE(content.length, 9);
    head.writeUInt32LE(size, 13);
    return Buffer.concat([head, content]);
  };
  const literals = (of: Uint8Array): Buffer => {
    const more = of.length - 15;
    return Buffer.concat([Buffer.alloc(Math.floor(more / 255), 255), Buffer.from([more % 255]), of]);
  };
  // all but the last 1000 bytes, which are taken as they are
  const first = bytes.subarray(0, bytes.length - 1000);
  const run = first.findIndex((_, i) => i > 20 && first.subarray(i, i + 8).every((byte) => byte === first[i - 1]));
  // a match of 8 bytes one byte back
  const match = Buffer.from([1, 0]);
  const token = Buffer.from([0xf4]);
  const rest = first.subarray(run + 8);
  const content = Buffer.concat([token, literals(first.subarray(0, run)), match, Buffer.from([0xf0]), literals(rest)]);
  const last = Buffer.from(bytes.subarray(-1000));
  return Buffer.concat([block(0x26, content, first.length), block(0x16, last, 1000), block(0x16, Buffer.alloc(0), 0)]);
}

test("a chunk is read however it is compressed, and from a file of its own", async () => {
  using folder = new Folder();
  const chunk = (x: number): Uint8Array => oldChunk({ x: x - 32, z: 31 });
  const big = { type: NBT.byteArray, value: new Uint8Array(2 << 20).map((_, i) => (i * 2654435761) >>> 13) } as const;
  const huge = (x: number): Uint8Array => oldChunk({ x: x - 32, z: 31, more: { big } });
  const slots = [
    { kind: 1, bytes: gzipSync(chunk(0)) },
    { kind: 2, bytes: deflateSync(chunk(1)) },
    { kind: 3, bytes: chunk(2) },
    { kind: 4, bytes: lz4(chunk(3)) },
    { kind: 0x82, bytes: Buffer.alloc(0) },
    // of servers that count no sectors above 255
    { kind: 3, bytes: huge(5) },
    { kind: 9, bytes: chunk(6) },
    { kind: 0x82, bytes: Buffer.alloc(0) },
    { kind: 2, bytes: deflateSync(oldChunk({ x: -24, z: 31, status: "features" })) },
  ].map((of, x) => ({ ...of, x, z: 31 }));
  writeFileSync(folder.at("r.-1.0.mca"), regionFile(slots));
  writeFileSync(folder.at("c.-28.31.mcc"), deflateSync(huge(4)));
  const store = memoryStore();
  const report = await importWorld(folder.path, store, WORLD);
  expect(report).toMatchObject({ chunks: 6, unfinished: 1 });
  expect(report.damaged).toEqual([
    { file: "r.-1.0.mca", x: -26, z: 31, reason: "compressed in a way that is not known: 9" },
    { file: "r.-1.0.mca", x: -25, z: 31, reason: "ENOENT: no such file or directory" },
  ]);
  for (let x = -32; x < -26; x++) expect(blockAt((await chunkIn(store, x, 31))!, 5, 35, 5)).toBe("minecraft:stone");
});

test("since 1.18: sections without gaps, of any height, and what stands outside a chunk is not its own", async () => {
  using folder = new Folder();
  const section = (y: number, name: string) =>
    nbtCompound({
      Y: { type: NBT.byte, value: y },
      block_states: nbtCompound({
        palette: listOf(nbtCompound({ Name: nbtText(name) }), nbtCompound({ Name: nbtText("minecraft:glass") })),
        data: packed(
          Array.from({ length: 4096 }, (_, i) => i & 1),
          4,
          false,
        ),
      }),
    });
  const light = nbtCompound({ Y: { type: NBT.byte, value: 40 } });
  const sign = (x: number) => nbtCompound({ id: nbtText("minecraft:sign"), x: int(x), y: int(-60), z: int(3) });
  const root = nbtCompound({
    DataVersion: int(3953),
    xPos: int(0),
    zPos: int(0),
    Status: nbtText("minecraft:full"),
    sections: listOf(section(30, "minecraft:stone"), light, section(-4, "minecraft:dirt")),
    block_entities: listOf(sign(3), sign(16)),
  });
  const { writeNbt } = await import("simtape/kit");
  const bytes = writeNbt({ root, name: nbtText("") });
  writeFileSync(folder.at("r.0.0.mca"), regionFile([{ x: 0, z: 0, kind: 3, bytes }]));
  const store = memoryStore();
  expect((await importWorld(folder.path, store, WORLD)).damaged).toEqual([]);
  const chunk = (await chunkIn(store, 0, 0))!;
  expect([chunk.minSection, chunk.sections.length]).toEqual([-4, 35]);
  const blocks = [-64, -40, 480, 481].map((y) => [blockAt(chunk, 0, y, 0), blockAt(chunk, 1, y, 0)]);
  expect(blocks).toEqual([
    ["minecraft:dirt", "minecraft:glass"],
    ["minecraft:air", "minecraft:air"],
    ["minecraft:stone", "minecraft:glass"],
    ["minecraft:stone", "minecraft:glass"],
  ]);
  expect(chunk.blockEntities.map(({ x, y, z, kind }) => [x, y, z, kind])).toEqual([[3, -60, 3, "minecraft:sign"]]);
});

test("a world's folder: every dimension, and nothing of entities and places of interest", async () => {
  using folder = new Folder();
  const put = (below: string, name: string): void => {
    mkdirSync(folder.at(below), { recursive: true });
    const bytes = oldChunk({ palette: [name] });
    writeFileSync(folder.at(`${below}/r.0.0.mca`), regionFile([{ x: 0, z: 0, kind: 3, bytes }]));
  };
  const folders = {
    region: OVERWORLD,
    "DIM-1/region": "minecraft:the_nether",
    "DIM1/region": "minecraft:the_end",
    "dimensions/moon/far/side/region": "moon:far/side",
  };
  for (const [below, name] of Object.entries(folders)) put(below, name);
  for (const below of ["entities", "poi", "DIM1/poi", "dimensions/moon/far/side/entities"]) put(below, "minecraft:bad");
  writeFileSync(folder.at("region/r.0.0.mca.bak"), "");
  const names = Object.values(folders);
  const store = memoryStore();
  const all = await importWorld(folder.path, store, WORLD);
  expect(all).toMatchObject({ chunks: 4, added: 4, damaged: [] });
  expect(all.dimensions).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
  const reader = new WorldReader(store, WORLD);
  for (const name of names) expect(blockAt((await reader.chunk(name, 0, 0))!, 0, 32, 0)).toBe(name);
  // again: nothing is new
  expect(await importWorld(folder.path, store, WORLD)).toMatchObject({ chunks: 4, added: 0 });
  // one of them, and folders below
  const one = await importWorld(folder.path, memoryStore(), WORLD, { dimension: "moon:far/side" });
  expect(one.dimensions).toEqual({ "moon:far/side": 1 });
  for (const below of ["DIM-1", "DIM-1/region"])
    expect((await importWorld(folder.at(below), memoryStore(), WORLD)).dimensions).toEqual({
      "minecraft:the_nether": 1,
    });
  const named = await importWorld(folder.at("region"), memoryStore(), WORLD, { dimension: "my:own" });
  expect(named.dimensions).toEqual({ "my:own": 1 });
  await expect(importWorld(folder.path, store, WORLD, { dimension: "no:where" })).rejects.toThrow(
    "without region files",
  );
  await expect(importWorld(folder.at("nothing"), store, WORLD)).rejects.toThrow("without region files");
  // the first one stays, unless it is to be replaced
  put("region", "minecraft:gold_block");
  const top = async (): Promise<string | null> => blockAt((await chunkIn(store, 0, 0))!, 0, 32, 0);
  expect([(await importWorld(folder.path, store, WORLD)).added, await top()]).toEqual([0, OVERWORLD]);
  const replaced = await importWorld(folder.path, store, WORLD, { replaces: true });
  expect([replaced.added, await top()]).toEqual([1, "minecraft:gold_block"]);
});
