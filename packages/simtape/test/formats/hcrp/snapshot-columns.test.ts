import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { SECTION, type Section, type SnapshotEntity, writeEntities } from "../../../src/formats/hcrp/layout/chunk.ts";
import { writeSpawn } from "../../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../../src/formats/hcrp/layout/events.ts";
import { TICK } from "../../../src/formats/hcrp/layout/framing.ts";
import { Move, moveMask, writeMove } from "../../../src/formats/hcrp/layout/motion.ts";
import { bundleOf, memory, open, type SeriesPath } from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { ColumnComparison } from "../../../src/testing/columns.ts";
import { built, type ChunkContent, compacted, type EventBytes, event } from "../../fixtures/hcrp/recording.ts";
import { tries } from "../../soak.ts";

const zstd = await loadZstd();
const THINGS = [3, 4, 200];
const TICKS = 24;
const CELLS: readonly (readonly [column: string, item: number])[] = [
  ["position", 0],
  ["position", 2],
  ["rotation", 2],
  ["head-yaw", 0],
  ["on-ground", 0],
];

const moving = (id: number): SeriesPath[] =>
  ["players", "entities"].flatMap((set) => CELLS.map(([column, item]) => ({ set, id, column, item })));

/** A thing as a snapshot has it. */
const thing = (entity: number): fc.Arbitrary<SnapshotEntity> =>
  fc
    .record({
      steps: fc.integer({ min: -100_000, max: 100_000 }),
      yaw: fc.integer({ min: 0, max: 65_535 }),
      flags: fc.integer({ min: 0, max: 1 }),
      isPlayer: fc.oneof({ weight: 6, arbitrary: fc.constant(entity !== 200) }, fc.boolean()),
      hasUuid: fc.boolean(),
    })
    .map(({ steps, yaw, flags, isPlayer, hasUuid }) => ({
      entity,
      place: { q: Float64Array.of(steps, 5, -steps), yaw, pitch: 100, flags },
      details: {
        ...{ type: 0, pose: 0, flags: 0, heldSlot: 0, itemUse: 0, profile: isPlayer ? 0 : null },
        uuid: hasUuid ? "1c5f0d2e-7a44-4b09-93d1-000000000001" : null,
      },
    }));

/** All things mostly, else some of them and another, in any order, some of them twice now and then. */
const list = fc
  .tuple(...THINGS.map(thing), thing(5))
  .chain(([a, b, c, another]) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constant([a!, b!, c!]) },
      { weight: 2, arbitrary: fc.array(fc.constantFrom(a!, b!, c!, another!), { minLength: 2, maxLength: 4 }) },
      fc.shuffledSubarray([a!, b!, c!], { minLength: THINGS.length }),
    ),
  );

const sections = list.chain((entities) => {
  const section: Section = { type: SECTION.entities, body: built((out) => writeEntities(out, entities)) };
  const others: Section[][] = [
    [section, section],
    [{ ...section, body: section.body.subarray(0, -1) }],
    [section, { type: SECTION.interface, body: Uint8Array.of(1) }],
    [],
  ];
  return fc.oneof({ weight: 10, arbitrary: fc.constant([section]) }, fc.constantFrom(...others));
});

const step = fc
  .record({
    entity: fc.constantFrom(...THINGS, 5),
    x: fc.integer({ min: -300, max: 300 }),
    yaw: fc.integer({ min: -3000, max: 3000 }),
    headYaw: fc.integer({ min: -3000, max: 3000 }),
    isOnGround: fc.boolean(),
  })
  .map(({ isOnGround, ...given }): EventBytes => {
    const fields = Object.assign(new Move(), given);
    fields.mask = moveMask(fields, isOnGround);
    return event(EVENT.move, (out) => writeMove(out, fields));
  });

const spawn = thing(5).map(({ entity, place, details }) =>
  event(EVENT.spawn, (out) => writeSpawn(out, { entity, ...place, ...details!, type: 0 })),
);

const chunk = fc
  .record({
    snapshot: fc.oneof({ weight: 6, arbitrary: sections }, fc.constant(null)),
    events: fc.array(fc.array(fc.oneof({ weight: 60, arbitrary: step }, spawn), { minLength: 1, maxLength: 4 }), {
      minLength: TICKS,
      maxLength: TICKS,
    }),
  })
  .map(
    ({ snapshot, events }): ChunkContent => ({
      ...{ ticks: TICKS, snapshot },
      records: events.map((inTick, tick) => ({ tick, events: inTick })),
    }),
  );

const content = fc
  .tuple(sections, fc.array(chunk, { minLength: 2, maxLength: 5 }))
  .map(([first, [head, ...rest]]) => ({ chunks: [{ ...head!, snapshot: first }, ...rest] }));

describe("a snapshot read by columns", () => {
  test("puts things where the fold puts them, whatever it holds", async () => {
    const wanted = fc.oneof(
      fc.constantFrom(...THINGS, 5).map(moving),
      fc.constant(THINGS.flatMap(moving)),
      fc.constant([...moving(3), { set: "players", id: 3, column: "held-slot", item: 0 }]),
    );
    const from = fc.option(fc.integer({ min: 0, max: 3 * TICKS * TICK }), { nil: null });
    await fc.assert(
      fc.asyncProperty(content, wanted, from, fc.constantFrom(null, 7, 500), async (made, paths, start, rows) => {
        await using recording = await open(bundleOf(memory(compacted(zstd, made))), { formats: [hcrp] });
        await new ColumnComparison(recording).compare({ paths, options: start === null ? {} : { start }, rows });
      }),
      { numRuns: tries(200, 20_000) },
    );
  });

  test("is not folded where nothing but places is wanted", async () => {
    const entities: SnapshotEntity[] = THINGS.map((entity) => ({
      entity,
      place: { q: Float64Array.of(entity, 0, 0), yaw: 0, pitch: 0, flags: 0 },
      details: { type: 0, pose: 0, flags: 0, heldSlot: 0, itemUse: 0, uuid: null, profile: null },
    }));
    const snapshot = [{ type: SECTION.entities, body: built((out) => writeEntities(out, entities)) }];
    const chunks: ChunkContent[] = Array.from({ length: 3 }, () => ({ ticks: 1, snapshot, records: [] }));
    await using recording = await open(bundleOf(memory(compacted(zstd, { chunks }))), { formats: [hcrp] });
    const { state } = recording.reader;
    const folded: number[] = [];
    const apply = state.apply.bind(state);
    state.apply = (into, batch, i) => {
      folded.push(batch.channel[i]!);
      apply(into, batch, i);
    };
    const [series] = await recording.series([{ set: "entities", id: 4, column: "position", item: 0 }]);
    expect([...series!.value]).toEqual([4, 4, 4].map((steps) => steps / 4096));
    // the first one makes the things
    expect(folded).toHaveLength(1);
  });
});
