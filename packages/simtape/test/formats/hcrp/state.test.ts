import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import {
  PALETTE,
  SECTION,
  type Section,
  writeBlockEdits,
  writeEntities,
  writeInventories,
  writeMetadataList,
  writePalettes,
} from "../../../src/formats/hcrp/layout/chunk.ts";
import * as entityEvents from "../../../src/formats/hcrp/layout/entity-events.ts";
import * as eventIds from "../../../src/formats/hcrp/layout/events.ts";
import { TICK } from "../../../src/formats/hcrp/layout/framing.ts";
import { writeReserved } from "../../../src/formats/hcrp/layout/metadata.ts";
import { MOVE_ON_GROUND, MOVE_X, Move, moveMask, writeMove } from "../../../src/formats/hcrp/layout/motion.ts";
import * as worldEvents from "../../../src/formats/hcrp/layout/world-events.ts";
import { bundleOf, type EntitySet, memory, MutableState, open, type State } from "../../../src/index.ts";
import { loadZstd, nbtCompound, nbtText, writeNbt } from "../../../src/kit.ts";
import { mutate, mutation, readsOrRefuses } from "../../conformance/mutate.ts";
import { fixtures, walk } from "../../fixtures/hcrp/make.ts";
import {
  built,
  type ChunkContent,
  chunkBytes,
  compacted,
  type Content,
  type EventBytes,
  event,
} from "../../fixtures/hcrp/recording.ts";
import { random, segmentedBundle, wildContent } from "../../record/wild.ts";
import { tries } from "../../soak.ts";

const { EVENT } = eventIds;
const zstd = await loadZstd();
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const UUID = "1c5f0d2e-7a44-4b09-93d1-000000000001";

async function stateOf(content: Content, tick: number): Promise<State> {
  await using recording = await open(bundleOf(memory(compacted(zstd, content))), { formats: [hcrp] });
  const state = await recording.state(tick * TICK);
  expect(recording.findings).toEqual([]);
  return state;
}

/** State behind events that follow each other in the first tick. */
function after(...list: EventBytes[]): Promise<State> {
  return stateOf({ chunks: [{ ticks: 20, snapshot: [], records: [{ tick: 0, events: list }] }] }, 0);
}

const add = (kind: number, entry: string | Uint8Array): EventBytes =>
  event(EVENT.paletteAdd, (out) =>
    worldEvents.writePaletteAdd(out, { kind, entry: typeof entry === "string" ? utf8(entry) : entry }),
  );

const place = (entity: number, x: number, yaw = 0): EventBytes =>
  event(EVENT.place, (out) =>
    entityEvents.writePlaceEvent(out, { entity, q: Float64Array.of(x, 4096, -4096), yaw, pitch: 0xc000, flags: 1 }),
  );

const move = (entity: number, x: number): EventBytes => {
  const fields = Object.assign(new Move(), { entity, x });
  fields.mask = moveMask(fields, true);
  return event(EVENT.move, (out) => writeMove(out, fields));
};

const spawn = (entity: number, type: number, profile: number | null = null): EventBytes =>
  event(EVENT.spawn, (out) =>
    entityEvents.writeSpawn(out, {
      entity,
      type,
      q: Float64Array.of(0, 0, 0),
      yaw: 0,
      pitch: 0,
      flags: 0,
      uuid: null,
      profile,
    }),
  );

function cell(set: EntitySet | undefined, column: string, id: number): unknown {
  const { data, width } = set!.columns.get(column)!;
  const row = set!.ids.indexOf(id);
  return width === 1 ? data[row] : Array.from({ length: width }, (_, k) => data[row * width + k]);
}

describe("motion", () => {
  test("a residual changes the displacement, and the displacement goes on by itself", async () => {
    const at = async (tick: number): Promise<unknown> => {
      const still = event(EVENT.move, (out) => writeMove(out, Object.assign(new Move(), { mask: MOVE_ON_GROUND })));
      const records = [
        { tick: 0, events: [place(0, 0)] },
        { tick: 1, events: [move(0, 4096)] },
        { tick: 2, events: [still] },
        { tick: 3, events: [move(0, -2048)] },
        { tick: 4, events: [place(0, 40_960), still] },
      ];
      return cell(
        (await stateOf({ chunks: [{ ticks: 20, snapshot: [], records }] }, tick)).sets.get("entities"),
        "position",
        0,
      );
    };
    expect(await Promise.all([0, 1, 2, 3, 4].map(at))).toEqual([
      [0, 1, -1],
      [1, 1, -1],
      [2, 1, -1],
      [2.5, 1, -1],
      [10, 1, -1],
    ]);
  });

  test("a chunk without a snapshot goes on from where entities are, with nothing on its way", async () => {
    const chunks: ChunkContent[] = [
      {
        ticks: 2,
        snapshot: [],
        records: [
          { tick: 0, events: [place(0, 0)] },
          { tick: 1, events: [move(0, 4096)] },
        ],
      },
      { ticks: 2, snapshot: null, records: [{ tick: 0, events: [move(0, 2048)] }] },
    ];
    expect(cell((await stateOf({ chunks }, 2)).sets.get("entities"), "position", 0)).toEqual([1.5, 1, -1]);
  });

  test("angles wrap; the head goes with the body until it turns on its own", async () => {
    const turn = Object.assign(new Move(), { entity: 0, yaw: 0x4000, headYaw: -0x2000 });
    turn.mask = moveMask(turn, false);
    const state = await after(
      place(0, 0, 0x7000),
      event(EVENT.move, (out) => writeMove(out, turn)),
    );
    const set = state.sets.get("entities");
    expect(cell(set, "rotation", 0)).toEqual([0, -90, -112.5]);
    expect(cell(set, "head-yaw", 0)).toBe(-157.5);
    expect(cell(set, "on-ground", 0)).toBe(0);
  });

  test("events of entities that were not placed change nothing", async () => {
    const state = await after(
      move(5, 4096),
      event(EVENT.state, (out) => entityEvents.writeStateEvent(out, { entity: 5, pose: 1, flags: 2 })),
      event(EVENT.vitals, (out) => entityEvents.writeVitals(out, { entity: 5, health: 6, food: 1, xp: 1 })),
    );
    expect([...state.sets.values()].map(({ ids }) => ids.length)).toEqual([0, 0, 0]);
  });

  test("an exact place shows as recorded and does not disturb the grid", async () => {
    const exact = event(EVENT.exactPlace, (out) =>
      entityEvents.writeExactPlace(out, {
        entity: 0,
        position: Float64Array.of(0.12345, 1, -1),
        yaw: 400,
        pitch: 5,
        velocity: Float64Array.of(1, 2, 3),
      }),
    );
    const state = await after(place(0, 512), exact);
    expect(cell(state.sets.get("entities"), "position", 0)).toEqual([0.12345, 1, -1]);
    expect(cell(state.sets.get("entities"), "velocity", 0)).toEqual([1, 2, 3]);
    expect(cell((await after(place(0, 512), exact, move(0, 512))).sets.get("entities"), "position", 0)).toEqual([
      0.25, 1, -1,
    ]);
    expect(cell((await after(exact)).sets.get("entities"), "position", 0)).toEqual([0.12345, 1, -1]);
  });
});

describe("entities", () => {
  test("those with a profile, a join or a subject's entry are players", async () => {
    const join = event(EVENT.join, (out) => entityEvents.writeJoin(out, { entity: 2, uuid: UUID, profile: 1 }));
    const chunk = {
      ticks: 20,
      snapshot: [],
      records: [
        {
          tick: 0,
          events: [
            add(PALETTE.profile, writeNbt({ root: nbtCompound({ name: nbtText("Grace") }), name: null })),
            add(PALETTE.entityType, "minecraft:player"),
            add(PALETTE.entityType, "minecraft:cow"),
            add(PALETTE.item, writeNbt({ root: nbtCompound({ id: nbtText("minecraft:apple") }), name: null })),
            spawn(1, 1, 1),
            spawn(2, 1),
            event(EVENT.setItems, (out) =>
              entityEvents.writeSetItems(out, { entity: 2, items: [{ slot: 9, item: 1 }] }),
            ),
            spawn(3, 2),
            place(4, 0),
            join,
          ],
        },
      ],
    };
    const subjects = [{ entity: 4, uuid: UUID, name: "Ada" }];
    const state = await stateOf({ chunks: [chunk], metadata: nbtCompound({ hcrp: writeReserved({ subjects }) }) }, 0);
    const players = state.sets.get("players");
    expect(players!.ids).toEqual([1, 2, 4]);
    expect(players!.columns.get("label")!.data).toEqual(["Grace", "Grace", "Ada"]);
    expect(players!.columns.get("uuid")!.data).toEqual(["", UUID, UUID]);
    expect(state.values.get("players/2/items/9")).toEqual({ id: "minecraft:apple" });
    expect([...state.values.keys()].some((path) => path.startsWith("entities/"))).toBe(false);
    expect(state.sets.get("entities")!.ids).toEqual([3]);
    expect(state.sets.get("entities")!.columns.get("kind")!.data).toEqual(["minecraft:cow"]);
    expect(players!.axes).toMatchObject({ handed: "right", up: "y", kind: "local" });
  });

  test("removing and leaving take the entity with its values, and passengers get off", async () => {
    const setUp = [
      add(PALETTE.text, "speed"),
      place(1, 0),
      place(2, 0),
      place(3, 0),
      event(EVENT.mount, (out) => entityEvents.writeMount(out, { vehicle: 1, passengers: Uint32Array.of(2, 3, 77) })),
      event(EVENT.effect, (out) => entityEvents.writeEffect(out, { entity: 1, effect: 1, amplifier: 2, ticks: 90 })),
      event(EVENT.metadata, (out) =>
        entityEvents.writeEntityMetadata(out, { entity: 1, entries: [{ index: 6, bytes: Uint8Array.of(5) }] }),
      ),
    ];
    const before = await after(...setUp);
    expect(before.sets.get("entities")!.columns.get("parent")!.data).toEqual(Float64Array.of(Number.NaN, 1, 1));
    expect(before.values.get("entities/1/effects/speed")).toEqual({ amplifier: 2, ticks: 90 });
    expect(before.values.get("entities/1/metadata/6")).toEqual(Uint8Array.of(5));
    const gone = await after(
      ...setUp,
      event(EVENT.remove, (out) => entityEvents.writeRemove(out, { entities: Uint32Array.of(1, 99) })),
      event(EVENT.leave, (out) => entityEvents.writeLeave(out, { entity: 3 })),
    );
    expect(gone.sets.get("entities")!.ids).toEqual([2]);
    expect(gone.sets.get("entities")!.columns.get("parent")!.data).toEqual(Float64Array.of(Number.NaN));
    expect([...gone.values.keys()]).toEqual([]);
    const off = await after(
      ...setUp,
      event(EVENT.mount, (out) => entityEvents.writeMount(out, { vehicle: 1, passengers: Uint32Array.of(3) })),
      event(EVENT.effect, (out) => entityEvents.writeEffect(out, { entity: 1, effect: 1, amplifier: 2, ticks: 0 })),
    );
    expect(off.sets.get("entities")!.columns.get("parent")!.data).toEqual(Float64Array.of(Number.NaN, Number.NaN, 1));
    expect(off.values.has("entities/1/effects/speed")).toBe(false);
  });

  test("look, hands, vitals and view are columns", async () => {
    const state = await after(
      place(1, 0),
      event(EVENT.state, (out) => entityEvents.writeStateEvent(out, { entity: 1, pose: 5, flags: 0x82 })),
      event(EVENT.itemUse, (out) => entityEvents.writeItemUse(out, { entity: 1, use: 2 })),
      event(EVENT.heldSlot, (out) => entityEvents.writeHeldSlot(out, { entity: 1, slot: 7 })),
      event(EVENT.vitals, (out) => entityEvents.writeVitals(out, { entity: 1, health: 57, food: 18, xp: 1234 })),
      event(EVENT.view, (out) => entityEvents.writeView(out, { entity: 1, gameMode: 3, camera: 0 })),
      event(EVENT.velocity, (out) =>
        entityEvents.writeVelocity(out, { entity: 1, velocity: { value: Float64Array.of(0, -1, 0), raw: null } }),
      ),
      // instants change nothing
      event(EVENT.swing, (out) => entityEvents.writeSwing(out, { entity: 1, hand: 0 })),
      event(EVENT.hurt, (out) => entityEvents.writeHurt(out, { entity: 1, attacker: null, yaw: 9 })),
    );
    const set = state.sets.get("entities");
    const names = ["pose", "flags", "item-use", "held-slot", "health", "food", "xp", "game-mode", "camera"];
    expect(names.map((name) => cell(set, name, 1))).toEqual([5, 0x82, 2, 7, 9.5, 18, 1234, 3, 0]);
    expect(cell(set, "velocity", 1)).toEqual([0, -1, 0]);
  });
});

describe("world", () => {
  const block = (x: number, y: number, z: number, index: number): EventBytes =>
    event(EVENT.setBlock, (out) => worldEvents.writeSetBlock(out, { delta: Float64Array.of(x, y, z), block: index }));

  test("blocks follow each other by deltas, come in sections, are taken back and cleared", async () => {
    const list = [
      add(PALETTE.block, "minecraft:stone"),
      add(PALETTE.block, "minecraft:dirt"),
      block(10, 64, -5, 1),
      block(-1, 0, 1, 2),
      event(EVENT.setBlocks, (out) =>
        worldEvents.writeSetBlocks(out, {
          section: Float64Array.of(-1, 4, 2),
          blocks: Uint32Array.of((2 << 12) | (15 << 8) | (1 << 4) | 3),
        }),
      ),
      block(0, 0, 0, 9),
    ];
    const blocks = (await after(...list)).sets.get("blocks")!;
    expect(blocks.ids).toEqual(["-13,79,33", "10,64,-5", "9,64,-4"]);
    expect(blocks.columns.get("kind")!.data).toEqual(["minecraft:dirt", "minecraft:stone", "minecraft:dirt"]);
    expect(blocks.columns.get("position")!.data).toEqual(Int32Array.of(-13, 79, 33, 10, 64, -5, 9, 64, -4));
    expect((await after(...list, block(0, 0, 0, 0))).sets.get("blocks")!.ids).toEqual(["-13,79,33", "10,64,-5"]);
    const cleared = await after(...list, event(EVENT.clearBlocks), block(1, 0, 0, 1));
    expect(cleared.sets.get("blocks")!.ids).toEqual(["10,64,-4"]);
  });

  test("time, weather, dimension, the last chat line and the last mark are values", async () => {
    const state = await after(
      add(PALETTE.dimension, "minecraft:the_nether"),
      add(PALETTE.text, "hello"),
      event(EVENT.world, (out) => worldEvents.writeWorld(out, { time: 24_000 * 9000, weather: null })),
      event(EVENT.world, (out) => worldEvents.writeWorld(out, { time: null, weather: 2 })),
      event(EVENT.chat, (out) => worldEvents.writeChat(out, { kind: 1, sender: null, text: 1 })),
      event(EVENT.mark, (out) => worldEvents.writeMark(out, { kind: 2, entity: 4, text: 1, severity: 3 })),
    );
    expect(Object.fromEntries(state.values)).toEqual({
      "world/dimension": "minecraft:the_nether",
      "world/time": 216_000_000,
      "world/weather": 2,
      chat: { kind: 1, sender: null, text: "hello" },
      mark: { kind: 2, entity: 4, label: "hello", severity: 3 },
    });
  });

  test("a snapshot replaces everything by what it holds", async () => {
    const palettes = [
      ["minecraft:stone"],
      ["minecraft:apple"],
      ["minecraft:pig"],
      [],
      [],
      [],
      ["Ada"],
      ["minecraft:the_end"],
    ];
    const section = (type: number, write: Parameters<typeof built>[0]): Section => ({ type, body: built(write) });
    const q = Float64Array.of(4096, 0, 0);
    const details = { type: 1, pose: 1, flags: 2, heldSlot: 3, itemUse: 1, uuid: UUID };
    const at = { q, yaw: 0, pitch: 0, flags: 1 };
    const metadata = { entity: 8, entries: [{ index: 1, bytes: Uint8Array.of(1) }] };
    const snapshot: Section[] = [
      section(SECTION.metadata, (out) => writeMetadataList(out, [metadata])),
      section(SECTION.inventories, (out) => writeInventories(out, [{ entity: 7, items: [{ slot: 0, item: 1 }] }])),
      section(SECTION.entities, (out) =>
        writeEntities(out, [
          { entity: 7, place: at, details: { ...details, profile: 1 } },
          { entity: 8, place: at, details: { ...details, profile: null } },
        ]),
      ),
      section(SECTION.blocks, (out) => writeBlockEdits(out, [{ delta: Float64Array.of(1, 2, 3), block: 1 }])),
      section(SECTION.palettes, (out) =>
        writePalettes(
          out,
          palettes.map((names) => names.map(utf8)),
        ),
      ),
      section(SECTION.world, (out) => worldEvents.writeWorld(out, { time: 5, weather: 1 })),
      { type: SECTION.interface, body: Uint8Array.of(1, 2) },
      { type: 30, body: Uint8Array.of(9) },
    ];
    const before = [place(1, 0), add(PALETTE.block, "minecraft:dirt"), block(5, 5, 5, 1)];
    const chunks: ChunkContent[] = [
      { ticks: 1, snapshot: [], records: [{ tick: 0, events: before }] },
      { ticks: 1, snapshot, records: [] },
    ];
    const state = await stateOf({ chunks }, 1);
    expect(state.sets.get("entities")!.ids).toEqual([8]);
    expect(state.sets.get("players")!.ids).toEqual([7]);
    expect(cell(state.sets.get("players"), "kind", 7)).toBe("minecraft:pig");
    expect(["pose", "flags", "held-slot", "item-use"].map((name) => cell(state.sets.get("players"), name, 7))).toEqual([
      1, 2, 3, 1,
    ]);
    expect(state.sets.get("blocks")!.ids).toEqual(["1,2,3"]);
    expect(Object.fromEntries(state.values)).toEqual({
      "players/7/items/0": "minecraft:apple",
      "entities/8/metadata/1": Uint8Array.of(1),
      "world/time": 5,
      "world/weather": 1,
      "world/dimension": "minecraft:the_end",
      interface: Uint8Array.of(1, 2),
    });
    await using recording = await open(bundleOf(memory(compacted(zstd, { chunks }))), { formats: [hcrp] });
    const values: unknown[] = [];
    for await (const message of recording.messages(recording.channel("snapshot"))) values.push(message.value);
    expect(values[0]).toEqual({});
    expect(values[1]).toMatchObject({
      palettes: { block: ["minecraft:stone"], profile: ["Ada"], dimension: ["minecraft:the_end"] },
      entities: [{ entity: 7, typeName: "minecraft:pig", profileName: "Ada", flags: 2, placeFlags: 1 }, { entity: 8 }],
      blocks: [{ block: 1, blockName: "minecraft:stone" }],
      world: { time: 5, weather: 1 },
      section30: Uint8Array.of(9),
    });
  });
});

describe("production", () => {
  test.each([4, 5] as const)("format %i: the subject, what it owns, ghost blocks, the run", async (version) => {
    await using recording = await open(bundleOf(memory((await fixtures()).get(`production-${version}.hcrp`)!)), {
      formats: [hcrp],
    });
    expect(recording.info.version).toBe(`${version} (production)`);
    const at = (tick: number): Promise<State> => recording.state(tick * TICK);
    const early = await at(0);
    expect(cell(early.sets.get("players"), "position", 0)).toEqual([0.5, 64, -7.25]);
    expect(cell(early.sets.get("players"), "rotation", 0)).toEqual([0, expect.closeTo(10, 2), 90]);
    expect(early.sets.get("blocks")!.ids).toEqual(["-33,-61,1000001"]);
    expect(early.sets.get("blocks")!.columns.get("kind")!.data).toEqual([
      version === 4 ? "#14" : "minecraft:oak_log[axis=x]",
    ]);
    expect(early.values.get("players/0/items/36")).toEqual({ id: "minecraft:feather" });
    expect(early.values.has("players/0/items/40")).toBe(false);
    const mid = await at(60);
    expect(cell(mid.sets.get("players"), "position", 0)).toEqual([0.5 + (60 * 410) / 4096, 64, -7.25]);
    expect(cell(mid.sets.get("entities"), "kind", 1)).toBe(version === 4 ? "#9" : "minecraft:oak_boat");
    expect(Object.fromEntries([...mid.values].filter(([path]) => path.startsWith("run/")))).toEqual({
      "run/phase": "running",
      "run/checkpoint": "cp-1",
      "run/milliseconds": 2500,
    });
    const late = await at(199);
    expect(late.sets.get("entities")!.ids).toEqual([]);
    expect(late.sets.get("blocks")!.ids).toEqual([]);
    expect(late.values.get("run/phase")).toBe("finished");
    expect(late.values.get("run/reset")).toBe("manual");
    expect(cell(late.sets.get("players"), "item-use", 0)).toBe(2);
    const results: unknown[] = [];
    for await (const message of recording.messages(recording.channel("run-end"))) results.push(message.value);
    expect(results).toEqual([{ result: 0, milliseconds: 9000, resultName: "finish" }]);
    for await (const message of recording.messages(recording.channel("set-items"))) {
      const items = [
        { slot: 36, item: { id: "minecraft:feather" } },
        { slot: 40, item: null },
      ];
      expect(message.value).toEqual({ entity: 0, items });
    }
  });
});

test("contents that are damaged before they are compressed never break a reader", async () => {
  const content = walk();
  const raws = content.chunks.map(chunkBytes);
  await fc.assert(
    fc.asyncProperty(
      fc.array(mutation(raws[0]!.length), { minLength: 1, maxLength: 3 }),
      fc.nat(3),
      async (changes, k) => {
        const chunks = content.chunks.map((chunk, i) => ({
          ...chunk,
          raw: i === k ? mutate(raws[i]!, changes) : raws[i]!,
        }));
        await readsOrRefuses({ "a.hcrp": compacted(zstd, { ...content, chunks }, { level: 1 }) });
      },
    ),
    { numRuns: 200 },
  );
});

test("a mask bit stands for its field", () =>
  expect(moveMask(Object.assign(new Move(), { x: 1 }), false)).toBe(MOVE_X));

test("rows that are folded together do what they do one by one, journalled or not", async () => {
  for (let seed = 0; seed < tries(15, 200); seed++) {
    const roll = random(seed);
    await using recording = await open(await segmentedBundle(wildContent(seed)), { formats: [hcrp] });
    const { state: model } = recording.reader;
    const [single, together, journalled] = [new MutableState(), new MutableState(), new MutableState()];
    for (const state of [single, together, journalled]) model.begin?.(state);
    const start = journalled.freeze();
    const mark = journalled.savepoint();
    for await (const batch of recording.batches()) {
      for (let from = 0; from < batch.length; ) {
        const to = Math.min(batch.length, from + 1 + roll(roll(2) === 0 ? 3 : 500));
        for (let i = from; i < to; i++) model.apply(single, batch, i);
        model.applyRows!(together, batch, from, to);
        model.applyRows!(journalled, batch, from, to);
        expect(together.freeze()).toEqual(single.freeze());
        expect(journalled.freeze()).toEqual(single.freeze());
        from = to;
      }
    }
    journalled.undo(mark);
    expect(journalled.freeze()).toEqual(start);
  }
});
