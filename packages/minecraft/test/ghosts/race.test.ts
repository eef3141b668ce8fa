import { createDeserializer } from "minecraft-protocol";
import { describe, expect, test } from "vitest";
import { encodedAll } from "../../src/game/encoding.ts";
import type { Packet } from "../../src/game/packet.ts";
import { Ghost } from "../../src/ghosts/ghost.ts";
import { GHOSTLY, Race } from "../../src/ghosts/race.ts";
import { GhostTeam } from "../../src/ghosts/team.ts";
import { adapterFor } from "../../src/scene/families.ts";
import { VERSIONS } from "../../src/scene/versions.ts";
import { Rules } from "../support/rules.ts";

const SKIN = [{ name: "textures", value: "skin" }];
/** Along x, a block each tick, in every second tick. */
const column = (step: number): Float64Array => Float64Array.from({ length: 11 }, (_, i) => i * step * 4096);
const GHOST = new Ghost(
  "old",
  "Alexander-the-16",
  SKIN,
  { step: 2, x: column(2), y: column(0), z: column(0), yaw: column(0) },
  [5],
);
/** A run of the same, whose player is not known. */
const GHOST_OF_NOBODY = new Ghost(
  "older",
  "",
  [],
  { step: 1, x: column(1), y: column(1), z: column(0), yaw: column(0) },
  [],
);
const FAR = [0, 100, 0] as const;

/** A race, and what its runner is sent. */
async function race(version = "1.16.5") {
  const sent: Packet[] = [];
  const state = { isOpen: true };
  const team = new GhostTeam("runner");
  const of = new Race(await adapterFor(version, GHOSTLY), team, (packets) => {
    if (state.isOpen) sent.push(...packets);
    return state.isOpen;
  });
  of.ghosts = [GHOST];
  const names = (): string[] =>
    sent.splice(0).map(([name, params]) => ("mode" in params ? `${name} ${params.mode as number}` : name));
  return { of, team, state, names, sent };
}

const APPEARS = ["player_info", "named_entity_spawn", "entity_metadata", "entity_head_rotation", "entity_look"];

describe("a race", () => {
  test("a ghost has its skin before its body, and is in a team that does not push and sees through", async () => {
    const { of, sent } = await race();
    of.show(0, FAR);
    expect(sent.map(([name]) => name)).toEqual(["teams", ...APPEARS]);
    const [[, team], [, info], [, body], [, data]] = sent as [Packet, Packet, Packet, Packet];
    expect(team).toMatchObject({ collisionRule: "never", friendlyFire: 3, players: ["runner", "1 Alexander-the-"] });
    expect(info).toMatchObject({ data: [{ name: "1 Alexander-the-", properties: SKIN }] });
    expect(body).toMatchObject({ entityId: 2_000_000, x: 0 });
    expect(data).toMatchObject({ metadata: expect.arrayContaining([{ key: 0, type: 0, value: 0x20 }]) });
  });

  test.each(VERSIONS)("a client of %s takes every packet of it", async (version) => {
    const rules = new Rules(version);
    const state = "play" as never;
    const parser = createDeserializer({ state, isServer: false, version, customPackets: {} }) as unknown as {
      parsePacketBuffer(bytes: Buffer): { data: { name: string; params: object } };
    };
    const adapter = await adapterFor(version, GHOSTLY);
    const team = new GhostTeam("runner");
    const send = (packets: readonly Packet[]): boolean => {
      for (const bytes of encodedAll(version, packets)) {
        const { name, params } = parser.parsePacketBuffer(bytes).data;
        rules.hear("play", name, params);
      }
      return true;
    };
    const uuid = "00000000-0000-3000-8000-000000000001";
    rules.hear("login", "success", { uuid });
    if (version >= "1.20.2")
      for (const name of ["registry_data", "finish_configuration"]) rules.hear("configuration", name, {});
    send([...adapter.login(1, 20), ...adapter.self(uuid, "runner", "spectator")]);
    send([...adapter.around(0, 0, 2), ...adapter.emptyChunk(0, 0)]);
    send(adapter.put({ x: 0, y: 100, z: 0, yaw: 0, pitch: 0 }));
    const of = new Race(adapter, team, send);
    of.ghosts = [GHOST, GHOST_OF_NOBODY];
    // beside each other, behind the end, from the start again, into the runner, and in another world
    for (const tick of [0, 1, 2, 20, 200, 0, 5]) of.show(tick, FAR);
    of.split(1, 5);
    of.show(6, [6, 0, 0]);
    of.finish(20);
    expect(rules.things.size).toBe(1);
    of.forget(false);
    of.show(0, FAR);
    expect(rules.things.size).toBe(2);
    of.hide();
    expect(rules.things.size).toBe(0);
    rules.end();
    expect(rules.problems).toEqual([]);
  });

  test("1.21.4: it is not in the list of players", async () => {
    const { of, sent } = await race("1.21.4");
    of.show(0, FAR);
    expect(sent[1]).toMatchObject(["player_info", { data: [{ listed: 0, player: { properties: SKIN } }] }]);
  });

  test("ticks between two places are on the way, and nothing is sent while nothing changes", async () => {
    const { of, sent, names } = await race();
    of.show(0, FAR);
    names();
    of.show(1, FAR);
    of.show(1, FAR);
    of.show(2, FAR);
    expect(sent.map(([, params]) => (params as { dX: number }).dX)).toEqual([4096, 4096]);
    of.show(0, FAR);
    expect(sent.at(-1)).toMatchObject(["entity_teleport", { x: 0 }]);
  });

  test("it is hidden within two blocks of the runner, and gone two seconds behind its end", async () => {
    const { of, names } = await race();
    of.show(4, [5.9, 0, 0]);
    expect(names()).toEqual(["teams 0"]);
    of.show(4, [6, 0, 0]);
    expect(names()).toEqual(APPEARS);
    of.show(4, [2.1, 0, 0]);
    expect(names()).toEqual(["entity_destroy", "player_info"]);
    of.show(60, FAR);
    expect(names()).toEqual(APPEARS);
    of.show(61, FAR);
    expect(names()).toEqual(["entity_destroy", "player_info"]);
    of.hide();
    expect(names()).toEqual(["teams 4"]);
  });

  test("what could not be sent is made up for", async () => {
    const { of, state, names, sent } = await race();
    state.isOpen = false;
    of.show(0, FAR);
    state.isOpen = true;
    of.show(1, FAR);
    expect(names()).toEqual(["teams 0", ...APPEARS]);
    state.isOpen = false;
    expect(of.hide()).toBe(false);
    state.isOpen = true;
    expect(of.hide()).toBe(true);
    expect(sent.map(([name]) => name)).toEqual(["teams", "entity_destroy", "player_info"]);
  });

  test("a runner of another team stays in it, and sees solid ghosts", async () => {
    const { of, team, sent } = await race();
    of.show(0, FAR);
    sent.length = 0;
    team.see({ team: "red", mode: 3, players: ["runner"] });
    of.show(0, FAR);
    expect(sent).toMatchObject([
      ["entity_metadata", { metadata: expect.arrayContaining([{ key: 0, type: 0, value: 0 }]) }],
    ]);
    sent.length = 0;
    team.see({ team: "red", mode: 1 });
    of.show(0, FAR);
    expect(sent).toMatchObject([
      ["teams", { mode: 3, players: ["runner"] }],
      ["entity_metadata", {}],
    ]);
  });

  test("in another world ghosts come again; behind a new login the client knows nothing", async () => {
    const { of, team, names } = await race();
    of.show(0, FAR);
    names();
    of.forget(false);
    of.show(0, FAR);
    expect(names()).toEqual(["teams 4", "entity_destroy", "player_info", "teams 3", ...APPEARS]);
    team.forget();
    of.forget(true);
    of.show(0, FAR);
    expect(names()).toEqual(["teams 0", ...APPEARS]);
  });
});
