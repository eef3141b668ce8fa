import fc from "fast-check";
import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { tries } from "../../../simtape/test/soak.ts";
import { meshOf } from "../../src/blocks/mesher.ts";
import { type BlockSkins, skinnedLook, type StateSkin } from "../../src/blocks/skins.ts";
import { Looks, volumeOf } from "../../src/blocks/volume.ts";
import { statesIn } from "../../src/world/textures/models.ts";
import { commonSide, sizeOf } from "../../src/world/textures/pictures.ts";
import { Pack } from "../../src/world/textures/pack.ts";
import { pngOf, smallPack } from "../support/small-pack.ts";

function skinsOf(textures: readonly string[], states: Readonly<Record<string, readonly StateSkin[]>> = {}): BlockSkins {
  const layers = new Map(textures.map((name, i) => [`minecraft:block/${name}`, i + 1]));
  return { layers, holed: new Set(), states: new Map(Object.entries(states)) };
}

function layersOf(kind: string, textures: readonly string[], states?: Readonly<Record<string, readonly StateSkin[]>>) {
  return skinnedLook(`minecraft:${kind}`, skinsOf(textures, states))?.skin?.layers;
}

describe("a block without a model wears what is called as it is", () => {
  test("on all faces, or by the ends, the front and the axis that names and states tell", () => {
    expect(layersOf("stone", ["dirt", "stone"])).toEqual([2, 2, 2, 2, 2, 2]);
    const log = ["oak_log", "oak_log_top"];
    expect(layersOf("oak_log[axis=y]", log)).toEqual([1, 1, 2, 2, 1, 1]);
    expect(layersOf("oak_log[axis=x]", log)).toEqual([2, 2, 1, 1, 1, 1]);
    expect(layersOf("oak_log[axis=z]", log)).toEqual([1, 1, 1, 1, 2, 2]);
    const furnace = ["furnace_side", "furnace_top", "furnace_front", "furnace_front_on"];
    expect(layersOf("furnace[facing=east,lit=false]", furnace)).toEqual([1, 3, 2, 2, 1, 1]);
    expect(layersOf("furnace[facing=south,lit=true]", furnace)).toEqual([1, 1, 2, 2, 1, 4]);
    expect(layersOf("grass_block[snowy=false]", ["dirt", "grass_block_side", "grass_block_top"])).toEqual([
      2, 2, 1, 3, 2, 2,
    ]);
    expect(layersOf("stone_brick_slab[type=top]", ["stone_bricks"])).toEqual([1, 1, 1, 1, 1, 1]);
    expect(layersOf("oak_stairs[half=top]", ["oak_planks"])).toEqual([1, 1, 1, 1, 1, 1]);
    expect(layersOf("andesite", ["stone"])).toBeUndefined();
  });

  test("plants cross, also those that are not seen without a texture", () => {
    expect(skinnedLook("minecraft:short_grass", skinsOf([]))).toBeNull();
    expect(skinnedLook("minecraft:short_grass", skinsOf(["short_grass"]))?.cross).toBe(1);
    expect(skinnedLook("minecraft:poppy", skinsOf(["poppy"]))).toMatchObject({ cross: 1, color: [1, 1, 1] });
    expect(skinnedLook("minecraft:air", skinsOf(["stone"]))).toBeNull();
  });
});

describe("models of a pack", () => {
  const FILES: Readonly<Record<string, unknown>> = {
    "minecraft/models/block/log.json": {
      parent: "block/cube_column",
      textures: { end: "block/top", side: "#bark", bark: "block/bark" },
    },
    "minecraft/models/block/mine.json": { parent: "own:block/base", textures: { a: "block/a" } },
    "own/models/block/base.json": {
      textures: { b: "own:block/b" },
      elements: [
        {
          faces: {
            west: { texture: "#a" },
            east: { texture: "#a" },
            down: { texture: "#b" },
            up: { texture: "#b" },
            north: { texture: "#a" },
            south: { texture: "#a" },
          },
        },
      ],
    },
    "minecraft/models/block/loop.json": { parent: "block/loop", textures: { all: "#all" } },
    "minecraft/models/block/fern.json": { parent: "minecraft:block/tinted_cross", textures: { cross: "block/fern" } },
    "minecraft/models/block/oven.json": {
      parent: "block/orientable",
      textures: { front: "block/front", side: "block/side", top: "block/top" },
    },
  };
  const read = async (path: string): Promise<unknown> => FILES[path] ?? null;
  const variants = (of: unknown) => statesIn({ variants: of }, "minecraft", read);

  test("wear textures by their parents, variables and turns", async () => {
    const [bark, top] = ["minecraft:block/bark", "minecraft:block/top"];
    expect(
      await variants({
        "axis=y": { model: "block/log" },
        "axis=x": { model: "block/log", x: 90, y: 90 },
        "axis=z": { model: "block/log", x: 90 },
      }),
    ).toEqual([
      { when: [["axis", "y"]], faces: [bark, bark, top, top, bark, bark], cross: null },
      { when: [["axis", "x"]], faces: [top, top, bark, bark, bark, bark], cross: null },
      { when: [["axis", "z"]], faces: [bark, bark, bark, bark, top, top], cross: null },
    ]);
    const [a, b] = ["minecraft:block/a", "own:block/b"];
    expect(await variants({ "": [{ model: "block/mine" }, { model: "block/none" }] })).toEqual([
      { when: [], faces: [a, a, b, b, a, a], cross: null },
    ]);
    expect(await variants({ "": { model: "block/fern" } })).toEqual([
      { when: [], faces: null, cross: "minecraft:block/fern" },
    ]);
    const fronts = await variants(
      Object.fromEntries(
        ["north", "east", "south", "west"].map((facing, i) => [`facing=${facing}`, { model: "block/oven", y: 90 * i }]),
      ),
    );
    expect(fronts?.map(({ faces }) => faces!.indexOf("minecraft:block/front"))).toEqual([4, 1, 5, 0]);
  });

  test("that lead nowhere are not understood", async () => {
    expect(await variants({ "": { model: "block/loop" } })).toBeNull();
    expect(await variants({ "": { model: "block/missing" } })).toBeNull();
    expect(await statesIn({ multipart: [{ apply: { model: "block/log" } }] }, "minecraft", read)).toHaveLength(1);
  });

  test("whatever a pack has for a document, it is understood or not", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (document, model) => {
        const states = await statesIn(document, "minecraft", async () => model);
        expect(states === null || states.length > 0).toBe(true);
        const wrapped = await statesIn({ variants: { "": { model: "block/x" } } }, "minecraft", async () => model);
        expect(wrapped === null || wrapped.length === 1).toBe(true);
      }),
      { numRuns: tries(100, 3000) },
    );
  });
});

test("faces have the layers of their pictures, and plants are two squares that are seen from both sides", () => {
  const skins = skinsOf(["stone", "poppy", "grass_block_top", "grass_block_side", "dirt"]);
  const palette = ["air", "stone", "poppy", "grass_block"].map((name) => `minecraft:${name}`);
  const indices = new Uint16Array(4096);
  // at (1, 0, 2), (5, 0, 5) with a flower above, and (9, 0, 9)
  for (const [x, y, z, name] of [
    [1, 0, 2, 1],
    [5, 0, 5, 1],
    [5, 1, 5, 2],
    [9, 0, 9, 3],
  ] as const)
    indices[(y << 8) | (z << 4) | x] = name;
  const chunk = {
    dataVersion: 3465,
    minSection: 4,
    blockEntities: [],
    sections: [{ biomes: null, blocks: { palette, indices } }],
  };
  const around = { west: null, east: null, north: null, south: null };
  const { opaque } = meshOf(volumeOf(chunk, around, new Looks(skins), 1000)!);
  const faces = Array.from({ length: opaque.layer.length / 4 }, (_, face) => opaque.layer[4 * face]!);
  const count = (layer: number): number => faces.filter((of) => of === layer).length;
  expect([1, 2, 3, 4, 5].map(count)).toEqual([12, 4, 1, 4, 1]);
  // stone below a flower is covered by nothing
  expect(faces).toHaveLength(22);
  const top = faces.indexOf(3);
  expect([...opaque.color.subarray(16 * top, 16 * top + 3)]).not.toEqual([65_535, 65_535, 65_535]);
});

test("the size of a picture is known before it is decoded, and there is memory for all of them", () => {
  expect(sizeOf(pngOf(16, 32, () => [0, 0, 0, 255]))).toEqual({ width: 16, height: 32 });
  const huge = pngOf(1, 1, () => [0, 0, 0, 255]);
  huge.writeUInt32BE(100_000, 16);
  huge.writeUInt32BE(100_000, 20);
  expect([sizeOf(huge), sizeOf(Buffer.from("no picture")), sizeOf(new Uint8Array())]).toEqual([null, null, null]);
  expect(commonSide([16, 16, 32, 512])).toBe(16);
  expect(commonSide(Array.from({ length: 10 }, () => 512))).toBe(128);
  expect(commonSide(Array.from({ length: 2000 }, () => 128))).toBe(64);
  expect(commonSide([])).toBe(16);
});

describe("a pack is not trusted", () => {
  const zeros = new Uint8Array(1 << 20);

  test("members that are longer than they may be are left out, and all of them together have a limit", async () => {
    const bomb = zipSync({ a: zeros, b: zeros, c: Uint8Array.of(1, 2, 3) });
    expect(bomb.length).toBeLessThan(10_000);
    const pack = (await Pack.open(bomb, 3 << 19))!;
    expect(await pack.read("a", 1000)).toBeNull();
    expect(await pack.read("a", 1 << 20)).toHaveLength(1 << 20);
    await expect(pack.read("b", 1 << 20)).rejects.toThrow("it has more than 1 MiB inside");
    expect(await Pack.open(Uint8Array.of(1, 2, 3))).toBeNull();
  });

  test("what is cut or changed is damaged or missing, and said", async () => {
    const sound = smallPack();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sound.length),
        fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.boolean(),
        async (length, changes, isCut) => {
          const bytes = sound.slice(0, isCut ? length : undefined);
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          const pack = await Pack.open(bytes);
          for (const name of pack?.names ?? []) {
            const member = await pack!.read(name, 1 << 20);
            expect(member === null || member.length <= 1 << 20).toBe(true);
          }
        },
      ),
      { numRuns: tries(60, 2000) },
    );
  });
});
