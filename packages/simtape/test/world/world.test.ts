import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LayoutError, memoryStore, RecordingError, type Store } from "../../src/index.ts";
import { directoryStore } from "../../src/io/node/index.ts";
import {
  type Cells,
  decodeChunk,
  encodeChunk,
  isOfWorld,
  Region,
  type WorldChunk,
  WorldReader,
  type WorldSection,
  WorldWriter,
} from "../../src/world/index.ts";
import { tries } from "../soak.ts";

const WORLD = { id: "0d6ed0a1-6c2e-4b14-8a8f-4a2f5b4d8a11", version: "00112233445566778899aabbccddeeff" };
const OVERWORLD = "minecraft:overworld";
const AIR: WorldSection = { blocks: { palette: ["minecraft:air"], indices: null }, biomes: null };

const name = fc.stringMatching(/^minecraft:[a-z_]{1,12}(\[[a-z]+=[a-z0-9]+\])?$/);

function cells(size: number): fc.Arbitrary<Cells> {
  return fc
    .record({ palette: fc.array(name, { minLength: 1, maxLength: 40 }), seed: fc.nat(), flat: fc.boolean() })
    .map(
      ({ palette, seed, flat }): Cells => ({
        palette,
        indices: flat
          ? null
          : Uint16Array.from({ length: size }, (_, i) => ((i * 7919 + seed) % 104729) % palette.length),
      }),
    );
}

const section: fc.Arbitrary<WorldSection> = fc.record({
  blocks: cells(4096),
  biomes: fc.option(
    cells(64).map(({ palette, indices }) => ({ palette, indices: indices && Uint8Array.from(indices) })),
  ),
});

const chunk: fc.Arbitrary<WorldChunk> = fc.record({
  dataVersion: fc.nat(10_000),
  minSection: fc.integer({ min: -128, max: 127 }),
  sections: fc.array(section, { maxLength: 5 }),
  blockEntities: fc.uniqueArray(
    fc.record({
      x: fc.nat(15),
      y: fc.integer({ min: -2048, max: 2047 }),
      z: fc.nat(15),
      kind: name,
      nbt: fc.uint8Array({ maxLength: 40 }),
    }),
    { maxLength: 6, selector: ({ x, y, z }) => `${x},${y},${z}` },
  ),
});

/** What is where, without regard to palettes. */
function plain({ dataVersion, minSection, sections, blockEntities }: WorldChunk): unknown {
  const named = ({ palette, indices }: Cells<Uint16Array | Uint8Array>, size: number): string[] =>
    Array.from({ length: size }, (_, i) => palette[indices === null ? 0 : indices[i]!]!);
  return {
    dataVersion,
    minSection,
    sections: sections.map(({ blocks, biomes }) => [named(blocks, 4096), biomes && named(biomes, 64)]),
    blockEntities: blockEntities
      .map(({ nbt, ...rest }) => ({ ...rest, nbt: [...nbt] }))
      .toSorted((a, b) => a.y - b.y || a.z - b.z || a.x - b.x),
  };
}

describe("a chunk", () => {
  test("is read as it was written", () => {
    fc.assert(
      fc.property(chunk, (made) => {
        expect(plain(decodeChunk(encodeChunk(made)))).toEqual(plain(made));
      }),
      { seed: 18, numRuns: tries(30, 10_000) },
    );
  });

  test("has the same bytes however its palette is ordered", () => {
    fc.assert(
      fc.property(cells(4096), fc.array(name, { maxLength: 5 }), ({ palette, indices }, unused) => {
        const turned = [...unused, ...palette.toReversed(), ...palette];
        const last = unused.length + palette.length - 1;
        const of = (blocks: Cells): Uint8Array =>
          encodeChunk({ dataVersion: 1, minSection: 0, sections: [{ blocks, biomes: null }], blockEntities: [] });
        const other = Uint16Array.from({ length: 4096 }, (_, i) => last - (indices === null ? 0 : indices[i]!));
        expect(of({ palette: turned, indices: other })).toEqual(of({ palette, indices }));
      }),
      { seed: 18, numRuns: tries(20, 10_000) },
    );
  });

  test("bytes that are changed or cut are read, or refused as what they are", () => {
    fc.assert(
      fc.property(chunk, fc.nat(), fc.uint8Array({ maxLength: 8 }), fc.nat(), (made, at, noise, cut) => {
        const bytes = encodeChunk(made);
        bytes.set(noise.subarray(0, bytes.length), at % Math.max(1, bytes.length - noise.length));
        const damaged = bytes.subarray(0, bytes.length - (cut % 3 === 0 ? cut % bytes.length : 0));
        try {
          encodeChunk(decodeChunk(damaged));
        } catch (error) {
          if (!(error instanceof LayoutError || error instanceof RangeError)) throw error;
        }
      }),
      { seed: 18, numRuns: tries(200, 10_000) },
    );
  });

  test.each([
    [{ palette: ["a"], indices: new Uint16Array(4096).fill(1) }, "the palette of 1 has no 1"],
    [{ palette: ["a"], indices: new Uint16Array(5) }, "5 cells and not 4096"],
    [{ palette: [""], indices: null }, "a name of 0 letters"],
  ])("that is none is not written: %#", (blocks, message) => {
    const made = { dataVersion: 1, minSection: 0, sections: [{ blocks, biomes: null }], blockEntities: [] };
    expect(() => encodeChunk(made)).toThrow(message);
  });
});

test("a region is read as it was written", () => {
  const place = fc.tuple(fc.nat(31), fc.nat(31), fc.stringMatching(/^[0-9a-f]{64}$/));
  fc.assert(
    fc.property(fc.array(place, { maxLength: 60 }), (places) => {
      const region = new Region();
      for (const [x, z, hash] of places) region.set(x - 64, z + 32, hash);
      const read = Region.decode(region.encode());
      expect(read.size).toBe(region.size);
      for (const [x, z] of places) expect(read.get(x - 64, z + 32)).toBe(region.get(x, z));
    }),
    { seed: 18, numRuns: tries(30, 10_000) },
  );
  const cut = new Region(new Map([[3, "ab".repeat(32)]])).encode();
  for (let end = 0; end < cut.length; end++) expect(() => Region.decode(cut.subarray(0, end))).toThrow(LayoutError);
});

function made(block: string): WorldChunk {
  const blocks = { palette: [block], indices: null };
  return { dataVersion: 2586, minSection: 0, sections: [{ blocks, biomes: null }, AIR], blockEntities: [] };
}

function blockOf(read: WorldChunk | null): string | undefined {
  return read?.sections[0]?.blocks.palette[0];
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function everyStore(work: (store: Store) => Promise<void>): Promise<void> {
  await work(memoryStore());
  const folder = await mkdtemp(join(tmpdir(), "simtape-world-"));
  try {
    await work(directoryStore(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("a world in a store", () => {
  test("has what was put, each chunk once, and nothing else", () =>
    everyStore(async (store) => {
      const writer = new WorldWriter(store, WORLD);
      for (const [x, z] of [
        [0, 0],
        [-1, -1],
        [31, 32],
        [-33, 5],
      ] as const)
        await writer.put(OVERWORLD, x, z, made("minecraft:stone"));
      await writer.put("other:far/away", 0, 0, made("minecraft:sand"));
      expect(await new WorldReader(store, WORLD).chunk(OVERWORLD, 0, 0)).toBeNull();
      expect(await writer.flush()).toBe(5);
      const reader = new WorldReader(store, WORLD);
      expect(blockOf(await reader.chunk(OVERWORLD, -33, 5))).toBe("minecraft:stone");
      expect(blockOf(await reader.chunk("overworld", 31, 32))).toBe("minecraft:stone");
      expect(blockOf(await reader.chunk("other:far/away", 0, 0))).toBe("minecraft:sand");
      expect(await reader.chunk(OVERWORLD, 1, 0)).toBeNull();
      expect(await new WorldReader(store, { ...WORLD, version: "00" }).chunk(OVERWORLD, 0, 0)).toBeNull();
      const keys = (await all(store.list("worlds/"))).map(({ key }) => key);
      expect(keys.filter((key) => key.includes("/chunks/"))).toHaveLength(2);
      expect(keys.every((key) => isOfWorld(WORLD, key))).toBe(true);
      expect(keys.filter((key) => isOfWorld({ ...WORLD, version: "00" }, key))).toHaveLength(2);
      expect(isOfWorld(WORLD, `x/${keys[0]}`)).toBe(false);
      expect(await all(reader.check())).toEqual([]);
    }));

  test("the first stays, unless another one replaces it", () =>
    everyStore(async (store) => {
      for (const [block, replaces, count] of [
        ["minecraft:stone", false, 1],
        ["minecraft:sand", false, 0],
        ["minecraft:dirt", true, 1],
        ["minecraft:dirt", true, 0],
      ] as const) {
        const writer = new WorldWriter(store, WORLD, { replaces });
        await writer.put(OVERWORLD, 0, 0, made(block));
        expect(await writer.flush()).toBe(count);
      }
      expect(blockOf(await new WorldReader(store, WORLD).chunk(OVERWORLD, 0, 0))).toBe("minecraft:dirt");
    }));

  test("several who write at once lose nothing", () =>
    everyStore(async (store) => {
      await Promise.all(
        Array.from({ length: 6 }, async (_, by) => {
          const writer = new WorldWriter(store, WORLD);
          for (let x = 0; x < 20; x++) await writer.put(OVERWORLD, x, by % 3, made(`minecraft:block_${x}`));
          await writer.flush();
        }),
      );
      const reader = new WorldReader(store, WORLD);
      for (let z = 0; z < 3; z++)
        for (let x = 0; x < 20; x++) expect(blockOf(await reader.chunk(OVERWORLD, x, z))).toBe(`minecraft:block_${x}`);
    }));

  test("what is damaged or gone is found, and is an error of its own when it is read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "simtape-world-"));
    try {
      const store = directoryStore(folder);
      const writer = new WorldWriter(store, WORLD);
      const hashes = [];
      for (let x = 0; x < 3; x++) hashes.push(await writer.put(OVERWORLD, x, 0, made(`minecraft:block_${x}`)));
      await writer.put(OVERWORLD, 40, 0, made("minecraft:block_0"));
      await writer.flush();
      const pathOf = (hash: string): string => join(folder, "worlds", WORLD.id, "chunks", hash);
      await rm(pathOf(hashes[0]!));
      await writeFile(pathOf(hashes[1]!), "not gzip at all");
      await writeFile(join(folder, "worlds", WORLD.id, `v.${WORLD.version}`, "minecraft", "overworld", "r.1.0"), "x");
      const reader = new WorldReader(store, WORLD);
      expect((await all(reader.check())).map(({ message }) => message)).toEqual([
        expect.stringContaining("a chunk that is named is not there"),
        expect.stringContaining("not gzip"),
        expect.stringContaining("r.1.0"),
      ]);
      for (const x of [0, 1, 40]) await expect(reader.chunk(OVERWORLD, x, 0)).rejects.toSatisfy(RecordingError.is);
      expect(blockOf(await reader.chunk(OVERWORLD, 2, 0))).toBe("minecraft:block_2");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each(["../x", "a b", ""])("a dimension that leads elsewhere is refused: %j", async (dimension) => {
    const writer = new WorldWriter(memoryStore(), WORLD);
    await expect(writer.put(`minecraft:${dimension}`, 0, 0, made("minecraft:stone"))).rejects.toThrow(RangeError);
  });
});
