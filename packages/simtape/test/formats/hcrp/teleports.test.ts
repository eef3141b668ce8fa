import { describe, expect, test } from "vitest";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { TICK } from "../../../src/formats/hcrp/layout/framing.ts";
import { ask } from "../../../src/ask/index.ts";
import { bundleOf, memory, open, type Recording, type State } from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { GroundSpeeds } from "../../../src/play/ground-speeds.ts";
import { compacted } from "../../fixtures/hcrp/recording.ts";
import { type Pose, WorldRecorder } from "../../fixtures/hcrp/world.ts";

const zstd = await loadZstd();
const TICKS = 60;
/** The tick in which 1 is put far away; it goes by one block in every other one. */
const JUMP = 29;
const FAR = 1000;
const pose = (x: number): Pose => ({ x, y: 0, z: 0, yaw: 0, pitch: 0, onGround: true });
const xAt = (tick: number): number => (tick < JUMP ? tick : FAR + tick - JUMP);

interface Course {
  readonly name: string;
  /** Things that move in every tick, the one of the jump included. */
  readonly others: number;
  readonly chunk: number;
  readonly isTeleport?: boolean;
  /** 1 is removed and spawned elsewhere. */
  readonly isSpawned?: boolean;
}

async function opened({ others, chunk, isTeleport = true, isSpawned = false }: Course): Promise<Recording> {
  const world = new WorldRecorder(chunk);
  const ids = Array.from({ length: others }, (_, n) => n + 2);
  for (const id of [1, ...ids]) world.spawn(id, "minecraft:pig", pose(0), null);
  for (let tick = 1; tick < TICKS; tick++) {
    world.at(tick);
    if (tick === JUMP && isSpawned) {
      world.remove(1);
      world.spawn(1, "minecraft:pig", pose(xAt(tick)), null);
    } else if (tick === JUMP && isTeleport) world.teleport(1, pose(xAt(tick)));
    else world.move(1, pose(xAt(tick)));
    for (const id of ids) world.move(id, pose((tick * id) / 10));
  }
  return open(bundleOf(memory(compacted(zstd, { chunks: world.finish(TICKS) }))), { formats: [hcrp] });
}

const COURSES: readonly Course[] = [
  { name: "among others that move", others: 3, chunk: TICKS },
  { name: "alone", others: 0, chunk: TICKS },
  { name: "right before a snapshot", others: 3, chunk: JUMP + 1 },
  { name: "alone, right before a snapshot", others: 0, chunk: JUMP + 1 },
  { name: "behind a snapshot", others: 3, chunk: JUMP },
  { name: "by a spawn", others: 3, chunk: TICKS, isSpawned: true },
];

const SPEED = "entities/1/position.speed";
const position = ({ sets }: State, id: number): number => {
  const { ids, columns } = sets.get("entities")!;
  return columns.get("position")!.data[3 * ids.indexOf(id)] as number;
};

describe.each(COURSES)("a thing that is put elsewhere $name", (course) => {
  test("has no speed then, and its own before and after", async () => {
    await using recording = await opened(course);
    for (const options of [{}, { points: 7 }, { every: TICK }, { start: (JUMP - 1) * TICK }, { start: JUMP * TICK }]) {
      const [{ value }] = (await recording.series([SPEED], options)) as unknown as readonly [{ value: Float64Array }];
      const known = [...value].filter((one) => !Number.isNaN(one));
      expect(known.length).toBeGreaterThan(3);
      for (const one of known) expect(one).toBeCloseTo(20, 5);
    }
    // beside other paths, which are read from the messages themselves
    const both = await recording.series([SPEED, "entities/1/position.x"], { isAligned: true });
    expect(Math.max(...[...both[0]!.value].filter((one) => !Number.isNaN(one)))).toBeCloseTo(20, 5);
    const found = [];
    for await (const some of (await ask(recording, "entities[1].speed > 25 block/s")).answers()) found.push(...some);
    expect(found).toEqual([]);
  });

  test("is nowhere in between", async () => {
    // a snapshot says of no thing that it was put there, and no message of motion is before it
    if (course.name === "alone, right before a snapshot") return;
    await using recording = await opened(course);
    for (const part of [0.1, 0.5, 0.9]) {
      const x = position(await recording.state((JUMP - 1 + part) * TICK, { interpolate: true }), 1);
      expect([JUMP - 1, FAR]).toContain(x);
      const before = position(await recording.state((JUMP - 3 + part) * TICK, { interpolate: true }), 1);
      expect(before).toBeCloseTo(JUMP - 3 + part, 3);
    }
  });

  test("goes over no ground", async () => {
    await using recording = await opened(course);
    const [before, after] = [await recording.state((JUMP - 1) * TICK), await recording.state(JUMP * TICK)];
    const speeds = new GroundSpeeds(["entities"]).between(before, after, TICK).get("entities")!;
    expect(speeds[0]).toBe(0);
    if (course.others > 0) expect(speeds[1]).toBeGreaterThan(0);
  });
});

test("a place of which the recording does not say that it is a teleport is a move", async () => {
  await using recording = await opened({ ...COURSES[0]!, isTeleport: false });
  const [speed] = await recording.series([SPEED]);
  expect(Math.max(...[...speed!.value].filter((one) => !Number.isNaN(one)))).toBeGreaterThan(10_000);
});
