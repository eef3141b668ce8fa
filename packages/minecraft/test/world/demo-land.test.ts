import { writeFileSync } from "node:fs";
import { unzipSync } from "fflate";
import { memoryStore } from "simtape";
import { type WorldName, WorldReader } from "simtape/world";
import { expect, test } from "vitest";
import { regions } from "../../../demo/src/hcrp-land.ts";
import { importWorld } from "../../src/world/folder.ts";
import { blockAt } from "../../src/world/packets.ts";
import { anvilOf, namesOf } from "../support/anvil.ts";
import { Folder } from "../support/demo.ts";

const WORLD: WorldName = { id: "5ba7a26a-0e4d-4b9c-8155-0123456789ab", version: "ab".repeat(16) };
const SIDE = 6;

test("the island of simtape demo hcrp is to prismarine-provider-anvil what it is to the importer", async () => {
  using folder = new Folder();
  for (const [name, bytes] of Object.entries(unzipSync(regions({ seed: 1 })))) writeFileSync(folder.at(name), bytes);
  const store = memoryStore();
  expect((await importWorld(folder.path, store, WORLD)).damaged).toEqual([]);
  const reader = new WorldReader(store, WORLD);
  const names = namesOf("1.21.4");
  const anvil = anvilOf("1.21.4", folder.path);
  let blocks = 0;
  const kinds = new Set<string>();
  for (let cx = -SIDE / 2; cx < SIDE / 2; cx++)
    for (let cz = -SIDE / 2; cz < SIDE / 2; cz++) {
      const chunk = await reader.chunk("minecraft:overworld", cx, cz);
      const column = (await anvil.load(cx, cz)) ?? null;
      expect(column === null, `chunk ${cx}, ${cz}`).toBe(chunk === null);
      if (chunk === null) continue;
      for (let y = 32; y < 96; y++)
        for (let z = 0; z < 16; z++)
          for (let x = 0; x < 16; x++) {
            const name = names(column!.getBlockStateId({ x, y, z }));
            if (name !== blockAt(chunk, x, y, z)) expect(name).toBe(blockAt(chunk, x, y, z));
            if (name !== "minecraft:air") blocks++;
            kinds.add(name.split("[")[0]!);
          }
    }
  await anvil.close();
  expect(blocks).toBeGreaterThan(50_000);
  expect([...kinds]).toEqual(
    expect.arrayContaining(["minecraft:oak_log", "minecraft:smooth_quartz", "minecraft:water"]),
  );
}, 60_000);
