import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { interpolateStates } from "../../src/model/state/interpolate.ts";
import type { Interpolation } from "../../src/model/state/column.ts";
import { MutableState, type State } from "../../src/model/state/state.ts";
import type { Value } from "../../src/model/values/value.ts";

interface Thing {
  readonly id: number | string;
  readonly cells: readonly number[];
}

function stateOf(
  time: number,
  how: Interpolation,
  things: readonly Thing[],
  values: Record<string, Value> = {},
): State {
  const state = new MutableState();
  state.time = time;
  for (const [path, value] of Object.entries(values)) state.setValue(path, value);
  const set = state.set("cars");
  const width = things[0]?.cells.length ?? 1;
  const column = set.column("x", { kind: "f64", width, unit: null, interpolation: how });
  for (const { id, cells } of things) {
    const row = set.row(id);
    for (const [k, cell] of cells.entries()) column.put(row, cell, k);
  }
  return state.freeze();
}

/** Cells of the one thing, `r` of the way from `a` to `b`. */
function mixed(how: Interpolation, a: readonly number[], b: readonly number[], r: number): number[] {
  const state = interpolateStates(
    stateOf(100, how, [{ id: 1, cells: a }]),
    stateOf(200, how, [{ id: 1, cells: b }]),
    100 + r * 100,
    () => "hold",
  );
  expect(state.time).toBe(100 + r * 100);
  return Array.from(state.sets.get("cars")!.columns.get("x")!.data as Float64Array);
}

const share = fc.constantFrom(0, 0.25, 0.5, 0.75, 1);
const cell = fc.integer({ min: -1000, max: 1000 });

describe("between two states", () => {
  test("linear cells lie on a line", () => {
    fc.assert(
      fc.property(cell, cell, share, (a, b, r) => {
        expect(mixed("linear", [a], [b], r)[0]).toBeCloseTo(a + r * (b - a), 9);
      }),
    );
  });

  test.each<[Interpolation, number]>([
    ["angle-deg", 360],
    ["angle-rad", 2 * Math.PI],
  ])("cells that are %s go the shorter way round", (how, turn) => {
    const angle = fc.integer({ min: -1440, max: 1440 }).map((of) => (of * turn) / 360);
    fc.assert(
      fc.property(angle, angle, share, (a, b, r) => {
        const way = mixed(how, [a], [b], r)[0]! - a;
        const whole = mixed(how, [a], [b], 1)[0]! - a;
        expect(Math.abs(whole)).toBeLessThanOrEqual(turn / 2 + 1e-9);
        expect(way).toBeCloseTo(r * whole, 9);
        // The end is b, but for whole turns.
        const turns = (a + whole - b) / turn;
        expect(turns).toBeCloseTo(Math.round(turns), 9);
      }),
    );
    expect(mixed(how, [(350 * turn) / 360], [(10 * turn) / 360], 0.5)[0]).toBeCloseTo(turn, 9);
    expect(mixed(how, [(10 * turn) / 360], [(350 * turn) / 360], 0.5)[0]).toBeCloseTo(0, 9);
    expect(mixed(how, [(-170 * turn) / 360], [(170 * turn) / 360], 0.5)[0]).toBeCloseTo(-turn / 2, 9);
  });

  test("quaternions stay of length one and go the shorter arc", () => {
    const half = (degrees: number): readonly number[] => {
      const angle = (degrees * Math.PI) / 360;
      return [0, 0, Math.sin(angle), Math.cos(angle)];
    };
    fc.assert(
      fc.property(
        fc.integer({ min: -180, max: 180 }),
        fc.integer({ min: -170, max: 170 }),
        fc.constantFrom(1, -1),
        (from, by, sign) => {
          const end = half(from + by).map((of) => of * sign);
          const [x, y, z, w] = mixed("quaternion", half(from), end, 0.5);
          expect(Math.hypot(x!, y!, z!, w!)).toBeCloseTo(1, 9);
          // Half of the turn, either way of writing it.
          const [, , ez, ew] = half(from + by / 2);
          expect(Math.abs(z! * ez! + w! * ew!)).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  test("cells that hold, and those of whole numbers, stay as they were", () => {
    expect(mixed("hold", [1, 2], [9, 9], 0.9)).toEqual([1, 2]);
    const make = (time: number, gear: number): State => {
      const state = new MutableState();
      state.time = time;
      const cars = state.set("cars");
      const row = cars.row(1);
      cars.column("gear", { kind: "i32", width: 1, unit: null, interpolation: "linear" }).put(row, gear);
      cars.column("label", { kind: "string", width: 1, unit: null, interpolation: "linear" }).putText(row, `${gear}`);
      return state.freeze();
    };
    const { columns } = interpolateStates(make(0, 1), make(10, 4), 5, () => "linear").sets.get("cars")!;
    expect([columns.get("gear")!.data, columns.get("label")!.data]).toEqual([new Int32Array([1]), ["1"]]);
  });

  test("cells that are not known or not finite on either side stay as they were", () => {
    const edges = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const how of ["linear", "angle-deg", "angle-rad"] as const) {
      for (const edge of edges) {
        expect(mixed(how, [1, edge], [edge, 1], 0.5)).toEqual([1, edge]);
        expect(mixed(how, [edge], [edge], 0.5)).toEqual([edge]);
      }
    }
    const unknown = [Number.NaN, 0, 0, 1];
    expect(mixed("quaternion", [0, 0, 0, 1], unknown, 0.5)).toEqual([0, 0, 0, 1]);
    expect(mixed("quaternion", unknown, [0, 0, 0, 1], 0.5)).toEqual(unknown);
    expect(mixed("quaternion", [0, 0, 0, 0], [0, 0, 0, 0], 0.5)).toEqual([0, 0, 0, 0]);
  });

  test("a quaternion of another width, and columns that changed their kind, stay as they were", () => {
    expect(mixed("quaternion", [1, 2, 3], [4, 5, 6], 0.5)).toEqual([1, 2, 3]);
    const a = stateOf(0, "linear", [{ id: 1, cells: [1] }]);
    const wide = stateOf(10, "linear", [{ id: 1, cells: [1, 2] }]);
    expect(interpolateStates(a, wide, 5, () => "hold").sets).toEqual(a.sets);
    const other = new MutableState();
    other.time = 10;
    other.set("cars").column("x", { kind: "string", width: 1, unit: null }).putText(other.set("cars").row(1), "fast");
    expect(interpolateStates(a, other.freeze(), 5, () => "hold").sets).toEqual(a.sets);
  });

  test("things are matched by id; those missing on one side are as before, and new ones do not show", () => {
    const a = stateOf(0, "linear", [
      { id: 3, cells: [30] },
      { id: 1, cells: [10] },
      { id: "gone", cells: [5] },
    ]);
    const b = stateOf(10, "linear", [
      { id: 2, cells: [99] },
      { id: 1, cells: [20] },
      { id: 3, cells: [50] },
    ]);
    const { ids, columns } = interpolateStates(a, b, 5, () => "hold").sets.get("cars")!;
    expect(ids).toEqual([1, 3, "gone"]);
    expect(columns.get("x")!.data).toEqual(new Float64Array([15, 40, 5]));
    const empty = new MutableState();
    empty.time = 10;
    expect(interpolateStates(a, empty.freeze(), 5, () => "hold").sets).toEqual(a.sets);
  });

  test("values move as their path is said to, when they are numbers on both sides", () => {
    const a = stateOf(0, "hold", [], { rain: 0, sun: 350, map: "Town01", gone: 1, kind: 1, still: 1 });
    const b = stateOf(10, "hold", [], { rain: 1, sun: 10, map: "Town02", kind: "text", still: 2 });
    const how: Record<string, Interpolation> = {
      rain: "linear",
      sun: "angle-deg",
      gone: "linear",
      kind: "linear",
      map: "linear",
    };
    const { values } = interpolateStates(a, b, 2.5, (path) => how[path] ?? "hold");
    expect(Object.fromEntries(values)).toEqual({ rain: 0.25, sun: 355, map: "Town01", gone: 1, kind: 1, still: 1 });
  });

  test("times outside are held to the nearer state, and nothing lies between equal times", () => {
    const a = stateOf(0, "linear", [{ id: 1, cells: [10] }]);
    const b = stateOf(10, "linear", [{ id: 1, cells: [20] }]);
    const at = (time: number, end: State = b): unknown => {
      const state = interpolateStates(a, end, time, () => "hold");
      return [state.time, ...(state.sets.get("cars")!.columns.get("x")!.data as Float64Array)];
    };
    expect([at(-5), at(0), at(10), at(50)]).toEqual([
      [-5, 10],
      [0, 10],
      [10, 20],
      [50, 20],
    ]);
    expect(at(3, { ...b, time: 0 })).toEqual([3, 10]);
  });

  test("neither of the two states is written to", () => {
    const a = stateOf(0, "linear", [{ id: 1, cells: [10] }]);
    const b = stateOf(10, "linear", [{ id: 1, cells: [20] }]);
    const before = structuredClone([a, b]);
    interpolateStates(a, b, 5, () => "linear");
    expect([a, b]).toEqual(before);
  });
});
