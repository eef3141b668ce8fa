import fc from "fast-check";
import { expect, test } from "vitest";
import * as carla from "../../../src/formats/carla/layout/layout.ts";
import {
  corrupt,
  open,
  planCorruption as plan,
  RecordingError,
  type SeriesOptions,
  type SeriesPath,
} from "../../../src/index.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { ColumnComparison, hasColumns } from "../../../src/testing/columns.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { tries } from "../../soak.ts";

const DIALECT: carla.Dialect = { scalar: 4, wheel: 48, late: [null, null, null, null], version: 1 };
const FRAMES = 60;
/** Actors of these ids come and go; those of higher ones were never added. */
const ADDED = 6;
const IDS = 8;

const COLUMNS = ["position", "rotation", "velocity", "throttle", "gear", "handbrake", "lights", "speed"];
const LIGHT_COLUMNS = ["state", "frozen", "state-time", "parent", "kind", "box-extent"];
const SETS = ["vehicles", "walkers", "traffic-lights", "other"];

type Writer = (builder: ByteBuilder, id: number) => void;

/** A log of few actors, of which many come, go, are of another type, are attached, or are not in every packet. */
function makeLog(seed: number): Uint8Array {
  const random = numbers(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const out = new ByteBuilder(1 << 16);
  const packet = (kind: number, ids: readonly number[], write: Writer): void => {
    const payload = new ByteBuilder();
    payload.u16le(ids.length);
    for (const id of ids) write(payload, id);
    carla.writePacket(out, kind, payload.take());
  };
  const number = (): number => Math.fround(random() * 100);
  const vector = (): carla.Vector => [number(), number(), number()];
  const motion: readonly (readonly [kind: number, write: Writer])[] = [
    [carla.POSITION, (b, id) => carla.writePosition(b, { id, location: vector(), rotation: vector() }, DIALECT)],
    [
      carla.STATE,
      (b, id) => carla.writeState(b, { id, isFrozen: random() < 0.5, elapsedTime: number(), state: below(4) }),
    ],
    [
      carla.ANIM_VEHICLE,
      (b, id) =>
        carla.writeAnimVehicle(b, {
          ...{ id, steering: number(), throttle: number(), brake: number(), handbrake: random() < 0.5, gear: below(6) },
        }),
    ],
    [carla.ANIM_WALKER, (b, id) => carla.writeAnimWalker(b, { id, speed: number() })],
    [carla.VEHICLE_LIGHT, (b, id) => carla.writeVehicleLight(b, { id, lights: below(1 << 10) })],
    [
      carla.KINEMATICS,
      (b, id) => carla.writeKinematics(b, { id, linearVelocity: vector(), angularVelocity: vector() }, DIALECT),
    ],
  ];
  carla.writeHeader(out, { version: 1, magic: carla.MAGIC, date: 1_700_000_000n, map: "Town01" });
  const [rate, strangers] = [random() * 0.4, random() * 0.2];
  const lists = motion.map((): number[] => []);
  const live = new Set<number>();
  for (let frame = 1; frame <= FRAMES; frame++) {
    const start = new ByteBuilder();
    carla.writeFrameStart(start, { frame, durationThis: 0.05, elapsed: frame * 0.05 });
    carla.writePacket(out, carla.FRAME_START, start.take());
    const isEvent = frame === 1 || random() < rate;
    const [added, gone, bound]: number[][] = [[], [], []];
    for (let id = 1; isEvent && id <= ADDED; id++) {
      if (live.has(id) && random() < 0.2) gone!.push(id);
      else if (frame === 1 ? random() < 0.7 : random() < 0.2) added!.push(id);
      if (random() < 0.1) bound!.push(id);
    }
    for (const id of gone!) live.delete(id);
    for (const id of added!) live.add(id);
    packet(carla.EVENT_ADD, added!, (b, id) =>
      carla.writeEventAdd(
        b,
        {
          ...{ id, type: 1 + below(3), location: vector(), rotation: vector(), uid: 1, blueprint: "vehicle.one" },
          attributes: [{ type: 3, id: "role_name", value: `a${id}` }],
        },
        DIALECT,
      ),
    );
    packet(carla.EVENT_DEL, gone!, (b, id) => carla.writeEventDel(b, id));
    packet(carla.EVENT_PARENT, bound!, (b, id) => carla.writeEventParent(b, { id, parent: 1 + below(IDS) }));
    const collisions = random() < 0.05 ? [1, 2] : [];
    packet(carla.COLLISION, collisions, (b, id) =>
      carla.writeCollision(b, { collision: frame, id1: id, id2: 3, isHero1: false, isHero2: false }),
    );
    for (const [n, [kind, write]] of motion.entries()) {
      if (isEvent || random() < 0.05) {
        lists[n] = [...live].filter(() => random() < 0.9);
        for (let id = 1; id <= IDS; id++) if (random() < strangers) lists[n].push(id);
      }
      if (random() < 0.95) packet(kind, random() < 0.95 ? lists[n]! : [], write);
    }
    packet(carla.BOUNDING_BOX, [], () => undefined);
    const platform = new ByteBuilder();
    platform.f64le(frame * 0.05);
    if (random() < 0.9) carla.writePacket(out, carla.PLATFORM_TIME, platform.take());
    carla.writePacket(out, carla.FRAME_END, new Uint8Array(0));
  }
  return out.take();
}

/** Numbers in [0, 1), the same for the same seed. */
function numbers(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

const whose = { set: fc.constantFrom(...SETS), id: fc.integer({ min: 1, max: IDS + 1 }) };
const cell: fc.Arbitrary<SeriesPath> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      ...whose,
      column: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...COLUMNS) }, fc.constantFrom(...LIGHT_COLUMNS)),
      item: fc.constantFrom(null, 0, 1, 2, 3),
    }),
  },
  fc.record({
    ...whose,
    column: fc.constantFrom("position", "velocity"),
    item: fc.constantFrom<"length" | "speed">("length", "speed"),
  }),
);
const path: fc.Arbitrary<SeriesPath> = fc.oneof(
  { weight: 12, arbitrary: cell },
  fc.constantFrom<SeriesPath>(
    { value: "frame", keys: [] },
    { value: "frame-duration", keys: [] },
    { value: "platform-time", keys: [] },
    { value: "collisions", keys: ["length"] },
    { value: "collisions", keys: [0, "id1"] },
    { value: "attributes/2", keys: ["role_name"] },
    { value: "no such", keys: [] },
  ),
);
const time = fc.integer({ min: -1, max: FRAMES + 2 }).map((frame) => frame * 5e7);
const options: fc.Arbitrary<SeriesOptions> = fc
  .tuple(
    fc.oneof(fc.constant({}), fc.record({ start: time, end: time }), fc.record({ start: time })),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      fc.constant({ isAligned: true }),
      fc.record({ points: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ every: fc.integer({ min: 1e7, max: 1e9 }) }),
    ),
  )
  .map(([range, mode]) => ({ ...range, ...mode }));

test.each([
  ["whole", false],
  ["damaged", true],
])(
  "series of %s logs in which actors come and go, by columns, equal those that are folded",
  async (_, isDamaged) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 1e9 }),
        fc.array(fc.record({ paths: fc.array(path, { minLength: 1, maxLength: 8 }), options }), {
          minLength: 4,
          maxLength: 4,
        }),
        async (seed, asked) => {
          const sound = makeLog(seed);
          const bytes = isDamaged ? corrupt(sound, plan(sound.length, seed, 1 + (seed % 5)), seed) : sound;
          try {
            const recording = await open(bundleOfFiles({ "town.log": bytes }));
            const comparison = new ColumnComparison(recording);
            for (const { paths, options } of asked) {
              await comparison.compare({ paths, options, rows: null });
              await comparison.compare({ paths, options, rows: 1 + (seed % 90) });
            }
            await recording.close();
          } catch (error) {
            if (!RecordingError.is(error)) throw error;
          }
        },
      ),
      { numRuns: tries(60, 3000) },
    );
  },
  120_000,
);

test("places, controls and lights are read by columns", async () => {
  const recording = await open(bundleOfFiles({ "town.log": makeLog(1) }));
  for (const column of COLUMNS) expect(hasColumns(recording, [{ set: "vehicles", id: 1, column, item: 0 }])).toBe(true);
  expect(hasColumns(recording, [{ value: "weather/rain", keys: [] }])).toBe(false);
  await recording.close();
});

test("a frame whose damaged number is no number leaves what was before", async () => {
  const bytes = makeLog(1);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = carla.PACKET_HEADER_BYTES + carla.FRAME_START_BYTES;
  for (let at = 0; at + length < bytes.length; at++) {
    const isFrame = bytes[at] === carla.FRAME_START && view.getUint32(at + 1, true) === carla.FRAME_START_BYTES;
    if (isFrame && view.getUint32(at + 5, true) === 20 && view.getUint32(at + 9, true) === 0) bytes[at + 12] = 0x40;
  }
  const recording = await open(bundleOfFiles({ "town.log": bytes }));
  const [frames] = await recording.series([{ value: "frame", keys: [] }]);
  expect([...frames!.value.subarray(17, 22)]).toEqual([18, 19, 19, 21, 22]);
  await recording.close();
});
