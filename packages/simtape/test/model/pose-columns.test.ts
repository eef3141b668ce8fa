import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { AXES as FLIGHTGEAR } from "../../src/formats/flightgear/meaning/state.ts";
import { AXES as HCRP } from "../../src/formats/hcrp/meaning/scene.ts";
import { flightgear } from "../../src/formats/flightgear/format.ts";
import type { Axes } from "../../src/model/axes/axes.ts";
import type { Column } from "../../src/model/state/column.ts";
import { openBundle } from "../../src/model/open.ts";
import { PoseColumns, posesOf } from "../../src/model/poses/pose-columns.ts";
import { standardAxes } from "../../src/model/axes/standard-axes.ts";
import type { EntitySet } from "../../src/model/state/state.ts";
import { metresPerSecond } from "../../src/model/values/units.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";

/** One thing: its columns with their units. */
function thing(
  axes: Axes | null,
  columns: Readonly<Record<string, readonly [unit: string | null, row: number[]]>>,
): EntitySet {
  const column = ([unit, row]: readonly [string | null, number[]]): Column => ({
    data: Float64Array.from(row),
    width: row.length,
    unit,
    interpolation: "hold",
  });
  return { ids: [1], axes, columns: new Map(Object.entries(columns).map(([name, of]) => [name, column(of)])) };
}

function read(poses: PoseColumns, what: "position" | "geodetic" | "velocity" | "orientation"): number[] | null {
  const count = what === "orientation" ? 4 : 3;
  const out = new Array<number>(count + 2).fill(9);
  const isKnown = poses[what](0, out, 1);
  expect([out[0], out.at(-1)]).toEqual([9, 9]);
  const found = out.slice(1, -1);
  if (!isKnown) expect(found).toEqual(new Array(count).fill(Number.NaN));
  return isKnown ? found.map((number) => number + 0) : null;
}

const near = (numbers: readonly number[]): number[] => numbers.map((number) => expect.closeTo(number, 9) as number);

describe("a set", () => {
  test("is read in metres and seconds, along standard axes", () => {
    const poses = posesOf(thing(HCRP, { position: ["block", [1, 64, -3]], velocity: ["block/tick", [0, 0, 0.5]] }))!;
    expect(poses.isGeodetic).toBe(false);
    expect(read(poses, "position")).toEqual([1, 3, 64]);
    expect(read(poses, "velocity")).toEqual([0, -10, 0]);
    expect(read(poses, "geodetic")).toBeNull();
    expect(read(poses, "orientation")).toBeNull();
  });

  test("without axes is right-handed with z up", () => {
    const poses = posesOf(thing(null, { position: ["cm", [100, 200, 300]], rotation: ["rad", [0, 0, Math.PI / 2]] }))!;
    expect(read(poses, "position")).toEqual([1, 2, 3]);
    expect(read(poses, "orientation")).toEqual(near([0, 0, Math.SQRT1_2, Math.SQRT1_2]));
  });

  test("is nowhere without a position that is three lengths", () => {
    expect(posesOf(thing(null, { velocity: ["m/s", [1, 2, 3]] }))).toBeNull();
    expect(posesOf(thing(null, { position: ["deg", [1, 2, 3]] }))).toBeNull();
    expect(posesOf(thing(null, { position: ["m", [1, 2]] }))).toBeNull();
  });

  test("says where something is not known", () => {
    const nowhere = { position: ["m", [1, Number.NaN, 3]], rotation: ["deg", [0, Number.NaN, 0]] } as const;
    const poses = posesOf(thing(null, nowhere as never))!;
    expect([read(poses, "position"), read(poses, "orientation"), read(poses, "velocity")]).toEqual([null, null, null]);
  });

  test("does not guess how long a tick is", () => {
    const columns = { position: ["m", [0, 0, 0]], velocity: ["m/tick", [1, 2, 3]] } as const;
    const axes = standardAxes("right", "z");
    expect(read(posesOf(thing(axes, columns as never))!, "velocity")).toBeNull();
    expect(read(posesOf(thing({ ...axes, tickRate: 60 }, columns as never))!, "velocity")).toEqual([60, 120, 180]);
  });

  test("of things that say how fast they go along their own axes has that along its own", () => {
    const axes: Axes = { ...standardAxes("right", "z"), own: { forward: "x", up: "-z" }, velocities: "own" };
    const columns = { position: ["m", [0, 0, 0]], velocity: ["km/h", [36, 0, -18]], rotation: ["deg", [0, 0, 90]] };
    expect(read(posesOf(thing(axes, columns as never))!, "velocity")).toEqual(near([0, 10, 5]));
  });
});

test("one reader takes set after set, and keeps nothing of the one before", () => {
  const poses = new PoseColumns(90);
  const flying = {
    geodetic: ["deg deg ft", [47, 8, 1000]],
    rotation: ["deg", [0, 0, 90]],
    velocity: ["m/s", [50, 3, -2]],
  };
  for (let i = 0; i < 2; i++) {
    expect(poses.use(thing(FLIGHTGEAR, flying as never))).toBe(true);
    expect([poses.isGeodetic, read(poses, "position")]).toEqual([true, null]);
    expect(read(poses, "orientation")).toEqual(near([0, 0, Math.SQRT1_2, Math.SQRT1_2]));
    expect(read(poses, "velocity")).toEqual(near([3, 50, 2]));
    expect(poses.use(thing(HCRP, { position: ["block", [1, 64, -3]] }))).toBe(true);
    expect([poses.isGeodetic, read(poses, "position")]).toEqual([false, [1, 3, 64]]);
    expect([read(poses, "geodetic"), read(poses, "orientation"), read(poses, "velocity")]).toEqual([null, null, null]);
    expect(poses.use(thing(HCRP, { position: ["deg", [1, 64, -3]] }))).toBe(false);
    expect(read(poses, "position")).toBeNull();
  }
});

describe("a geodetic set", () => {
  const columns = {
    geodetic: ["deg deg ft", [47, 8, 1000]],
    rotation: ["deg", [0, 0, 90]],
    velocity: ["m/s", [50, 3, -2]],
  } as const;

  test("has heights in metres, in whatever unit they are", () => {
    const height = (unit: string | null): number =>
      read(posesOf(thing(FLIGHTGEAR, { geodetic: [unit, [47, 8, 1000]] }))!, "geodetic")![2]!;
    expect(["deg deg ft", "deg deg m", "deg deg km", null].map(height)).toEqual([304.8, 1000, 1e6, 304.8]);
    expect(posesOf(thing(FLIGHTGEAR, { geodetic: ["deg deg bar", [47, 8, 1000]] }))).toBeNull();
  });

  test("flies along the compass: with heading 90 to the east, right is south", () => {
    const poses = posesOf(thing(FLIGHTGEAR, columns as never))!;
    expect(poses.isGeodetic).toBe(true);
    expect(read(poses, "orientation")).toEqual(near([0, 0, 0, 1]));
    expect(read(poses, "velocity")).toEqual(near([50, -3, 2]));
    expect(read(poses, "position")).toBeNull();
  });

  test("is turned with the plane that it comes to lie on", () => {
    // y points east: what flies east flies along y, and south is to the right of that.
    const poses = posesOf(thing(FLIGHTGEAR, columns as never), 90)!;
    expect(read(poses, "orientation")).toEqual(near([0, 0, Math.SQRT1_2, Math.SQRT1_2]));
    expect(read(poses, "velocity")).toEqual(near([3, 50, 2]));
  });

  test("lies on the plane alike by angles, by a quaternion and along the ground", () => {
    const angle = fc.double({ min: -170, max: 170, noNaN: true });
    const property = fc.property(angle, angle, (yaw, heading) => {
      const half = (yaw * Math.PI) / 360;
      const counted = { ...standardAxes("right", "z", "geodetic").angles!, yaw: "left", zero: "east" } as const;
      const axes: Axes = {
        handed: "right",
        up: "z",
        kind: "geodetic",
        own: { forward: "x", up: "z" },
        angles: counted,
      };
      const at = columns.geodetic;
      const speed = [Math.cos(2 * half), Math.sin(2 * half), 0];
      const one = { geodetic: at, rotation: ["deg", [0, 0, yaw]], velocity: ["m/s", speed] };
      const other = { geodetic: at, orientation: [null, [0, 0, Math.sin(half), Math.cos(half)]] };
      const poses = posesOf(thing({ ...axes, velocities: "set" }, one as never), heading)!;
      const found = read(poses, "orientation")!;
      const quaternion = read(posesOf(thing(axes, other as never), heading)!, "orientation")!;
      const dot = found.reduce((sum, cell, k) => sum + cell * quaternion[k]!, 0);
      expect(Math.abs(dot)).toBeCloseTo(1, 12);
      const ahead = read(poses, "velocity")!;
      const compass = 2 * Math.atan2(found[2]!, found[3]!);
      expect(ahead).toEqual(near([Math.cos(compass), Math.sin(compass), 0]));
    });
    fc.assert(property, { seed: 20261120, numRuns: 500 });
  });

  test("goes as fast as the simulator says, who recorded it along the compass too", async () => {
    const bytes = new Uint8Array(readFileSync(new URL("../../../../examples/flight.fgtape", import.meta.url)));
    await using recording = await openBundle(bundleOfFiles({ "flight.fgtape": bytes }), [flightgear]);
    const { start, end } = await recording.timeline();
    for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      const { sets, values } = await recording.state(start + part * (end - start));
      const set = sets.get("aircraft")!;
      const velocity = [0, 0, 0];
      expect(posesOf(set)!.velocity(set.ids.indexOf("self"), velocity, 0)).toBe(true);
      const said = ["east", "north", "down"].map((way) => Number(values.get(`/velocities/speed-${way}-fps`)) * 0.3048);
      expect(velocity).toEqual([said[0]!, said[1]!, -said[2]!].map((speed) => expect.closeTo(speed, 4) as number));
    }
  });
});

test("speeds are in metres a second, or are none", () => {
  expect(["m/s", "nm/ps", "cm/s", "km/h", "m/min", "m/ms", "m", null].map((unit) => metresPerSecond(unit))).toEqual([
    1,
    1e-9 * 1e12,
    0.01,
    expect.closeTo(1 / 3.6, 12),
    expect.closeTo(1 / 60, 12),
    1000,
    1,
    1,
  ]);
  expect(["deg/s", "m/parsec", "block/tick"].map((unit) => metresPerSecond(unit))).toEqual([null, null, null]);
  expect(metresPerSecond("block/tick", 20)).toBe(20);
});
