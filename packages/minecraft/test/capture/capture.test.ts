import { createDeserializer, createSerializer } from "minecraft-protocol";
import { describe, expect, test } from "vitest";
import type { LiveEvent } from "simtape/record";
import { Capture } from "../../src/capture/capture.ts";
import { type Line, lineOf } from "../support/lines.ts";

type Packet = readonly [name: string, params: object];

/** What a client is shown, by the library's own words for it: written and read as the protocol has it. */
function linesOf(version: string, ...packets: readonly Packet[]): { lines: Line[]; capture: Capture } {
  const options = { state: "play" as never, version, customPackets: {} };
  const writer = createSerializer({ ...options, isServer: true });
  const reader = createDeserializer({ ...options, isServer: false });
  const capture = new Capture({ version });
  const events: LiveEvent[] = [];
  for (const [name, params] of packets) {
    const { data } = reader.parsePacketBuffer(writer.createPacketBuffer({ name, params }));
    capture.clientbound(data.name, data.params, events);
  }
  return { lines: events.map(lineOf), capture };
}

const UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
const STILL = { x: 0, y: 0, z: 0 };

/** A bat with the number 7 at 1.5, 64, -3. */
function bat(version: string): Packet {
  const place = { entityId: 7, x: 1.5, y: 64, z: -3, yaw: 64, pitch: 0, headPitch: 32, velocity: STILL };
  return version === "1.16.5"
    ? ["spawn_entity_living", { ...place, entityUUID: UUID, type: 3 }]
    : ["spawn_entity", { ...place, objectUUID: UUID, type: 10, objectData: 0 }];
}

const IS_OLD = { "1.16.5": true, "1.21.4": false };
const VERSIONS = Object.keys(IS_OLD) as (keyof typeof IS_OLD)[];

describe.each(VERSIONS)("%s", (version) => {
  const isOld = IS_OLD[version];
  const reported = (...packets: readonly Packet[]): Line[] => linesOf(version, bat(version), ...packets).lines.slice(1);

  test("a thing has its kind, its place and its head", () => {
    expect(linesOf(version, bat(version)).lines).toEqual([
      {
        spawn: { id: 7, type: "minecraft:bat", at: [1.5, 64, -3], look: [90, 0], head: 45, onGround: false },
      },
    ]);
  });

  test("many small steps lead exactly where their sum leads", () => {
    const step: Packet = ["rel_entity_move", { entityId: 7, dX: 1, dY: -3, dZ: 4095, onGround: true }];
    const lines = reported(...new Array<Packet>(1000).fill(step));
    expect(lines.at(-1)).toMatchObject({
      move: { at: [1.5 + 1000 / 4096, 64 - 3000 / 4096, -3 + 4_095_000 / 4096], onGround: true },
    });
  });

  test("effects have names, and end", () => {
    const more = isOld ? { hideParticles: 0 } : { flags: 0 };
    // The numbers of a version that counts from 1, and of one that counts from 0.
    const [slowFalling, badOmen] = isOld ? [28, 31] : [27, 30];
    expect(
      reported(
        ["entity_effect", { entityId: 7, effectId: slowFalling, amplifier: 1, duration: 200, ...more }],
        ["entity_effect", { entityId: 7, effectId: badOmen, amplifier: 0, duration: -1, ...more }],
        ["remove_entity_effect", { entityId: 7, effectId: slowFalling }],
      ),
    ).toEqual([
      { effect: { id: 7, name: "minecraft:slow_falling", ticks: 200, amplifier: 1 } },
      { effect: { id: 7, name: "minecraft:bad_omen", ticks: 2 ** 31 - 1, amplifier: 0 } },
      { effect: { id: 7, name: "minecraft:slow_falling", ticks: 0 } },
    ]);
  });

  test("sounds have names, by number and by name", () => {
    const heard = { x: 12, y: 512, z: -20, volume: 0.5, pitch: 2 };
    const packets: readonly Packet[] = isOld
      ? [
          ["sound_effect", { soundId: 1, soundCategory: 4, ...heard }],
          ["named_sound_effect", { soundName: "random.pop", soundCategory: 4, ...heard }],
          ["entity_sound_effect", { soundId: 1, soundCategory: 8, entityId: 7, volume: 1, pitch: 1 }],
        ]
      : [
          ["sound_effect", { sound: { soundId: 1 }, soundCategory: "block", ...heard, seed: 0n }],
          [
            "entity_sound_effect",
            { sound: { soundId: 1 }, soundCategory: "ambient", entityId: 7, volume: 1, pitch: 1, seed: 0n },
          ],
        ];
    const name = isOld ? "minecraft:ambient.basalt_deltas.additions" : "minecraft:entity.allay.ambient_without_item";
    const place = { at: [1.5, 64, -2.5], volume: 0.5, pitch: 2, category: 4 };
    expect(reported(...packets)).toEqual([
      { sound: { name, ...place } },
      ...(isOld ? [{ sound: { name: "minecraft:random.pop", ...place } }] : []),
      { sound: { name, at: [1.5, 64, -3], volume: 1, pitch: 1, category: 8 } },
    ]);
  });

  test("blocks of a section are where they belong, below zero too", () => {
    const state = isOld ? 1954 : 2929;
    const section = { x: -1, y: isOld ? 4 : -4, z: 2 };
    // The state, then four bits each of x, z and y.
    const records = [(state << 12) | 0x312];
    const said = { chunkCoordinates: section, notTrustEdges: false, records };
    const stairs = "minecraft:oak_stairs[facing=north,half=top,shape=straight,waterlogged=true]";
    expect(reported(["multi_block_change", said])).toEqual([
      { block: { at: [-16 + 3, section.y * 16 + 2, 32 + 1], state: stairs } },
    ]);
  });

  test("orbs are things, too", () => {
    expect(reported(["spawn_entity_experience_orb", { entityId: 8, x: 1, y: 2, z: 3, count: 5 }])).toMatchObject([
      { spawn: { id: 8, type: "minecraft:experience_orb", at: [1, 2, 3] } },
    ]);
  });

  test("players have names, skins and game modes, known before they are seen or later", () => {
    const textures = { name: "textures", value: "abc", signature: undefined };
    const entry = { uuid: UUID, name: "Steve", properties: [textures], gamemode: 1, ping: 0 };
    const listed: Packet = isOld
      ? ["player_info", { action: "add_player", data: [entry] }]
      : [
          "player_info",
          {
            action: { add_player: true, update_game_mode: true },
            data: [{ uuid: UUID, player: { name: "Steve", properties: [textures] }, gamemode: 1 }],
          },
        ];
    const action = isOld ? "update_game_mode" : { update_game_mode: true };
    const place = { entityId: 5, x: 0, y: 0, z: 0, yaw: 0, pitch: 0 };
    const seen: Packet = isOld
      ? ["named_entity_spawn", { ...place, playerUUID: UUID }]
      : ["spawn_entity", { ...place, objectUUID: UUID, type: 147, headPitch: 0, objectData: 0, velocity: STILL }];
    expect(reported(listed, seen, ["player_info", { action, data: [{ uuid: UUID, gamemode: 3 }] }])).toMatchObject([
      { spawn: { id: 5, type: "minecraft:player", uuid: UUID, name: "Steve" } },
      { view: { id: 5, gameMode: 1 } },
      { subject: { id: 5, uuid: UUID, properties: [{ name: "textures", value: "abc" }] } },
      { view: { id: 5, gameMode: 3 } },
    ]);
  });

  test("what hurts says who did it", () => {
    const hurt: Packet = isOld
      ? ["entity_status", { entityId: 7, entityStatus: 2 }]
      : ["damage_event", { entityId: 7, sourceTypeId: 0, sourceCauseId: 9, sourceDirectId: 9 }];
    const orb: Packet = ["spawn_entity_experience_orb", { entityId: 8, x: 1, y: 2, z: 3, count: 5 }];
    expect(reported(hurt, orb, hurt).filter((line) => "hurt" in line)).toEqual([
      { hurt: { id: 7 } },
      { hurt: isOld ? { id: 7 } : { id: 7, attacker: 8 } },
    ]);
  });

  test("packets of things that are not there are counted, and leave nothing", () => {
    const { lines, capture } = linesOf(
      version,
      ["rel_entity_move", { entityId: 99, dX: 1, dY: 0, dZ: 0, onGround: true }],
      ["remove_entity_effect", { entityId: 99, effectId: 1 }],
      ["entity_status", { entityId: 99, entityStatus: 2 }],
      ["held_item_slot", { slot: 3 }],
    );
    expect(lines).toEqual([]);
    expect(Object.fromEntries(capture.tally)).toEqual({
      rel_entity_move: { carried: 0, left: 0, unknown: 1 },
      remove_entity_effect: { carried: 0, left: 0, unknown: 1 },
      entity_status: { carried: 0, left: 0, unknown: 1 },
      held_item_slot: { carried: 0, left: 1, unknown: 0 },
    });
  });
});

test("a jump of 1.21.4 is relative in what its flags name, and steps go on from there", () => {
  const jump = { entityId: 7, x: 2, y: 70, z: 0.25, dx: 0, dy: 0, dz: 0, yaw: 10, pitch: 5, onGround: true };
  const { lines } = linesOf(
    "1.21.4",
    bat("1.21.4"),
    ["entity_teleport", { ...jump, flags: { x: true, z: true, yaw: true } }],
    ["rel_entity_move", { entityId: 7, dX: 4096, dY: 0, dZ: 0, onGround: false }],
  );
  expect(lines.slice(1)).toMatchObject([
    { teleport: { id: 7, at: [3.5, 70, -2.75], look: [100, 5], onGround: true } },
    { move: { id: 7, at: [4.5, 70, -2.75], look: [100, 5], onGround: false } },
  ]);
});

test("a sound of 1.21.4 may have a name alone", () => {
  // The library leaves a byte of these unset when it writes them, but reads them well.
  const events: LiveEvent[] = [];
  const place = { x: 8, y: 0, z: 0, volume: 1, pitch: 1 };
  const sound = { data: { soundName: "own:pop" } };
  new Capture({ version: "1.21.4" }).clientbound("sound_effect", { sound, soundCategory: "voice", ...place }, events);
  expect(events.map(lineOf)).toEqual([{ sound: { name: "own:pop", at: [1, 0, 0], volume: 1, pitch: 1, category: 9 } }]);
});

test("a painting of 1.16.5 hangs where its packet says", () => {
  const painting = { entityId: 3, entityUUID: UUID, title: 2, location: { x: -5, y: 70, z: 9 }, direction: 3 };
  expect(linesOf("1.16.5", ["spawn_entity_painting", painting]).lines).toMatchObject([
    { spawn: { id: 3, type: "minecraft:painting", at: [-5, 70, 9], look: [270, 0] } },
  ]);
});
