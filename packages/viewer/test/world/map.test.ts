import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Scenery } from "../../src/world/companion.ts";
import { readPgm } from "../../src/world/map/pgm.ts";
import { cellsOf, FREE, OCCUPIED, read, UNKNOWN } from "../../src/world/map/read.ts";
import { rectanglesOf } from "../../src/world/map/rectangles.ts";
import { settingsOf } from "../../src/world/map/settings.ts";

const YAML = `image: /home/robot/maps/hall.pgm
resolution: 0.05
origin: [-1.0, -2.0, 0.0]
occupied_thresh: 0.65
free_thresh: 0.196
negate: 0
`;
const text = new TextEncoder();

function pgm(width: number, height: number, greys: readonly number[], head = ""): Uint8Array {
  return Uint8Array.from([...text.encode(`P5\n${head}${width} ${height}\n255\n`), ...greys]);
}

describe("a portable grey map", () => {
  test("is read as bytes, as two bytes and as text", () => {
    const wanted = { width: 3, height: 2, greys: Uint8Array.of(0, 100, 205, 254, 255, 1) };
    expect(readPgm(pgm(3, 2, [...wanted.greys], "# made by a robot\n"))).toEqual(wanted);
    expect(readPgm(text.encode("P2 3 2 255\n0 100 205\n# more\n254 255 1\n"))).toEqual(wanted);
    const wide = [...wanted.greys].flatMap((grey) => [grey, grey]);
    expect(readPgm(Uint8Array.from([...text.encode("P5 3 2 65535\n"), ...wide]))).toEqual(wanted);
  });

  test.each([
    ["P6 1 1 255\n   ", "it is no PGM"],
    ["P5 0 2 255\n", "0 × 2 pixels"],
    ["P5 100000 100000 255\n", "100000 × 100000 pixels"],
    ["P5 3 2 255\nabc", "it is cut: 6 bytes of pixels are wanted, 3 are there"],
    ["P5 3", "it has no number at byte 4"],
    ["P5 3 2 0\n123456", "its white is 0"],
  ])("%j is refused in words", (wrong, message) => {
    expect(() => readPgm(text.encode(wrong))).toThrow(message);
  });
});

test("rectangles are all cells of a kind, none twice", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }).chain((width) =>
        fc.tuple(
          fc.constant(width),
          fc
            .integer({ min: 1, max: 12 })
            .chain((height) =>
              fc.array(fc.integer({ min: 0, max: 2 }), { minLength: width * height, maxLength: width * height }),
            ),
        ),
      ),
      ([width, kinds]) => {
        const cells = Uint8Array.from(kinds);
        for (const kind of [UNKNOWN, FREE, OCCUPIED]) {
          const covered = new Uint8Array(cells.length);
          for (const { column, row, width: wide, length } of rectanglesOf(cells, width, kind, 1e6)!)
            for (let y = row; y < row + length; y++)
              for (let x = column; x < column + wide; x++) covered[y * width + x]!++;
          expect([...covered]).toEqual(kinds.map((one) => (one === kind ? 1 : 0)));
        }
      },
    ),
  );
});

test("a picture whose cells change too often is given up", () => {
  const checkered = Uint8Array.from({ length: 400 }, (_, i) => (i + Math.floor(i / 20)) % 2);
  expect(rectanglesOf(checkered, 20, 1, 100)).toBeNull();
});

describe("a map of a robot", () => {
  const settings = settingsOf(YAML);

  test("names its picture beside it, whatever path it had", () => {
    expect(settings).toMatchObject({ image: "hall.pgm", resolution: 0.05, origin: [-1, -2, 0], mode: "trinary" });
  });

  test("has cells as map_server reads them: dark is occupied, light is free, 205 is unknown", () => {
    const picture = { width: 4, height: 1, greys: Uint8Array.of(0, 254, 205, 100) };
    expect([...cellsOf(picture, settings)]).toEqual([OCCUPIED, FREE, UNKNOWN, UNKNOWN]);
    expect([...cellsOf(picture, { ...settings, isNegated: true })]).toEqual([FREE, OCCUPIED, OCCUPIED, UNKNOWN]);
    const raw = { width: 4, height: 1, greys: Uint8Array.of(0, 100, 255, 50) };
    expect([...cellsOf(raw, { ...settings, mode: "raw" })]).toEqual([FREE, OCCUPIED, UNKNOWN, UNKNOWN]);
  });

  test("lies where its origin says: the last row of the picture is at its lower left", async () => {
    const greys = [254, 254, 254, 0, 254, 254];
    const scenery = await read(text.encode(YAML), async () => pgm(3, 2, greys));
    // the cell at the left of the last row
    expect(extent(scenery, "occupied")).toEqual([
      [-1, -0.95],
      [-2, -1.95],
      [0, 0.4],
    ]);
    expect(extent(scenery, "free")).toEqual([
      [-1, -0.85],
      [-2, -1.9],
      [0, 0],
    ]);
    const turned = YAML.replace("0.0]", `${Math.PI / 2}]`);
    expect(extent(await read(text.encode(turned), async () => pgm(3, 2, greys)), "occupied")).toEqual([
      [-1.05, -1],
      [-2, -1.95],
      [0, 0.4],
    ]);
  });

  test.each([
    ["resolution: 0.05\norigin: [0, 0, 0]\n", "image is to be the name of a picture"],
    ["image: a.pgm\norigin: [0, 0, 0]\n", "resolution is to be a number"],
    ["image: a.pgm\nresolution: -1\norigin: [0, 0, 0]\n", "resolution is to be a number"],
    ["image: a.pgm\nresolution: 1\norigin: 0\n", "origin is to be [x, y, yaw]"],
    ["image: a.pgm\nresolution: 1\norigin: [0, 0, 0]\nmode: best\n", "mode is trinary, scale or raw"],
    ["- a\n", "it has no members"],
  ])("%j is refused in words", (wrong, message) => {
    expect(() => settingsOf(wrong)).toThrow(message);
  });
});

/** Of a part in the world, metres along x, y and z. */
function extent({ parts, middle }: Scenery, name: string): number[][] {
  const { positions } = parts.find(({ paint }) => paint === name)!;
  return [0, 1, 2].map((axis) => {
    const along = [...positions.filter((_, i) => i % 3 === axis)].map((value) => value + middle[axis]!);
    return [Math.min(...along), Math.max(...along)].map((value) => Math.round(value * 1e4) / 1e4 + 0);
  });
}
