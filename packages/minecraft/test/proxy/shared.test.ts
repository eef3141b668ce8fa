import { describe, expect, test } from "vitest";
import { Echo } from "../../src/proxy/echo.ts";
import type { Stance } from "../../src/capture/body.ts";
import { type Seer, SharedWorld } from "../../src/proxy/shared-world.ts";
import { subjectsOf } from "../../src/scene/profiles.ts";
import { GameProxy, type ProxyEvent } from "../../src/proxy/proxy.ts";
import { eventOf, type Line, lineOf } from "../support/lines.ts";
import { Folder } from "../support/demo.ts";
import { Looker } from "../support/looker.ts";
import { recordedIn, valuesOf } from "../support/recorded.ts";
import { Stage } from "../support/stage.ts";
import { TestServer } from "../support/squid.ts";

describe("what several clients hear", () => {
  test("is one thing, as often as each hears it", () => {
    let now = 0;
    const echo = new Echo<string>(() => now);
    expect(["a", "b", "a", "b", "c", "c", "c"].map((who) => echo.isNew(who, "gg"))).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
      true,
    ]);
    now = 2500;
    expect([echo.isNew("b", "gg"), echo.isNew("a", "gg")]).toEqual([true, false]);
  });
});

/** Sees everything at one place. */
class Eyes implements Seer {
  readonly at: number;
  constructor(at: number) {
    this.at = at;
  }
  stanceOf(): Stance {
    return { at: [this.at, 0, 0] } as unknown as Stance;
  }
}

describe("things that several clients see", () => {
  const spawn = (id: number, more: object = {}): Line => ({
    spawn: { id, type: "minecraft:bat", at: [0, 0, 0], ...more },
  });

  test("are there once, as one sees them, and pass on to the next", () => {
    const lines: Line[] = [];
    const world = new SharedWorld<Eyes>(
      (event) => lines.push(lineOf(event)),
      (uuid) => uuid === "u",
    );
    const [one, two] = [new Eyes(1), new Eyes(2)];
    const move = { move: { id: 7, at: [1, 0, 0] } };
    for (const eyes of [one, two]) for (const line of [spawn(7), move]) world.sees(eyes, eventOf(line));
    world.sees(one, eventOf({ remove: { id: 7 } }));
    world.sees(two, eventOf(move));
    world.leave(two);
    world.sees(two, eventOf(move));
    expect(lines).toEqual([spawn(7), move, { move: { id: 7, at: [2, 0, 0] } }, move, { remove: { id: 7 } }]);
  });

  test("are no players who tell of themselves; what only others know of them counts once", () => {
    const lines: Line[] = [];
    const world = new SharedWorld<Eyes>(
      (event) => lines.push(lineOf(event)),
      (uuid) => uuid === "u",
    );
    const [own, one, two] = [new Eyes(0), new Eyes(1), new Eyes(2)];
    const dress = { equipment: { id: 9, items: { 0: "minecraft:stone" } } };
    world.enter(own, 9);
    for (const eyes of [one, two]) for (const line of [spawn(9, { uuid: "u" }), dress]) world.sees(eyes, eventOf(line));
    expect(lines).toEqual([]);
    const join = { join: { id: 9, uuid: "u", name: "n", at: [5, 0, 0] } };
    world.says(eventOf(join) as never);
    for (const eyes of [one, two]) world.sees(eyes, eventOf({ move: { id: 9, at: [8, 8, 8] } }));
    world.sees(one, eventOf(spawn(7)));
    world.sees(one, eventOf({ hurt: { id: 7, attacker: 9 } }));
    world.sees(one, eventOf({ hurt: { id: 7, attacker: 12 } }));
    world.sees(one, eventOf({ mount: { id: 7, passengers: [9, 12] } }));
    for (const eyes of [one, two]) world.sees(eyes, eventOf({ remove: { id: 9 } }));
    world.says(eventOf({ leave: { id: 9 } }) as never);
    expect(lines).toEqual([
      join,
      { subject: { id: 9, uuid: "u", name: "n" } },
      dress,
      spawn(7),
      { hurt: { id: 7, attacker: 9 } },
      { hurt: { id: 7 } },
      { mount: { id: 7, passengers: [9] } },
      { leave: { id: 9 } },
    ]);
  });

  test("that turn out to tell of themselves stay the same thing", () => {
    const lines: Line[] = [];
    const world = new SharedWorld<Eyes>(
      (event) => lines.push(lineOf(event)),
      (uuid) => uuid === "u",
    );
    const [own, one] = [new Eyes(0), new Eyes(1)];
    const seen = { spawn: { id: 9, type: "minecraft:player", at: [0, 0, 0], uuid: "v", name: "n" } };
    world.sees(one, eventOf(seen));
    world.enter(own, 9);
    world.sees(one, eventOf({ move: { id: 9, at: [8, 8, 8] } }));
    world.says(eventOf({ join: { id: 9, uuid: "u", name: "n", at: [5, 0, 0], look: [1, 2] } }) as never);
    world.says(eventOf({ move: { id: 9, at: [6, 0, 0] } }) as never);
    world.says(eventOf({ leave: { id: 9 } }) as never);
    // into a world twice, as some versions say it
    world.enter(own, 9);
    world.says(eventOf({ join: { id: 9, uuid: "u", name: "n", at: [0, 0, 0] } }) as never);
    expect(lines).toEqual([
      seen,
      { subject: { id: 9, uuid: "u", name: "n" } },
      { teleport: { id: 9, at: [5, 0, 0], look: [1, 2] } },
      { move: { id: 9, at: [6, 0, 0] } },
      { leave: { id: 9 } },
      { join: { id: 9, uuid: "u", name: "n", at: [0, 0, 0] } },
      { subject: { id: 9, uuid: "u", name: "n" } },
    ]);
  });
});

test("what others have taken for something else becomes a player", () => {
  const lines: Line[] = [];
  const world = new SharedWorld<Eyes>(
    (event) => lines.push(lineOf(event)),
    () => false,
  );
  const bat = { spawn: { id: 9, type: "minecraft:bat", at: [0, 0, 0] } };
  world.sees(new Eyes(1), eventOf(bat));
  world.enter(new Eyes(0), 9);
  const join = { join: { id: 9, uuid: "u", name: "n", at: [5, 0, 0] } };
  world.says(eventOf(join) as never);
  expect(lines).toEqual([bat, { remove: { id: 9 } }, join, { subject: { id: 9, uuid: "u", name: "n" } }]);
});

describe.each(["1.16.5", "1.21.4"])("a proxy, %s", (version) => {
  test("records what two clients see once, in a recording for each dimension", async () => {
    using folder = new Folder();
    await using stage = await Stage.open(version);
    const events: ProxyEvent[] = [];
    const server = { host: "127.0.0.1", port: stage.port };
    const report = (event: ProxyEvent): void => void events.push(event);
    const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store: folder.path, report });
    try {
      await using one = await Looker.join(proxy.port, version, "One");
      await using two = await Looker.join(proxy.port, version, "Two");
      stage.tell(...stage.bat(7, 1, 65, 2));
      stage.tell("rel_entity_move", { entityId: 7, dX: 4096, dY: 1, dZ: -3, onGround: true });
      const slots = [{ slot: 5, item: itemOf(version) }];
      for (const entityId of [7, 101]) stage.tell("entity_equipment", { entityId, equipments: slots });
      stage.tell("block_change", { location: { x: 3, y: 64, z: -5 }, type: 1 });
      stage.say("hello");
      await expect.poll(() => [one.chat, two.chat]).toEqual([["hello"], ["hello"]]);
      expect(one.entities.get(7)).toEqual(two.entities.get(7));
      // the bat goes from one client, and goes on in the other
      stage.tell("entity_destroy", { entityIds: [7] }, ["One"]);
      await expect.poll(() => one.entities.has(7)).toBe(false);
      stage.tell("rel_entity_move", { entityId: 7, dX: 4096, dY: 0, dZ: 0, onGround: true }, ["Two"]);
      stage.put("Two", 40.25, 70, 0);
      await expect.poll(() => two.place.x).toBe(40.25);
      stage.enter("One", "minecraft:the_nether");
      stage.put("One", 8.5, 32, 8.5);
      await expect.poll(() => one.place.y).toBe(32);
      await expect.poll(() => events.filter((event) => "began" in event).length).toBe(2);
    } finally {
      await proxy.close();
    }
    expect([proxy.failed, proxy.losses.reasons]).toEqual([0, []]);
    const recordings = await recordedIn(folder.path);
    const [nether, overworld] = ["the_nether", "overworld"].map(
      (name) => [...recordings].find(([id]) => id.startsWith(name))![1],
    );
    expect(await valuesOf(overworld!, "set-block")).toHaveLength(1);
    expect((await valuesOf(overworld!, "chat")).map(({ line }) => line)).toEqual(["hello"]);
    expect(await valuesOf(overworld!, "spawn")).toHaveLength(3);
    expect(await valuesOf(overworld!, "set-items")).toHaveLength(2);
    // a player is there until it leaves for elsewhere; the bat has gone on after the first client lost it
    const gone: [number, unknown][] = [];
    for await (const { time, value } of overworld!.messages("remove")) gone.push([time, value]);
    expect(gone).toHaveLength(3);
    const { sets } = await overworld!.state(gone[1]![0] - 1);
    expect(sets.get("players")!.columns.get("label")!.data).toEqual(["Two"]);
    expect([...(sets.get("entities")!.columns.get("position")!.data as Float64Array)]).toEqual([
      3,
      65 + 1 / 4096,
      2 - 3 / 4096,
    ]);
    expect(await valuesOf(nether!, "spawn")).toHaveLength(1);
    expect([overworld!, nether!].map((recording) => subjectsOf(recording).size)).toEqual([2, 1]);
    for (const recording of recordings.values()) await recording.close();
  });
});

/** A helmet of stone, as each version has an item. */
function itemOf(version: string): object {
  const more = { addedComponentCount: 0, removedComponentCount: 0, components: [], removeComponents: [] };
  return version === "1.16.5" ? { present: true, itemId: 1, itemCount: 1 } : { itemCount: 1, itemId: 1, ...more };
}

test("a proxy records what players do to the world of a server: blocks, talk, a bat that both see", async () => {
  const version = "1.16.5";
  using folder = new Folder();
  await using game = await TestServer.start(version);
  const server = { host: "127.0.0.1", port: game.port };
  const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store: folder.path });
  try {
    await using one = await Looker.join(proxy.port, version, "One");
    await using two = await Looker.join(proxy.port, version, "Two");
    const lookers = [one, two];
    const isPlayer = (name: string): boolean => game.squid.players.some(({ username }) => username === name);
    await expect.poll(() => isPlayer("One") && isPlayer("Two")).toBe(true);
    const { x, y, z } = one.place;
    const at = { x: Math.floor(x), y: Math.floor(y) + 3, z: Math.floor(z) };
    await expect.poll(() => one.chunks.has(`${at.x >> 4},${at.z >> 4}`)).toBe(true);
    one.say(`/setblock ${at.x} ${at.y} ${at.z} 1`);
    await expect.poll(() => lookers.map(({ blocks }) => blocks.size)).toEqual([1, 1]);
    one.say("/summon bat");
    const bats = ({ entities }: Looker): number => [...entities.values()].filter(({ kind }) => kind === "bat").length;
    await expect.poll(() => lookers.map(bats)).toEqual([1, 1]);
    const heard = (): number[] => lookers.map(({ counts }) => counts.get("chat") ?? 0);
    const before = heard();
    two.say("gg");
    await expect.poll(heard).toEqual(before.map((count) => count + 1));
  } finally {
    await proxy.close();
  }
  expect([proxy.failed, proxy.losses.reasons]).toEqual([0, []]);
  const [recording] = [...(await recordedIn(folder.path)).values()];
  expect(await valuesOf(recording!, "set-block")).toHaveLength(1);
  expect((await valuesOf(recording!, "chat")).filter(({ line }) => String(line).includes("gg"))).toHaveLength(1);
  expect(await valuesOf(recording!, "spawn")).toHaveLength(3);
  await recording!.close();
});

test("a place that is no number is not recorded, and the proxy says why", async () => {
  using folder = new Folder();
  await using game = await TestServer.start("1.16.5");
  const server = { host: "127.0.0.1", port: game.port };
  const events: ProxyEvent[] = [];
  const report = (event: ProxyEvent): number => events.push(event);
  const proxy = await GameProxy.listen({ port: 0, host: "127.0.0.1", server, store: folder.path, report });
  try {
    await using one = await Looker.join(proxy.port, "1.16.5", "One");
    one.client.write("teleport_confirm", { teleportId: 1 });
    one.go(Number.NaN, 64, 0);
    await expect.poll(() => one.chunks.size).toBeGreaterThan(4);
  } finally {
    await proxy.close();
  }
  expect(proxy.losses.reasons).toEqual([
    "move of One: at[0]: expected a number from -2147483648 to 2147483648, found NaN",
  ]);
  expect(events.filter((event) => "lost" in event)).toMatchObject([{ lost: { count: 1 } }]);
});
