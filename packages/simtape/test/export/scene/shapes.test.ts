import { describe, expect, it } from "vitest";
import { shapeOf } from "../../../src/export/scene/shapes.ts";
import type { Thing } from "../../../src/export/scene/things.ts";
import { Track } from "../../../src/export/scene/track.ts";

function thing(made: Partial<Thing>): Thing {
  const track = new Track(3, false);
  const rest = { set: "things", id: 1, kind: "", label: "", element: 0, extents: null, enlargement: 1 };
  return { ...rest, translation: track, rotation: track, visible: track, ...made };
}

const SHAPES: readonly (readonly [string, Partial<Thing>, readonly [number, number, number]])[] = [
  ["a box of its extents", { extents: { half: [1, 2, 3], middle: [10, 20, 30] } }, [2, 4, 6]],
  ["a vehicle", { kind: "vehicle.tesla.model3" }, [1.8, 1.5, 4.5]],
  ["an atom", { element: 6, enlargement: 1e9 }, [0.12, 0.12, 0.12]],
  ["a thing without a size", {}, [0.6, 0.25, 1]],
];

describe("the shape of a thing", () => {
  it.each(SHAPES)("is closed, and seen from outside: %s", (_, made, size) => {
    const { positions, normals, indices } = shapeOf(thing(made)).mesh();
    const corner = (array: Float32Array, k: number): number[] => [...array.subarray(3 * k, 3 * k + 3)];
    const all = Array.from({ length: positions.length / 3 }, (__, k) => corner(positions, k));
    const bounds = [0, 1, 2].map((axis) => {
      const values = all.map((at) => at[axis]!);
      return [Math.min(...values), Math.max(...values)] as const;
    });
    for (const [axis, [low, high]] of bounds.entries()) expect(high - low).toBeCloseTo(size[axis]!, 5);
    const middle = [0, 1, 2].map((axis) => all.reduce((sum, at) => sum + at[axis]! / all.length, 0));
    const edges = new Map<string, number>();
    for (let k = 0; k < indices.length; k += 3) {
      const [a, b, c] = [0, 1, 2].map((n) => corner(positions, indices[k + n]!)) as [number[], number[], number[]];
      const normal = corner(normals, indices[k]!);
      const outward = normal.reduce((sum, n, axis) => sum + n * (a[axis]! - middle[axis]!), 0);
      expect(outward).toBeGreaterThan(0);
      // counted to the left around the normal
      const [u, v] = [b.map((x, n) => x - a[n]!), c.map((x, n) => x - a[n]!)] as [number[], number[]];
      const turn = normal[0]! * (u[1]! * v[2]! - u[2]! * v[1]!) + normal[1]! * (u[2]! * v[0]! - u[0]! * v[2]!);
      expect(turn + normal[2]! * (u[0]! * v[1]! - u[1]! * v[0]!)).toBeGreaterThan(0);
      for (const [from, to] of [
        [a, b],
        [b, c],
        [c, a],
      ] as const) {
        const [there, back] = [[...from, ...to].join(" "), [...to, ...from].join(" ")];
        edges.set(there, (edges.get(there) ?? 0) + 1);
        edges.set(back, (edges.get(back) ?? 0) - 1);
      }
    }
    // each edge is met once in each way
    expect([...edges.values()].every((count) => count === 0)).toBe(true);
  });
});
