import { open } from "simtape";
import { directoryStore, fromFile } from "simtape/node";
import { record } from "simtape/record";
import { LineProtocol } from "simtape/serving";
import { type WorldChunk, type WorldName, WorldWriter } from "simtape/world";
import { expect, test } from "vitest";
import { GameData } from "../../src/game/data.ts";
import { ReplayServer } from "../../src/serve/server.ts";
import { worldVersion } from "../../src/world/names.ts";
import { Folder } from "../support/demo.ts";
import { Looker } from "../support/looker.ts";

const WORLD: WorldName = { id: "5ba7a26a-0e4d-4b9c-8155-0123456789ab", version: worldVersion("v1") };
const STEVE = { id: "p", uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Steve" };
/** Stone below 48, then grass with stairs in it; of 1.16.5, and one block that 1.21.4 calls otherwise. */
const CHUNK: WorldChunk = {
  dataVersion: 2586,
  minSection: 0,
  sections: [0, 1, 2, 3].map((y) => ({
    blocks:
      y < 3
        ? { palette: ["minecraft:stone"], indices: null }
        : {
            palette: ["minecraft:grass_path", "minecraft:oak_stairs[facing=west,half=top]", "minecraft:air"],
            indices: Uint16Array.from({ length: 4096 }, (_, i) => (i >> 8 > 7 ? 2 : i % 7 === 0 ? 1 : 0)),
          },
    biomes: null,
  })),
  blockEntities: [],
};
/** Edits by tick. */
const EDITS = [
  [20, [8, 55, 8], "minecraft:gold_block"],
  [20, [-1, 20, 3], "minecraft:air"],
  [40, [8, 55, 8], "minecraft:air"],
  [40, [300, 70, 300], "minecraft:glass"],
] as const;

/** A recording over chunks three each way, and one of a world that is not there. */
async function stage(folder: Folder): Promise<void> {
  const store = directoryStore(folder.path);
  const writer = new WorldWriter(store, WORLD);
  for (let x = -1; x <= 1; x++) for (let z = -1; z <= 1; z++) await writer.put("minecraft:overworld", x, z, CHUNK);
  await writer.put("minecraft:overworld", 18, 18, CHUNK);
  await writer.flush();
  for (const [id, world] of [
    ["run", WORLD],
    ["lost", { ...WORLD, version: worldVersion("v2") }],
  ] as const) {
    const lines = new LineProtocol({ open: (header) => record(store, { id, ...header }) });
    await lines.give({ simtape: 1, dataVersion: 2586, protocol: 754, worldId: world.id, worldVersion: world.version });
    await lines.give({ tick: 0 });
    await lines.give({ dimension: "minecraft:overworld" });
    await lines.give({ join: { ...STEVE, at: [8.5, 56, 8.5] } });
    for (const [tick, at, state] of EDITS) {
      await lines.give({ tick });
      await lines.give({ block: { at, state } });
    }
    await lines.give({ tick: 80 });
    await lines.finish();
    await lines.recorder!.close();
  }
}

/** The name of what is there at a time, in the client's version. */
function wanted(version: string, tick: number, x: number, y: number, z: number): string {
  const edit = EDITS.findLast(([since, at]) => since <= tick && at.join() === [x, y, z].join());
  const { palette, indices } = CHUNK.sections[Math.floor(y / 16)]?.blocks ?? { palette: ["air"], indices: null };
  const base = palette[indices?.[((y & 15) << 8) | ((z & 15) << 4) | (x & 15)] ?? 0]!;
  const data = GameData.of(version);
  return data.nameOf(data.stateOf(edit?.[2] ?? base)!)!.replace("minecraft:", "");
}

function expectGround(looker: Looker, tick: number): void {
  const data = GameData.of(looker.version);
  const different: string[] = [];
  for (let y = 14; y < 72; y++)
    for (let x = -16; x < 32; x++)
      for (let z = -16; z < 32; z++) {
        const state = looker.ground.stateAt(x, y, z);
        const seen = state === null ? "none" : data.nameOf(state)!.replace("minecraft:", "");
        const known = wanted(looker.version, tick, x, y, z);
        if (seen !== known) different.push(`${x},${y},${z}: ${seen}, not ${known}`);
      }
  expect(different.slice(0, 5)).toEqual([]);
}

test("clients of both versions see the world with what was edited, whenever and wherever they look", async () => {
  using folder = new Folder();
  await stage(folder);
  const server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true });
  try {
    await using old = await Looker.join(server.port, "1.16.5", "Old", "run.replays.example");
    await expect.poll(() => server.sessions.size).toBe(1);
    await using young = await Looker.join(server.port, "1.21.4", "Young", "run.replays.example");
    await using other = await Looker.join(server.port, "1.21.4", "Other", "run.replays.example");
    const [session] = [...server.sessions];
    await expect.poll(() => session!.viewers.size).toBe(3);
    const lookers = [old, young, other];
    old.say("/pause");
    await expect.poll(() => session!.player.status.phase).toBe("paused");
    old.say("/t 0s");
    const see = async (tick: number): Promise<void> => {
      for (const looker of lookers) {
        for (const corner of [-16, 31]) await expect.poll(() => looker.ground.nameAt(corner, 14, corner)).toBe("stone");
        await expect.poll(() => looker.ground.nameAt(8, 55, 8)).toBe(wanted(looker.version, tick, 8, 55, 8));
        expectGround(looker, tick);
      }
    };
    await see(0);
    // the same bytes for both of a version
    expect(server.chunks.made).toBe(2 * 9);
    old.say("/t 1.5s");
    await see(30);
    old.say("/t 3s");
    await see(60);
    old.say("/t 0s");
    await see(0);
    // live
    session!.player.play();
    await expect.poll(() => session!.player.status.time).toBeGreaterThan(1.2e9);
    session!.player.pause();
    await expect.poll(() => session!.scene.blocks.size).toBe(2);
    await see(30);
    // away, where the store has one chunk more, and back
    old.say("/t 3s");
    await expect.poll(() => session!.scene.blocks.size).toBe(3);
    for (const looker of lookers) looker.go(296, 80, 296);
    for (const looker of lookers) {
      await expect.poll(() => looker.ground.nameAt(300, 70, 300)).toBe("glass");
      expect([looker.ground.nameAt(300, 20, 300), looker.ground.nameAt(8, 55, 8)]).toEqual(["stone", null]);
    }
    for (const looker of lookers) looker.go(8, 60, 8);
    await see(60);
    // nothing is left of it in the lobby
    young.say("/lobby");
    await expect.poll(() => young.ground.nameAt(8, 20, 8)).toBe("air");
    expect(young.chat.filter((line) => line.includes("not in the store"))).toEqual([]);
  } finally {
    await server.close();
  }
});

test("a world that is not in the store is said once, and edits are seen without it", async () => {
  using folder = new Folder();
  await stage(folder);
  await using lost = await open(fromFile(folder.at("lost/meta.hcrp")));
  expect(lost.info.metadata).toMatchObject({ worldId: WORLD.id, worldVersion: worldVersion("v2") });
  const server = await ReplayServer.listen({ store: folder.path, port: 0, isInsecure: true });
  try {
    await using looker = await Looker.join(server.port, "1.21.4", "Eyes", "lost.replays.example");
    looker.say("/t 1.5s");
    await expect.poll(() => looker.ground.nameAt(8, 55, 8)).toBe("gold_block");
    looker.say("/t 0s");
    await expect.poll(() => looker.ground.nameAt(8, 55, 8)).toBe("air");
    expect(looker.chat.filter((line) => line.includes("not in the store"))).toHaveLength(1);
  } finally {
    await server.close();
  }
});
