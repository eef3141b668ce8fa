import { expect, test } from "vitest";
import { check, MemoryFiles, open as openRecording, type Recording, type SinkBundle } from "../../simtape/src/index.ts";
import { demo } from "../src/carla.ts";
import { CAR_LENGTH, Town } from "../src/carla-town.ts";
import { randomOf } from "../src/random.ts";
import { carla } from "../../simtape/src/formats/carla/format.ts";
import { carlaCollisions } from "../../simtape/src/formats/carla/queries/index.ts";
import { bundleOfFiles } from "../../simtape/test/conformance/mutate.ts";

async function record(seconds: number, entities: number, seed: number): Promise<Uint8Array> {
  const to = new MemoryFiles();
  await demo({ seconds, entities, seed }, to);
  return to.bytes;
}

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "town.log": bytes }), { formats: [carla] });
}

test("the same seed gives the same bytes, another seed others", async () => {
  const bytes = await record(3, 8, 5);
  expect(Buffer.compare(await record(3, 8, 5), bytes)).toBe(0);
  expect(Buffer.compare(await record(3, 8, 6), bytes)).not.toBe(0);
});

test("a recording is sound, is reported to be of 0.9.15 and holds what CARLA records with additional data", async () => {
  await using recording = await open(await record(20, 12, 1));
  expect(await check(recording)).toMatchObject({ status: "sound", findings: [] });
  expect(recording.info.metadata).toMatchObject({ release: "0.9.15", frames: 400, additionalData: true });
  const statistics = await recording.statistics();
  const silent = recording.channels.filter(({ id }) => statistics[id]!.messages === 0).map(({ name }) => name);
  expect(silent).toEqual(["simtape-state"]);
  const state = await recording.state(10e9);
  expect(state.sets.get("vehicles")!.ids).toHaveLength(12);
  expect(state.sets.get("walkers")!.ids).toHaveLength(6);
  expect(state.sets.get("traffic-lights")!.ids.length).toBeGreaterThanOrEqual(8);
  const { columns } = state.sets.get("sensors")!;
  const parents = columns.get("parent")!.data as Float64Array;
  const vehicles = state.sets.get("vehicles")!;
  const [x, y] = columns.get("position")!.data as Float64Array;
  const row = vehicles.ids.indexOf(parents[0]!);
  const places = vehicles.columns.get("position")!.data as Float64Array;
  expect(Math.hypot(x! - places[3 * row]!, y! - places[3 * row + 1]!)).toBeCloseTo(150, 1);
});

test("frames follow each other as CARLA's do: to the last bit", async () => {
  await using recording = await open(await record(30, 2, 3));
  let expected = 0;
  let last = 0;
  for await (const { value } of recording.messages(recording.channel("frame-start"))) {
    const { elapsed, durationThis } = value as unknown as { elapsed: number; durationThis: number };
    expect(elapsed).toBe(expected);
    expected = elapsed + durationThis;
    last = durationThis;
  }
  expect(last).toBe(-1);
});

test("cars drive without jumps or overlaps, stop at red lights, and now and then one runs into another", () => {
  const town = new Town(40, 4, randomOf(2));
  let crashes = 0;
  let ranRed = 0;
  let farthest = 0;
  let nearest = Number.POSITIVE_INFINITY;
  let before = town.cars.map((car) => car.pose);
  let driven = 0;
  for (let step = 0; step < 3600; step++) {
    const atLight = town.cars.map((car) => ({
      lane: car.way,
      isRed: car.way.light?.at(town.time).color === 0 && car.way.light.at(town.time).since > 1,
    }));
    crashes += town.step(0.05).length;
    for (const [i, car] of town.cars.entries()) {
      const { x, y } = car.pose;
      const way = Math.hypot(x - before[i]!.x, y - before[i]!.y);
      driven += way;
      farthest = Math.max(farthest, way);
      // No vehicle enters a crossing at red, a second after it became so.
      if (atLight[i]!.isRed && car.way !== atLight[i]!.lane) ranRed++;
      for (let k = 0; k < i; k++) {
        const other = town.cars[k]!.pose;
        nearest = Math.min(nearest, Math.hypot(x - other.x, y - other.y));
      }
    }
    before = town.cars.map((car) => car.pose);
  }
  expect(farthest).toBeLessThan(0.05 * 16 + 0.4);
  expect(nearest).toBeGreaterThan(CAR_LENGTH * 0.35);
  expect(ranRed).toBe(0);
  expect(crashes).toBeGreaterThan(1);
  expect(driven / 40 / 180).toBeGreaterThan(2);
});

test("collisions are in the recording, where CARLA's own tool finds them", async () => {
  await using recording = await open(await record(60, 24, 1));
  let text = "";
  for await (const piece of carlaCollisions(recording)) text += piece;
  expect(text).toMatch(/ {2}v v +\d+ vehicle\./);
});

test("people come and go", async () => {
  await using recording = await open(await record(40, 10, 4));
  const ids = async (time: number): Promise<readonly unknown[]> =>
    (await recording.state(time)).sets.get("walkers")!.ids;
  const [first, last] = [await ids(0), await ids(39e9)];
  expect(last).toHaveLength(first.length);
  expect(last).not.toEqual(first);
});

test("leaves nothing behind when it cannot be written", async () => {
  const files = new MemoryFiles();
  const broken: SinkBundle = {
    name: "full.log",
    open: async () => {
      const sink = await files.open();
      sink.write = () => Promise.reject(new RangeError("full"));
      return sink;
    },
  };
  await expect(demo({ seconds: 30, entities: 30, seed: 1 }, broken)).rejects.toThrow("full");
  expect(files.files.size).toBe(0);
});

test("the left of a walker's bones is on the left of its way", async () => {
  await using recording = await open(await record(10, 4, 1));
  const { sets, values } = await recording.state(8e9);
  const { ids, axes, columns } = sets.get("walkers")!;
  expect(axes).toMatchObject({ handed: "left", up: "z" });
  const [rotations, velocities] = ["rotation", "velocity"].map((name) => columns.get(name)!.data as Float64Array);
  let walking = 0;
  for (const [row, id] of ids.entries()) {
    const [vx, vy] = velocities!.subarray(3 * row) as unknown as [number, number];
    if (Math.hypot(vx, vy) > 0) walking++;
    else continue;
    const yaw = (rotations![3 * row + 2]! * Math.PI) / 180;
    const bones = values.get(`bones/${id}`) as unknown as readonly { name: string; location: readonly number[] }[];
    for (const { name, location } of bones) {
      const [x, y] = location as [number, number];
      const [east, south] = [x * Math.cos(yaw) - y * Math.sin(yaw), x * Math.sin(yaw) + y * Math.cos(yaw)];
      // in left-handed axes, z up, the left of (x, y) is (y, -x)
      const left = (east * vy - south * vx) / Math.hypot(vx, vy);
      const side = /^crl_(?:thigh|arm)__([LR])$/.exec(name)?.[1];
      expect(Math.sign(Math.round(left)), name).toBe(side === undefined ? 0 : side === "L" ? 1 : -1);
    }
  }
  expect(walking).toBeGreaterThan(0);
});
