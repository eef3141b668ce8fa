import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AXES as CARLA } from "../../src/formats/carla/meaning/columns.ts";
import { AXES as FLIGHTGEAR } from "../../src/formats/flightgear/meaning/state.ts";
import { AXES as HCRP } from "../../src/formats/hcrp/meaning/scene.ts";
import { AXES as MIRA } from "../../src/formats/mira/meaning/axes.ts";
import { ROOM_AXES, SIMULATION_AXES } from "../../src/formats/nanover/meaning/axes.ts";
import { type AxesTransform, transformOf } from "../../src/model/axes/axes-transform.ts";
import type { Angles, Axes, Direction } from "../../src/model/axes/axes.ts";
import { areSameAxes, briefAxes, completeAxes, standardAxes } from "../../src/model/axes/standard-axes.ts";
import { anglesOfOld, orientationOfOld, toEulerOld, vectorOfOld } from "../support/old-place.ts";

type Three = [number, number, number];
type Four = [number, number, number, number];

const SEED = { seed: 20261120, numRuns: 2000 };
const DEGREE = Math.PI / 180;
const HANDS = ["right", "left"] as const;
const DIRECTIONS = ["x", "-x", "y", "-y", "z", "-z"] as const;
const QUARTERS = ["north", "east", "south", "west"] as const;
const ORDERS = [
  "yaw-pitch-roll",
  "yaw-roll-pitch",
  "pitch-yaw-roll",
  "pitch-roll-yaw",
  "roll-yaw-pitch",
  "roll-pitch-yaw",
] as const;

const FORMATS: readonly (readonly [string, Axes])[] = [
  ["CARLA", CARLA],
  ["FlightGear", FLIGHTGEAR],
  ["HCRP", HCRP],
  ["MIRA", MIRA],
  ["NanoVer's simulation", SIMULATION_AXES],
  ["NanoVer's room", ROOM_AXES],
];

// ── the same by matrices and words, apart from what is tested ─────────

function unit(direction: Direction): Three {
  const sign = direction.startsWith("-") ? -1 : 1;
  return ["x", "y", "z"].map((axis) => (direction.endsWith(axis) ? sign : 0)) as Three;
}

function cross([a, b, c]: Three, [x, y, z]: Three): Three {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

function dot(a: Three, b: Three): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Around a unit axis by the right hand (Rodrigues). */
function turned(v: Three, axis: Three, angle: number): Three {
  const [s, c] = [Math.sin(angle), Math.cos(angle)];
  const side = cross(axis, v);
  const along = dot(axis, v) * (1 - c);
  return [0, 1, 2].map((k) => v[k]! * c + side[k]! * s + axis[k]! * along) as Three;
}

/** A vector of a set in standard axes: up is up, x is ahead (y where x is up), and left is by the hand. */
function standardOf({ handed, up }: Axes, v: Three): Three {
  const ahead = unit(up.endsWith("x") ? "y" : "x");
  const left = cross(unit(up), ahead).map((cell) => (handed === "left" ? -cell : cell)) as Three;
  return [dot(v, ahead), dot(v, left), dot(v, unit(up))];
}

/** Forward, left and up of a thing, in standard axes. */
type Attitude = readonly [forward: Three, left: Three, up: Three];

/** As the words of `Angles` have it: the thing stands, looks to zero, and is turned about its own axes. */
function attitudeOf(axes: Axes, [roll, pitch, yaw]: Three): Attitude {
  const { order, zero, ...senses } = completeAxes(axes).angles!;
  const compass = { east: [1, 0, 0], north: [0, 1, 0], west: [-1, 0, 0], south: [0, -1, 0] };
  const forward = zero in compass ? compass[zero as "east"] : standardOf(axes, unit(zero as Direction));
  const up: Three = [0, 0, 1];
  let thing: Attitude = [forward as Three, cross(up, forward as Three), up];
  const turns = {
    roll: [0, senses.roll === "right" ? roll : -roll],
    pitch: [1, senses.pitch === "down" ? pitch : -pitch],
    yaw: [2, senses.yaw === "left" ? yaw : -yaw],
  } as const;
  for (const name of order.split("-") as ("roll" | "pitch" | "yaw")[]) {
    const [which, angle] = turns[name];
    const axis = thing[which];
    thing = thing.map((v) => turned(v, axis, angle)) as unknown as Attitude;
  }
  return thing;
}

/** The columns of a quaternion's matrix. */
function columnsOf([x, y, z, w]: Four): Attitude {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
}

/** Of a quaternion in the axes of a set, with what the thing calls forward and up. */
function attitudeOfQuaternion(axes: Axes, q: Four, forward: Direction, up: Direction): Attitude {
  const matrix = columnsOf(q);
  const inSet = (v: Three): Three => [0, 1, 2].map((k) => dot(v, matrix.map((column) => column[k]!) as Three)) as Three;
  const [ahead, above] = [forward, up].map((direction) => standardOf(axes, inSet(unit(direction)))) as [Three, Three];
  return [ahead, cross(above, ahead), above];
}

function expectSame(found: Attitude, expected: Attitude, precision = 1e-9): void {
  // the most of all parts; NaN if one of them is
  let most = 0;
  for (let i = 0; i < 3; i++)
    for (let k = 0; k < 3; k++) most = Math.max(most, Math.abs(found[i]![k]! - expected[i]![k]!));
  expect(most).toBeLessThan(precision);
}

// ── what is asked of it ───────────────────────────────────────────────

function anglesFrom(transform: AxesTransform, [a, b, c]: Three, radians = 1): Four {
  const out: Four = [0, 0, 0, 0];
  transform.angles(a, b, c, radians, out, 0);
  return out;
}

const angle = fc.oneof(
  { weight: 3, arbitrary: fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }) },
  { weight: 1, arbitrary: fc.integer({ min: -8, max: 8 }).map((eighths) => (eighths * Math.PI) / 8) },
  { weight: 1, arbitrary: fc.integer({ min: -180, max: 180 }).map((degrees) => degrees * DEGREE) },
);
const cell = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const three = fc.tuple(cell, cell, cell);
const quaternion = fc
  .tuple(angle, angle, angle, angle)
  .filter((q) => Math.hypot(...q) > 0.1)
  .map((q) => q.map((part) => part / Math.hypot(...q)) as Four);

const level = (up: Direction): Direction[] => DIRECTIONS.filter((direction) => direction.at(-1) !== up.at(-1));

/** Local axes of every kind, and geodetic ones. */
const made: fc.Arbitrary<Axes> = fc
  .record({
    handed: fc.constantFrom(...HANDS),
    up: fc.constantFrom(...DIRECTIONS),
    order: fc.constantFrom(...ORDERS),
    roll: fc.constantFrom("right", "left"),
    pitch: fc.constantFrom("up", "down"),
    yaw: fc.constantFrom("right", "left"),
    isGeodetic: fc.boolean(),
    zero: fc.nat(3),
    forward: fc.nat(3),
    ownUp: fc.constantFrom(...DIRECTIONS),
    velocities: fc.constantFrom("set", "own"),
    tickRate: fc.integer({ min: 1, max: 1000 }),
  })
  .map(({ handed, up, order, roll, pitch, yaw, isGeodetic, zero, forward, ownUp, velocities, tickRate }) => ({
    handed,
    up,
    kind: isGeodetic ? "geodetic" : "local",
    angles: {
      order: isGeodetic ? ORDERS[zero % 2]! : order,
      roll,
      pitch,
      yaw,
      zero: isGeodetic ? QUARTERS[zero]! : level(up)[zero]!,
    },
    own: { forward: level(ownUp)[forward]!, up: ownUp },
    velocities,
    tickRate,
  }));
const anyAxes = fc.oneof(made, fc.constantFrom(...FORMATS.map(([, axes]) => axes)));

describe("vectors", () => {
  test.each(HANDS.flatMap((handed) => DIRECTIONS.map((up) => [handed, up] as const)))(
    "of a %s-handed set with %s up keep their hand, and up is up",
    (handed, up) => {
      const axes: Axes = { handed, up, kind: "local" };
      for (const direction of DIRECTIONS) {
        const out = [9, 0, 0, 0, 9];
        transformOf(axes).vector(...unit(direction), out, 1);
        expect(out.map((number) => number + 0)).toEqual([9, ...standardOf(axes, unit(direction)).map((n) => n + 0), 9]);
      }
    },
  );

  test("are the same there and back, of the set and of a thing", () => {
    const property = fc.property(anyAxes, three, (axes, vector) => {
      const transform = transformOf(axes);
      const out: Three = [0, 0, 0];
      transform.vector(...vector, out, 0);
      transform.vectorBack(...out, out, 0);
      expect(out).toEqual(vector);
      transform.ownVector(...vector, out, 0);
      transform.ownVectorBack(...out, out, 0);
      expect(out).toEqual(vector);
    });
    fc.assert(property, SEED);
  });

  test("of an aircraft's body, forward, right and down, are forward, left and up", () => {
    const out = [0, 0, 0];
    transformOf(FLIGHTGEAR).ownVector(50, 2, -3, out, 0);
    expect(out).toEqual([50, -2, 3]);
  });
});

describe("angles", () => {
  const kinds = (["local", "geodetic"] as const).flatMap((kind) =>
    ORDERS.filter((order) => kind === "local" || order.startsWith("yaw")).map((order) => [kind, order] as const),
  );

  test.each(kinds)("of a %s set, turned in the order %s, mean what their words say", (kind, order) => {
    for (const handed of HANDS)
      for (const up of DIRECTIONS)
        for (const roll of ["right", "left"] as const)
          for (const pitch of ["up", "down"] as const)
            for (const yaw of ["right", "left"] as const)
              for (const zero of kind === "local" ? level(up) : QUARTERS) {
                const axes: Axes = { handed, up, kind, angles: { order, roll, pitch, yaw, zero } };
                for (const row of [
                  [0, 0, 0],
                  [0.3, -0.7, 1.9],
                  [-2.1, 1.2, -0.4],
                ] as Three[])
                  expectSame(columnsOf(anglesFrom(transformOf(axes), row)), attitudeOf(axes, row), 1e-12);
              }
  });

  test("turn a thing alike there and back", () => {
    const unitOf = fc.constantFrom(1, DEGREE);
    const property = fc.property(anyAxes, fc.tuple(angle, angle, angle), unitOf, (axes, row, radians) => {
      const transform = transformOf(axes);
      const middle = ["roll", "pitch", "yaw"].indexOf(transform.axes.angles!.order.split("-")[1]!);
      fc.pre(Math.abs(Math.cos(row[middle]!)) > 1e-6);
      const there = anglesFrom(transform, row);
      const back: Three = [0, 0, 0];
      transform.anglesBack(...there, radians, back, 0);
      expectSame(columnsOf(anglesFrom(transform, back, radians)), columnsOf(there), 1e-6);
    });
    fc.assert(property, SEED);
  });

  test("within a quarter turn come back as they were", () => {
    const small = fc.double({ min: -80, max: 80, noNaN: true });
    const property = fc.property(anyAxes, fc.tuple(small, small, small), (axes, row) => {
      const transform = transformOf(axes);
      const back: Three = [0, 0, 0];
      transform.anglesBack(...anglesFrom(transform, row, DEGREE), DEGREE, back, 0);
      for (let k = 0; k < 3; k++) expect(Math.cos((back[k]! - row[k]!) * DEGREE)).toBeCloseTo(1, 12);
    });
    fc.assert(property, SEED);
  });

  test.each(FORMATS)("of %s mean what its words say", (_, axes) => {
    const property = fc.property(fc.tuple(angle, angle, angle), (row) =>
      expectSame(columnsOf(anglesFrom(transformOf(axes), row)), attitudeOf(axes, row)),
    );
    fc.assert(property, SEED);
  });
});

describe("quaternions", () => {
  test("are of the thing's own axes, whichever those are", () => {
    const property = fc.property(made, quaternion, (axes, q) => {
      const { forward, up } = axes.own!;
      const out: Four = [0, 0, 0, 0];
      transformOf(axes).orientation(...q, out, 0);
      expect(Math.hypot(...out)).toBeCloseTo(1, 12);
      expectSame(columnsOf(out), attitudeOfQuaternion(axes, q, forward, up));
    });
    fc.assert(property, SEED);
  });

  test("of things with the axes of their set look along x, or y where x is up", () => {
    for (const handed of HANDS)
      for (const up of DIRECTIONS) {
        const axes: Axes = { handed, up, kind: "local" };
        const out: Four = [0, 0, 0, 0];
        const q: Four = [0.5, -0.1, 0.3, Math.sqrt(0.65)];
        transformOf(axes).orientation(...q, out, 0);
        expectSame(columnsOf(out), attitudeOfQuaternion(axes, q, up.endsWith("x") ? "y" : "x", up));
      }
  });

  test("are the same there and back", () => {
    const property = fc.property(anyAxes, quaternion, (axes, q) => {
      const out: Four = [0, 0, 0, 0];
      transformOf(axes).orientation(...q, out, 0);
      transformOf(axes).orientationBack(...out, out, 0);
      for (let k = 0; k < 4; k++) expect(Math.abs(out[k]! - q[k]!)).toBeLessThan(1e-12);
    });
    fc.assert(property, SEED);
  });

  test("turn a thing as the angles do that it was made of", () => {
    const property = fc.property(made, fc.tuple(angle, angle, angle), (axes, row) => {
      const transform = transformOf(axes);
      const q: Four = [0, 0, 0, 0];
      transform.orientationBack(...anglesFrom(transform, row), q, 0);
      expectSame(attitudeOfQuaternion(axes, q, axes.own!.forward, axes.own!.up), attitudeOf(axes, row));
    });
    fc.assert(property, SEED);
  });
});

describe("axes", () => {
  test.each(FORMATS)("of %s are what follows from how they are handed, what is up, and their kind", (_, axes) => {
    expect(completeAxes(axes)).toEqual(standardAxes(axes.handed, axes.up, axes.kind));
    expect(briefAxes(completeAxes(axes))).toEqual({ handed: axes.handed, up: axes.up, kind: axes.kind });
  });

  test("that say no more than they must mean the same as complete ones, and others do not", () => {
    const property = fc.property(made, made, (axes, other) => {
      expect(completeAxes(briefAxes(axes))).toEqual(axes);
      expect(areSameAxes(axes, briefAxes(axes))).toBe(true);
      expect(areSameAxes(axes, other)).toBe(JSON.stringify(axes) === JSON.stringify(other));
      expect(completeAxes(axes)).toBe(axes);
      expect(transformOf(axes)).toBe(transformOf(axes));
    });
    fc.assert(property, SEED);
    expect(areSameAxes(null, { handed: "right", up: "z", kind: "local" })).toBe(true);
    expect(transformOf(null).axes).toBe(standardAxes("right", "z"));
  });

  const angles = standardAxes("right", "z").angles!;
  test.each<[string, Partial<Axes>]>([
    ["a hand that there is not", { handed: "both" as "left" }],
    ["an axis that there is not", { up: "w" as "x" }],
    ["a kind that there is not", { kind: "polar" as "local" }],
    ["a thing that looks up where it is level", { angles: { ...angles, zero: "z" } }],
    ["a quarter of the compass in a local set", { angles: { ...angles, zero: "north" } }],
    ["an axis in a geodetic set", { kind: "geodetic", angles }],
    [
      "a heading that is not turned first",
      { kind: "geodetic", angles: { ...angles, zero: "north", order: ORDERS[2] } },
    ],
    ["an angle twice", { angles: { ...angles, order: "yaw-yaw-roll" as Angles["order"] } }],
    ["a side that there is not", { angles: { ...angles, roll: "down" as "left" } }],
    ["things that look along their own up", { own: { forward: "x", up: "-x" } }],
    ["ticks that never come", { tickRate: 0 }],
    ["velocities along nothing", { velocities: "none" as "own" }],
  ])("are refused with %s", (_, other) => {
    expect(() => transformOf({ handed: "right", up: "z", kind: "local", ...other })).toThrow(RangeError);
  });
});

describe("what was written before", () => {
  // Bytes of converted recordings rest on every digit.
  test.each(FORMATS)("vectors and quaternions of %s are to the last bit what they were", (_, axes) => {
    const property = fc.property(three, quaternion, (vector, q) => {
      const out = [0, 0, 0, 0];
      transformOf(axes).vector(...vector, out, 0);
      expect(out.slice(0, 3)).toEqual(vectorOfOld(axes, ...vector));
      transformOf(axes).orientation(...q, out, 0);
      // Those of aircraft were not asked for.
      if (axes.kind === "local") expect(out).toEqual(orientationOfOld(axes, ...q));
    });
    fc.assert(property, SEED);
  });

  test.each(FORMATS)("angles of %s are to the last bit what they were", (_, axes) => {
    const degrees = fc.oneof(
      fc.double({ min: -720, max: 720, noNaN: true }),
      fc.constantFrom(0, -0, 45, 90, -90, 180, 270, 360),
    );
    const property = fc.property(fc.tuple(degrees, degrees, degrees), (row) => {
      expect(anglesFrom(transformOf(axes), row, DEGREE)).toEqual(anglesOfOld(axes, ...row, DEGREE));
    });
    fc.assert(property, SEED);
  });

  test("angles that were written of an orientation, if not straight up or down, are to the last bit what they were", () => {
    const property = fc.property(quaternion, (q) => {
      const [x, y, z, w] = q;
      fc.pre(Math.abs(2 * (w * y - z * x)) < 1 - 1e-12);
      const back = (axes: Axes, radians: number): number[] => {
        const out = [0, 0, 0];
        transformOf(axes).anglesBack(...q, radians, out, 0);
        return out;
      };
      const [roll, pitch, yaw] = toEulerOld(...q) as Three;
      const degrees = 180 / Math.PI;
      expect(back(MIRA, 1)).toEqual([roll, pitch, yaw]);
      expect(back(CARLA, DEGREE)).toEqual([roll * degrees, -pitch * degrees, -yaw * degrees]);
      expect(back(HCRP, DEGREE).slice(1)).toEqual([pitch * degrees, -yaw * degrees - 90]);
      // These go into single precision.
      const flown = [roll / DEGREE, -pitch / DEGREE, 90 - yaw / DEGREE];
      for (const [k, number] of back(FLIGHTGEAR, DEGREE).entries()) expect(number).toBeCloseTo(flown[k]!, 11);
    });
    fc.assert(property, SEED);
  });
});
