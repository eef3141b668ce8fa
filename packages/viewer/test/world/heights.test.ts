import { describe, expect, test } from "vitest";
import { Origin } from "../../src/scene/things/origin.ts";
import { SceneryView } from "../../src/scene/surroundings/scenery-view.ts";
import type { Scenery } from "../../src/world/companion.ts";
import { bandOf } from "../../src/world/heights/bands.ts";
import { PAINTS } from "../../src/world/heights/paints.ts";
import { read } from "../../src/world/heights/read.ts";
import { KINDS, kindOf } from "../../src/world/registry.ts";
import { GEOGRAPHIC, tiffOf } from "./small-tiff.ts";

const [WIDTH, HEIGHT] = [5, 4];
const CORNER = [8.7, 47.7] as const;
const POINT = [0.01, 0.02] as const;
/** From sea in the west to a mountain in the east; by column alone. */
const OF_COLUMN = [0, 40, 100, 700, 2600];
const SLOPE = Float32Array.from({ length: WIDTH * HEIGHT }, (_, i) => OF_COLUMN[i % WIDTH]!);
const OPTIONS = { width: WIDTH, height: HEIGHT, corner: CORNER, point: POINT };

/** All corners of a scenery: degrees north, degrees east, metres. */
function cornersOf({ parts, middle }: Scenery): number[][] {
  return parts.flatMap(({ positions }) =>
    Array.from({ length: positions.length / 3 }, (_, i) => [0, 1, 2].map((k) => positions[3 * i + k]! + middle[k]!)),
  );
}

function triangles({ parts }: Scenery): number {
  return parts.reduce((sum, { index }) => sum + index.length / 3, 0);
}

describe("heights in a GeoTIFF", () => {
  test.each([false, true])("stand where the file says, big endian: %s", async (isBigEndian) => {
    const scenery = await read(tiffOf(SLOPE, { ...OPTIONS, isBigEndian }));
    expect(scenery.findings).toEqual([]);
    expect(scenery.description).toBe("terrain");
    expect(scenery.isGeodetic).toBe(true);
    expect(Object.fromEntries(scenery.facts)).toMatchObject({ heights: "0 to 2,600 m", points: "5 × 4" });
    expect(triangles(scenery)).toBe(2 * (WIDTH - 1) * (HEIGHT - 1));
    const corners = cornersOf(scenery);
    // Each height is that of an area: its place is the middle of it.
    for (const [north, east, up] of corners) {
      const column = (east! - CORNER[0]) / POINT[0] - 0.5;
      const row = (CORNER[1] - north!) / POINT[1] - 0.5;
      expect(column).toBeCloseTo(Math.round(column), 3);
      expect(row).toBeCloseTo(Math.round(row), 3);
      expect(up).toBeCloseTo(OF_COLUMN[Math.round(column)]!, 3);
    }
    const seen = new Set(corners.map(([north, east]) => `${north!.toFixed(4)} ${east!.toFixed(4)}`));
    expect(seen.size).toBe(WIDTH * HEIGHT);
  });

  test("of points lie at the points", async () => {
    const keys = GEOGRAPHIC.map(([key, value]) => [key, key === 1025 ? 2 : value] as const);
    const easts = cornersOf(await read(tiffOf(SLOPE, { ...OPTIONS, keys }))).map(([, east]) => east!);
    expect(Math.min(...easts)).toBeCloseTo(CORNER[0], 5);
    expect(Math.max(...easts)).toBeCloseTo(CORNER[0] + WIDTH * POINT[0], 5);
  });

  test("have the colours of their heights, each in light and dark", async () => {
    const { parts } = await read(tiffOf(SLOPE, OPTIONS));
    expect(parts.map(({ paint }) => paint)).toEqual(["height-1", "height-2", "height-4", "height-6", "height-7"]);
    expect([-5, 0, 1, 100, 5000].map(bandOf)).toEqual(["height-0", "height-0", "height-1", "height-2", "height-9"]);
    for (const height of [-5, 1, 100, 200, 500, 800, 1500, 2000, 3000, 5000])
      expect(PAINTS[bandOf(height)]).toBeDefined();
  });

  test("lean as far as the ground rises in metres", async () => {
    const { parts, middle } = await read(tiffOf(SLOPE, OPTIONS));
    const north = CORNER[1] - (HEIGHT / 2) * POINT[1];
    const step = POINT[0] * 111_195 * Math.cos((north * Math.PI) / 180);
    for (const { positions, normals } of parts) {
      for (let at = 0; at < normals.length; at += 3) {
        const column = Math.round((positions[at + 1]! + middle[1]! - CORNER[0]) / POINT[0] - 0.5);
        const [left, right] = [Math.max(0, column - 1), Math.min(WIDTH - 1, column + 1)];
        const rise = (OF_COLUMN[right]! - OF_COLUMN[left]!) / (step * (right - left));
        expect(-normals[at]! / normals[at + 2]! / rise).toBeCloseTo(1, 3);
      }
    }
  });

  test("look up, and are lit by their slope", async () => {
    for (const { normals } of (await read(tiffOf(SLOPE, OPTIONS))).parts) {
      for (let at = 0; at < normals.length; at += 3) {
        expect(Math.hypot(normals[at]!, normals[at + 1]!, normals[at + 2]!)).toBeCloseTo(1, 5);
        expect(normals[at + 2]).toBeGreaterThan(0);
        // it rises eastwards, and not to the north
        expect(normals[at]).toBeLessThan(0);
        expect(normals[at + 1]).toBeCloseTo(0, 6);
      }
    }
  });

  test("that are not known leave a gap, and that is found", async () => {
    const heights = SLOPE.map((value, i) => (i === 6 ? -9999 : i === 8 ? Number.NaN : value));
    const scenery = await read(tiffOf(heights, { ...OPTIONS, noData: "-9999" }));
    expect(scenery.findings).toEqual([{ severity: "note", code: "gaps", message: "2 of 20 points have no height" }]);
    expect(triangles(scenery)).toBeLessThan(24);
    expect(cornersOf(scenery).every(([, , up]) => up! >= 0)).toBe(true);
  });

  test("that are many are thinned, and that is found", async () => {
    const [width, height] = [700, 350];
    const heights = Float32Array.from({ length: width * height }, (_, i) => i % width);
    const scenery = await read(tiffOf(heights, { ...OPTIONS, width, height, point: [1e-4, 1e-4] }));
    expect(scenery.findings).toMatchObject([{ code: "thinned", message: "700 × 350 points are drawn as 320 × 160" }]);
    expect(triangles(scenery)).toBe(2 * 319 * 159);
    // the slope is the same
    const away = cornersOf(scenery).map(([, east, up]) => Math.abs(up! - ((east! - CORNER[0]) / 1e-4 - 0.5)));
    expect(Math.max(...away.slice(0, 100_000))).toBeLessThan(3);
  });

  test.each([
    [
      "other degrees",
      [
        [1024, 2],
        [1025, 1],
        [2048, 4267],
      ],
      "not those of WGS 84",
    ],
    ["places around the middle of the earth", [[1024, 3]], "of a kind that is not known"],
  ] as const)("of %s are refused", async (_, keys, message) => {
    const { findings, parts } = await read(tiffOf(SLOPE, { ...OPTIONS, keys }));
    expect(parts).toEqual([]);
    expect(findings).toMatchObject([{ severity: "damage", code: "no-place" }]);
    expect(findings[0]!.message).toContain(message);
  });

  test("beyond the poles are refused", async () => {
    const { findings } = await read(tiffOf(SLOPE, { ...OPTIONS, corner: [8, 95] }));
    expect(findings).toMatchObject([{ code: "no-place", message: "it reaches beyond the earth" }]);
  });

  test("cut anywhere are refused or drawn, and never more than there is", async () => {
    const bytes = tiffOf(SLOPE, OPTIONS);
    for (let length = 0; length < bytes.length; length += 7) {
      const reported = await Promise.resolve(read(bytes.slice(0, length))).catch((error: unknown) => error);
      if (reported instanceof Error) continue;
      expect(triangles(reported as Scenery)).toBeLessThanOrEqual(24);
    }
  });

  test("are recognized by their first bytes, whatever they are called", () => {
    const kind = kindOf("Alps.TIF")!;
    expect(kind.id).toBe("heights");
    expect(kindOf("alps.tiff")).toBe(kind);
    expect(kind.whole!.recognizes(tiffOf(SLOPE, OPTIONS))).toBe(true);
    expect(kind.whole!.recognizes(tiffOf(SLOPE, { ...OPTIONS, isBigEndian: true }))).toBe(true);
    expect(kind.whole!.recognizes(new TextEncoder().encode("<OpenDRIVE>"))).toBe(false);
    expect(KINDS.filter((one) => one.whole?.recognizes(tiffOf(SLOPE, OPTIONS)))).toEqual([kind]);
  });
});

describe("terrain in the scene", () => {
  test("stands point by point where the recording's own places are", async () => {
    const scenery = await read(tiffOf(SLOPE, OPTIONS));
    const origin = new Origin();
    const place = new Float64Array(3);
    // The recording begins half a degree away: the earth is round between.
    origin.geodetic(47.2, 8.5, 400, place, 0);
    const view = new SceneryView(scenery, PAINTS, origin, false);
    view.scheme = "dark";
    expect(view.describe()).toBe("terrain");
    let checked = 0;
    const [mesh] = view.object.children as unknown as {
      geometry: { getAttribute(name: string): { array: Float32Array } };
    }[];
    const { positions } = scenery.parts[0]!;
    const drawn = mesh!.geometry.getAttribute("position").array;
    for (let at = 0; at < positions.length; at += 3, checked++) {
      const [north, east, up] = [0, 1, 2].map((k) => positions[at + k]! + scenery.middle[k]!);
      origin.geodetic(north!, east!, up!, place, 0);
      for (let k = 0; k < 3; k++) expect(drawn[at + k]).toBeCloseTo(place[k]!, 1);
    }
    expect(checked).toBeGreaterThan(3);
    const normals = mesh!.geometry.getAttribute("normal").array;
    for (let at = 0; at < normals.length; at += 3) expect(normals[at + 1]).toBeGreaterThan(0);
    view.dispose();
  });

  test("on the earth has no place in a world of metres, and the picture says so", async () => {
    const origin = new Origin();
    origin.local(new Float64Array([1, 2, 3]), 0);
    const view = new SceneryView(await read(tiffOf(SLOPE, OPTIONS)), PAINTS, origin, false);
    expect(view.isShown).toBe(false);
    expect(view.describe()).toBe("terrain that has no place in this recording");
  });
});
