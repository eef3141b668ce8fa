import land from "world-atlas/land-110m.json" with { type: "json" };
import { describe, expect, test } from "vitest";
import { degreesText, freeSpot, multiples, stepOf } from "../../src/scene/chart/graticule.ts";
import { linesOf, piecesNear, type Topology } from "../../src/scene/chart/land.ts";

const LINES = linesOf(land as unknown as Topology);

describe("the coast", () => {
  test("is on the earth, and has no edge of the map", () => {
    expect(LINES.length).toBeGreaterThan(100);
    const easts = LINES.flatMap((line) => [...line.filter((_, i) => i % 2 === 0)]);
    const norths = LINES.flatMap((line) => [...line.filter((_, i) => i % 2 === 1)]);
    expect(easts.every((east) => Math.abs(east) < 180)).toBe(true);
    expect(norths.every((north) => north > -89 && north < 84)).toBe(true);
  });

  test.each([
    ["San Francisco", 37.6, -122.4, true],
    ["the Strait of Dover", 51.05, 1.4, true],
    ["Bern", 46.95, 7.45, false],
    ["the middle of the Pacific", 10, -140, false],
  ])("is within 100 km of %s: %#", (_, north, east, isNear) => {
    expect(piecesNear(LINES, north, east, 100_000).length > 0).toBe(isNear);
  });
});

describe("lines of the earth", () => {
  test("are as close as what is seen asks for", () => {
    expect([60, 10, 1, 0.2, 0.05, 0.001].map((degrees) => stepOf(degrees))).toEqual([
      10,
      2,
      expect.closeTo(10 / 60, 9),
      expect.closeTo(2 / 60, 9),
      expect.closeTo(1 / 60, 9),
      expect.closeTo(1 / 3600, 9),
    ]);
  });

  test("are at multiples of a step, never more than can be read", () => {
    expect(multiples(8.2, 11, 1)).toEqual([9, 10, 11]);
    expect(multiples(-2, 1, 1)).toEqual([-2, -1, 0, 1]);
    expect(multiples(0, 1e6, 1)).toHaveLength(60);
    expect(multiples(5.1, 5.2, 1)).toEqual([]);
  });

  test("are named as exactly as they are apart", () => {
    expect(degreesText(47, ["N", "S"], 1)).toBe("47°N");
    expect(degreesText(-0.5, ["N", "S"], 0.5)).toBe("0°30′S");
    expect(degreesText(-122.375, ["E", "W"], 30 / 3600)).toBe("122°22′30″W");
    expect(degreesText(0, ["E", "W"], 1)).toBe("0°");
    // What is 8.999999 by its sum is 9.
    expect(degreesText(8 + 60 * (1 / 60) - 1e-12, ["E", "W"], 1 / 60)).toBe("9°00′E");
  });

  test("have their names where nothing lies over them, else none", () => {
    const readings = { left: 10, right: 190, top: 10, bottom: 106 };
    const instruments = { left: 870, right: 1236, top: 275, bottom: 480 };
    const name = (...spots: Parameters<typeof freeSpot>[0]) => freeSpot(spots, 60, 17, [readings, instruments]);
    expect(name([230, 12, "center"], [230, 480, "center"])).toEqual([230, 12, "center"]);
    expect(name([210, 12, "center"], [210, 480, "center"])).toEqual([210, 480, "center"]);
    expect(name([6, 80, "left"], [1244, 80, "right"])).toEqual([1244, 80, "right"]);
    expect(name([6, 115, "left"])).toEqual([6, 115, "left"]);
    expect(name([900, 476, "center"])).toBeNull();
    // a box that is not shown has no size
    expect(freeSpot([[6, 8, "left"]], 60, 17, [{ left: 0, right: 0, top: 0, bottom: 0 }])).not.toBeNull();
  });
});
