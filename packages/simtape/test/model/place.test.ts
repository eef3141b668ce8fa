import { expect, test } from "vitest";
import type { Axes } from "../../src/model/axes/axes.ts";
import { originAt, type Origin, unsetOrigin } from "../../src/model/axes/geodesy.ts";
import { type Place, placesOf } from "../../src/model/poses/place.ts";

const EARTH: Axes = { handed: "right", up: "z", kind: "geodetic" };

/** One thing at 54° N 10° E that looks to the east. */
function placeOf(velocity: readonly number[], axes: Axes, origin: Origin = unsetOrigin()): Place {
  const column = (data: readonly number[], unit: string) =>
    ({ data: Float64Array.from(data), width: 3, unit, interpolation: "hold" }) as const;
  const columns = new Map([
    ["geodetic", column([54, 10, 0], "deg deg m")],
    ["rotation", column([0, 0, 90], "deg")],
    ["velocity", column(velocity, "m/s")],
  ]);
  const set = { ids: ["self"], axes, columns };
  return placesOf({ time: 0, values: new Map(), sets: new Map([["vessel", set]]) }, origin)[0]!;
}

const near = (numbers: readonly number[]): unknown[] => numbers.map((number): unknown => expect.closeTo(number, 9));

test("a thing on the earth has a velocity along the ground where it is", () => {
  const east = { ...EARTH, velocities: "set" } as const;
  expect(placeOf([3, 4, 0.5], east).velocity).toEqual(near([3, 4, 0.5]));
  // Along its own axes: forward, right, down.
  expect(placeOf([5, 1, -2], EARTH).velocity).toEqual(near([5, -1, 2]));
});

test("the velocity is turned to the heading of the plane, as places and orientations are", () => {
  const origin = originAt(54, 10, 0, 90);
  const east = { ...EARTH, velocities: "set" } as const;
  const { velocity } = placeOf([3, 4, 0.5], east, origin);
  // y of the plane is east, and x is south.
  expect(velocity).toEqual(near([-4, 3, 0.5]));
});

test("what says no velocity has none", () => {
  expect(placeOf([Number.NaN, 0, 0], EARTH).velocity).toBeNull();
});
