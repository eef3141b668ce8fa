import { expect, test } from "vitest";
import type { SceneryPart } from "../../src/world/companion.ts";
import { landOf } from "../../src/world/opendrive/land.ts";
import { read } from "../../src/world/opendrive/read.ts";
import { netOf, roadOf } from "./nets.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const HILL = '<elevation s="0" a="2" b="0.08" c="0" d="0"/><elevation s="300" a="26" b="-0.05" c="0" d="0"/>';

/** Height of a net of triangles over a place; NaN: it is not there. */
function heightOver({ positions: p, index }: SceneryPart, x: number, y: number): number {
  for (let i = 0; i < index.length; i += 3) {
    const [a, b, c] = [3 * index[i]!, 3 * index[i + 1]!, 3 * index[i + 2]!];
    const area = (p[b]! - p[a]!) * (p[c + 1]! - p[a + 1]!) - (p[c]! - p[a]!) * (p[b + 1]! - p[a + 1]!);
    const u = ((x - p[a]!) * (p[c + 1]! - p[a + 1]!) - (p[c]! - p[a]!) * (y - p[a + 1]!)) / area;
    const v = ((p[b]! - p[a]!) * (y - p[a + 1]!) - (x - p[a]!) * (p[b + 1]! - p[a + 1]!)) / area;
    if (u >= -1e-9 && v >= -1e-9 && u + v <= 1 + 1e-9)
      return p[a + 2]! + u * (p[b + 2]! - p[a + 2]!) + v * (p[c + 2]! - p[a + 2]!);
  }
  return Number.NaN;
}

test("flat roads have no land of their own", () => {
  expect(read(bytesOf(netOf(roadOf({ length: 500 })))).parts.map(({ paint }) => paint)).not.toContain("land");
  expect(landOf([])).toBeNull();
});

test("the land of a hill is close below its road everywhere, and ends at the height of the lowest road", () => {
  const { parts, ground, middle } = read(bytesOf(netOf(roadOf({ length: 600, elevation: HILL }))));
  const land = parts.find(({ paint }) => paint === "land")!;
  expect(ground).toBeCloseTo(2, 5);
  for (let s = 5; s < 600; s += 7) {
    const road = s < 300 ? 2 + 0.08 * s : 26 - 0.05 * (s - 300);
    for (const t of [-4, 0, 3]) {
      const below = road - (heightOver(land, s - middle[0], t - middle[1]) + middle[2]);
      expect(below, `at ${s} m`).toBeGreaterThan(0.2);
      expect(below, `at ${s} m`).toBeLessThan(1.5);
    }
  }
  const heights = Array.from({ length: land.positions.length / 3 }, (_, i) => land.positions[3 * i + 2]! + middle[2]);
  expect(Math.min(...heights)).toBeCloseTo(1.75, 3);
  expect(land.positions[2]! + middle[2]).toBeCloseTo(1.75, 3);
  expect(Math.max(...heights)).toBeLessThan(26);
  // Seen from above.
  for (let i = 2; i < land.normals.length; i += 3) expect(land.normals[i]).toBeGreaterThan(0.5);
});

test("below a bridge the land is below the lower road", () => {
  const flat = roadOf({ length: 200, at: 'x="-100" y="0" hdg="0"' });
  const bridge = roadOf({
    id: "2",
    length: 200,
    at: 'x="0" y="-100" hdg="1.5707963"',
    elevation: '<elevation s="0" a="8" b="0" c="0" d="0"/>',
  });
  const { parts, middle } = read(bytesOf(netOf(flat, bridge)));
  const land = parts.find(({ paint }) => paint === "land")!;
  for (const [x, y] of [
    [0, 0],
    [3, -3],
    [-80, 1],
  ] as const)
    expect(heightOver(land, x - middle[0], y - middle[1]) + middle[2]).toBeLessThan(0);
});
