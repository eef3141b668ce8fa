import { expect, test, vi } from "vitest";
import type { ServerClient } from "../../src/game/protocol.ts";
import { adapterFor } from "../../src/scene/families.ts";
import { EMPTY, type Scene } from "../../src/scene/scene.ts";
import { GRID, type Thing } from "../../src/scene/thing.ts";
import { Viewer } from "../../src/serve/viewer.ts";

const UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5";

/** A scene in which that player is, as a thing of that number. */
function sceneWith(id: number, x: number, name = "Sam"): Scene {
  const place = { x: x * GRID, y: 64 * GRID, z: 0, yaw: 90, pitch: 0, head: 90, onGround: true };
  const looks = { pose: 0, flags: 0, gameMode: 0, items: new Map<number, string>() };
  const thing: Thing = { id, kind: "minecraft:player", name, uuid: UUID, ...place, ...looks };
  return { ...EMPTY, things: new Map([[id, thing]]) };
}

test("who looks through the eyes of a player does so whenever the player is there, and goes along", async () => {
  const adapter = await adapterFor("1.16.5");
  const cameras: (number | null)[] = [];
  const client = { ended: false, uuid: "x", username: "Viewer", socket: null, writeRaw: () => undefined };
  const camera = adapter.camera.bind(adapter);
  vi.spyOn(adapter, "camera").mockImplementation((thing, self) => {
    cameras.push(thing?.id ?? null);
    return camera(thing, self);
  });
  const viewer = new Viewer(client as unknown as ServerClient, adapter);
  const show = (scene: Scene): void => viewer.show(scene, () => [], true);
  viewer.look(UUID);
  expect(cameras).toEqual([]);
  show(sceneWith(3, 100));
  show(sceneWith(3, 200));
  expect([cameras, viewer.place.x, viewer.isAway]).toEqual([[3], 200, true]);
  // its name is learned: the client gets it again, under the same number, and has lost the one that it looked from
  show(sceneWith(3, 200, "Sammy"));
  expect(cameras.splice(1)).toEqual([3]);
  // it has gone, and comes again as another thing
  show(EMPTY);
  expect([cameras, viewer.place.x, viewer.isAway]).toEqual([[3, null], 200, false]);
  show(sceneWith(7, 300));
  expect([cameras, viewer.place.x]).toEqual([[3, null, 7], 300]);
  viewer.look(null);
  show(sceneWith(7, 400));
  expect([cameras, viewer.place.x]).toEqual([[3, null, 7, null], 300]);
});
