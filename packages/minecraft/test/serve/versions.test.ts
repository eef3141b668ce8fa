import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSIONS } from "../../src/scene/versions.ts";
import { GameData } from "../../src/game/data.ts";
import { ReplayServer } from "../../src/serve/server.ts";
import { Folder } from "../support/demo.ts";
import { Hub } from "../support/hub.ts";
import { Looker } from "../support/looker.ts";

/** Recorded by 1.16.5, and by 1.21.4 from the second 1 on. */
async function record(store: string): Promise<void> {
  await using hub = await Hub.start(store);
  hub.send(
    { begin: { rec: "meadow", header: { dataVersion: 2586, protocol: 754, server: "test" } } },
    { join: { id: "p", uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Steve", at: [0, 64, 0] } },
    { block: { at: [1, 64, 0], state: "minecraft:grass" } },
    { block: { at: [2, 64, 0], state: "minecraft:grass_path" } },
    { block: { at: [3, 64, 0], state: "minecraft:oak_stairs[facing=east,half=top]" } },
    { tick: 0 },
    { tick: 20 },
    { versions: { dataVersion: 4189, protocol: 769 } },
    { tick: 21 },
    { block: { at: [4, 64, 0], state: "minecraft:short_grass" } },
    { block: { at: [5, 64, 0], state: "minecraft:dirt_path" } },
    { tick: 60 },
    { end: { rec: "meadow", outcome: "completed" } },
  );
  await hub.answer("ended");
}

test("row 9: a recording of two versions shows clients of both the right blocks", async () => {
  using folder = new Folder();
  mkdirSync(folder.at("store"));
  await record(folder.at("store"));
  await using server = disposable(await ReplayServer.listen({ store: folder.at("store"), port: 0, isInsecure: true }));
  for (const [version, grass, path] of [
    ["1.16.5", "grass", "grass_path"],
    ["1.21.4", "short_grass", "dirt_path"],
  ] as const) {
    await using looker = await Looker.join(server.port, version, "Eyes", "meadow.replays.example");
    looker.say("/t 2s");
    const seen = (x: number): string | undefined => looker.blocks.get(`${x},64,0`)?.split(" ")[0];
    await expect.poll(() => [1, 2, 3, 4, 5].map(seen)).toEqual([grass, path, "oak_stairs", grass, path]);
    expect(looker.chat.filter((line) => line.includes("has no"))).toEqual([]);
  }
});

test.each(VERSIONS)("names of other versions are understood by %s, names of none are not", (version) => {
  const data = GameData.of(version);
  for (const [one, other] of [
    ["minecraft:grass", "minecraft:short_grass"],
    ["minecraft:grass_path", "minecraft:dirt_path"],
  ] as const) {
    expect(data.stateOf(one)).toBe(data.stateOf(other));
    expect(data.stateOf(one)).not.toBeNull();
  }
  expect(data.itemOf("minecraft:scute")).toBe(data.itemOf("minecraft:turtle_scute"));
  expect(data.kindOf("minecraft:boat")).toBe(data.kindOf("minecraft:oak_boat"));
  for (const name of ["minecraft:nothing", "minecraft:constructor", "minecraft:toString"])
    expect([data.stateOf(name), data.itemOf(name), data.kindOf(name)]).toEqual([null, null, null]);
});

function disposable(server: ReplayServer): ReplayServer & AsyncDisposable {
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}
