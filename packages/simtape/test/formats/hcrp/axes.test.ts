import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Palettes } from "../../../src/formats/hcrp/chunk/context.ts";
import { patchFields } from "../../../src/formats/hcrp/fields/own.ts";
import { axesNote, hasMore, readAxes, writeAxes } from "../../../src/formats/hcrp/layout/axes.ts";
import { writeSetChange } from "../../../src/formats/hcrp/layout/patch.ts";
import { writeValue } from "../../../src/formats/hcrp/layout/values.ts";
import {
  type Axes,
  type EntitySet,
  LayoutError,
  NOT_UNDERSTOOD,
  standardAxes,
  type Value,
} from "../../../src/index.ts";
import { ByteBuilder, ByteCursor, fieldsIn } from "../../../src/kit.ts";
import { completeAxes } from "../../../src/model/axes/standard-axes.ts";

function written(axes: Axes | null): Uint8Array {
  const builder = new ByteBuilder();
  writeAxes(builder, axes);
  return builder.take();
}

function read(bytes: Uint8Array): Axes | null {
  const cursor = new ByteCursor(bytes);
  const axes = readAxes(cursor);
  expect(cursor.remaining).toBe(0);
  return axes;
}

function stated(bits: number, value: Value): Uint8Array {
  const builder = new ByteBuilder();
  writeValue(builder.u8(bits), value);
  return builder.take();
}

const angles = { order: "roll-pitch-yaw", roll: "left", pitch: "up", yaw: "left", zero: "-x" } as const;

describe("axes of a set", () => {
  test.each([
    [0, null],
    [1, ["right", "y", "local"]],
    [3, ["left", "y", "local"]],
    [5, ["right", "z", "local"]],
    [7, ["left", "z", "local"]],
    [9, ["right", "y", "geodetic"]],
    [13, ["right", "z", "geodetic"]],
    [15, ["left", "z", "geodetic"]],
  ] as const)("are the byte %i alone where they mean what follows from it", (bits, of) => {
    const axes = of === null ? null : standardAxes(of[0], of[1], of[2]);
    expect([...written(axes)]).toEqual([bits]);
    if (axes !== null) expect([...written({ handed: axes.handed, up: axes.up, kind: axes.kind })]).toEqual([bits]);
    expect(read(Uint8Array.of(bits))).toEqual(axes);
    expect(hasMore(bits)).toBe(false);
  });

  test("that mean something else come back as they were", () => {
    const property = fc.property(
      fc.record(
        {
          handed: fc.constantFrom("right" as const, "left" as const),
          up: fc.constantFrom("x" as const, "-x" as const, "y" as const, "-y" as const, "z" as const, "-z" as const),
          kind: fc.constant("local" as const),
          own: fc.constantFrom({ forward: "z", up: "y" } as const, { forward: "-x", up: "-z" } as const),
          velocities: fc.constantFrom("set" as const, "own" as const),
          tickRate: fc.oneof(fc.constantFrom(20, 60), fc.double({ min: 0.001, max: 1e6, noNaN: true })),
        },
        { requiredKeys: ["handed", "up", "kind"] },
      ),
      fc.boolean(),
      (made, hasAngles) => {
        const zero = made.up.endsWith("x") ? "-y" : "-x";
        const axes: Axes = hasAngles ? { ...made, angles: { ...angles, zero } } : made;
        expect(read(written(axes))).toEqual(completeAxes(axes));
      },
    );
    fc.assert(property, { seed: 20261120, numRuns: 500 });
  });

  test("and what is behind them are named byte by byte", () => {
    const set = (axes: Axes): EntitySet => ({ ids: [7], columns: new Map(), axes });
    for (const axes of [standardAxes("left", "z"), { ...standardAxes("left", "z"), tickRate: 50 }]) {
      const builder = new ByteBuilder();
      writeSetChange(builder, "cars", null, set(axes), () => 0);
      const fields = fieldsIn(builder.take(), (into) => patchFields(into, "patch", new Palettes()));
      expect(fields.filter(({ name }) => name === NOT_UNDERSTOOD)).toEqual([]);
      const named = fields.filter(({ name }) => name.endsWith(".stated"));
      expect(named.map(({ value }) => value)).toEqual("tickRate" in axes ? [{ tickRate: 50 }] : []);
    }
  });

  test("are said in words", () => {
    expect([0, 1, 7, 5].map(axesNote)).toEqual([
      "none",
      "right-handed, y up",
      "left-handed, z up",
      "right-handed, z up",
    ]);
  });

  test.each<[string, Uint8Array]>([
    ["a value that is no record", stated(21, ["x"])],
    ["something that axes do not have", stated(21, { colour: "red" })],
    ["a direction that there is not", stated(21, { up: "w" })],
    ["half of the angles", stated(21, { angles: { order: "yaw-pitch-roll" } })],
    ["a rate in words", stated(21, { tickRate: "often" })],
    ["angles that contradict what is up", stated(21, { angles: { ...angles, zero: "z" } })],
    ["nothing behind the byte", Uint8Array.of(21)],
  ])("are malformed with %s", (_, bytes) => {
    expect(() => readAxes(new ByteCursor(bytes))).toThrow(LayoutError);
  });
});
