import { memoryStore } from "simtape";
import { directoryStore } from "simtape/node";
import { type WorldName, WorldReader } from "simtape/world";
import { expect, test } from "vitest";
import { GameData } from "../../src/game/data.ts";
import { Ground } from "../../src/proxy/ground.ts";
import { GameProxy } from "../../src/proxy/proxy.ts";
import { worldIdOf, worldIn } from "../../src/world/names.ts";
import { blockAt } from "../../src/world/packets.ts";
import { ChunkSink } from "../../src/world/sink.ts";
import { columnOf, packetOf } from "../support/column.ts";
import { Folder } from "../support/demo.ts";
import { eventOf, type Line, lineOf } from "../support/lines.ts";
import { Looker } from "../support/looker.ts";
import { recordedIn, valuesOf } from "../support/recorded.ts";
import { TestServer } from "../support/squid.ts";

const WORLD: WorldName = { id: worldIdOf("test"), version: "ab".repeat(16) };
const OVERWORLD = "minecraft:overworld";

test.each(["1.16.5", "1.21.4"])(
  "%s: a chunk that comes again is edits of what changed out of sight",
  async (version) => {
    using folder = new Folder();
    const store = directoryStore(folder.path);
    const lines: Line[] = [];
    const failures: unknown[] = [];
    const ground = new Ground({
      sink: new ChunkSink(store, WORLD),
      dimension: OVERWORLD,
      data: GameData.of(version),
      write: (event) => lines.push(lineOf(event)),
      failed: (error) => failures.push(error),
    });
    const column = columnOf(version);
    const see = (): void => ground.see(packetOf(version, column, 2, -1) as never);
    column.setBlockStateId({ x: 0, y: 10, z: 0 }, 1);
    see();
    // two clients are sent the same
    see();
    // a block is set before all eyes, another one out of sight
    ground.hear(eventOf({ block: { at: [33, 10, -16], state: "minecraft:stone" } }));
    column.setBlockStateId({ x: 1, y: 10, z: 0 }, 1);
    column.setBlockStateId({ x: 2, y: 10, z: 0 }, 1);
    see();
    await ground.close();
    expect(lines).toEqual([{ block: { at: [34, 10, -16], state: "minecraft:stone" } }]);
    expect(failures).toEqual([]);
    const chunk = await new WorldReader(store, WORLD).chunk(OVERWORLD, 2, -1);
    expect([0, 1, 2].map((x) => blockAt(chunk!, x, 10, 0))).toEqual([
      "minecraft:stone",
      "minecraft:air",
      "minecraft:air",
    ]);
  },
);

test("a store that takes nothing is reported once", async () => {
  const failures: unknown[] = [];
  const denied = (): Promise<never> => Promise.reject(new Error("no room"));
  const store = { ...memoryStore(), get: () => Promise.resolve(null), head: denied, put: denied };
  const ground = new Ground({
    sink: new ChunkSink(store, WORLD),
    dimension: OVERWORLD,
    data: GameData.of("1.16.5"),
    write: () => expect.unreachable(),
    failed: (error) => failures.push(error),
  });
  for (const x of [1, 2]) {
    const column = columnOf("1.16.5");
    ground.see(packetOf("1.16.5", column, x, 0) as never);
  }
  await ground.close();
  expect(failures.map(String)).toEqual(["Error: no room"]);
});

test("a recording through the proxy names its world, which is in the store", async () => {
  using folder = new Folder();
  await using game = await TestServer.start("1.16.5");
  const server = { host: "127.0.0.1", port: game.port };
  const store = directoryStore(folder.path);
  const worlds = { store, id: WORLD.id };
  const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store: folder.path, worlds });
  let seen = 0;
  let place = { x: 0, y: 0, z: 0 };
  try {
    await using one = await Looker.join(proxy.port, "1.16.5", "One");
    ({ place } = one);
    await expect.poll(() => one.chunks.has(`${Math.floor(place.x / 16)},${Math.floor(place.z / 16)}`)).toBe(true);
    await using two = await Looker.join(proxy.port, "1.16.5", "Two");
    await expect.poll(() => two.chunks.size).toBeGreaterThan(4);
    seen = one.chunks.size;
  } finally {
    await proxy.close();
  }
  expect([proxy.failed, proxy.losses.reasons]).toEqual([0, []]);
  const [recording] = [...(await recordedIn(folder.path)).values()];
  const world = worldIn(recording!.info)!;
  expect(world.id).toBe(WORLD.id);
  const reader = new WorldReader(store, world);
  const problems = [];
  for await (const problem of reader.check()) problems.push(problem);
  expect(problems).toEqual([]);
  let count = 0;
  for await (const { dimension, x, z } of reader.regions()) count += (await reader.region(dimension, x, z))!.size;
  expect(count).toBeGreaterThanOrEqual(seen);
  const [cx, cz] = [Math.floor(place.x / 16), Math.floor(place.z / 16)];
  const chunk = await reader.chunk(OVERWORLD, cx, cz);
  const below = Array.from({ length: 256 }, (_, y) => blockAt(chunk!, 0, y, 0));
  expect(below.some((name) => name !== null && name !== "minecraft:air")).toBe(true);
  expect(await valuesOf(recording!, "set-block")).toEqual([]);
  await recording!.close();
});
