import { existsSync, createReadStream } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Origin } from "../../src/scene/things/origin.ts";
import { heightAt } from "../../src/scene/surroundings/relief.ts";
import { SceneryView } from "../../src/scene/surroundings/scenery-view.ts";
import { PAINTS } from "../../src/world/airports/paints.ts";
import { read } from "../../src/world/airports/read.ts";
import type { Scenery } from "../../src/world/companion.ts";
import { read as readHeights } from "../../src/world/heights/read.ts";
import { KINDS, kindOf } from "../../src/world/registry.ts";
import { GEOGRAPHIC, tiffOf } from "./small-tiff.ts";

const HERE = [[47, 8]] as const;
const DEGREE = Math.PI / 180;
const NEAR_ROWS = [
  "1 1000 0 0 NEAR A small field",
  "100 30.00 1 0 0.25 0 2 0 09R 47.00000000 8.00000000 60.00 40.00 3 0 0 0 27L 47.00000000 8.03000000 0.00 0.00 3 0 0 0",
  "100 20.00 3 0 0.25 0 0 0 18 47.01000000 8.00000000 0 0 0 0 0 0 36 47.00400000 8.00000000 0 0 0 0 0 0",
];
const FAR_ROWS = ["1 10 0 0 FARR Far away", NEAR_ROWS[1]!.replaceAll("47.0", "49.0")];
const file = (rows: readonly string[]): Uint8Array =>
  new TextEncoder().encode(["I", "1100 Version - data cycle 2019.01", "", ...rows, "99", ""].join("\r\n"));
const WHOLE = file([...FAR_ROWS, "110 1 0.00 0.00 taxiway", ...NEAR_ROWS]);

type Pair = readonly [east: number, north: number];

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function sceneryOf(bytes: Uint8Array, size = 1 << 16): Promise<Scenery> {
  return read(pieces(bytes, size), HERE);
}

/** Corners of a paint: metres along the runway from the threshold's end eastwards, and metres north of it. */
function cornersOf({ parts, middle }: Scenery, paint: string): readonly Pair[] {
  const { positions } = parts.find((part) => part.paint === paint)!;
  // metres of a degree at 47° by the radii of WGS 84 themselves
  const [a, e2] = [6_378_137, 0.00669437999014];
  const w = Math.sqrt(1 - e2 * Math.sin(47 * DEGREE) ** 2);
  const [north, east] = [((a * (1 - e2)) / w ** 3) * DEGREE, (a / w) * Math.cos(47 * DEGREE) * DEGREE];
  return Array.from({ length: positions.length / 3 }, (_, i) => [
    (positions[3 * i + 1]! + middle[1] - 8) * east,
    (positions[3 * i]! + middle[0] - 47) * north,
  ]);
}

describe("airports of an apt.dat", () => {
  test("near the recording are drawn, whatever the pieces in which the file comes, packed or not", async () => {
    const scenery = await sceneryOf(WHOLE);
    expect(scenery.findings).toEqual([]);
    expect(scenery.description).toBe("2 runways");
    expect(scenery.facts).toEqual([
      ["airports", "1 of 2 are near"],
      ["NEAR", "A small field: 09R/27L 2,282 × 30 m, 18/36 667 × 20 m"],
    ]);
    expect(scenery.ground).toBeCloseTo(304.8, 6);
    for (const size of [1, 7, 100]) expect(await sceneryOf(WHOLE, size)).toEqual(scenery);
    for (const size of [1, 13, 1 << 16]) expect(await sceneryOf(gzipSync(WHOLE), size)).toEqual(scenery);
    // the far one, where the recording comes by it later
    const both = await read(pieces(WHOLE, 999), [...HERE, [49.1, 8.2]]);
    expect(both.facts[0]).toEqual(["airports", "2 of 2 are near"]);
    expect(both.strips!.map(({ name }) => name)).toEqual(["NEAR", "NEAR", "FARR"]);
  });

  test("have a surface from end to end and as wide as they say, marks within it, and pavement before it", async () => {
    const scenery = await sceneryOf(WHOLE);
    const [eastmost, ...edges] = [
      (some: readonly number[]) => Math.max(...some),
      (some: readonly number[]) => Math.min(...some),
    ];
    const surface = cornersOf(scenery, "asphalt");
    const length =
      0.03 *
      (6_378_137 / Math.sqrt(1 - 0.00669437999014 * Math.sin(47 * DEGREE) ** 2)) *
      Math.cos(47 * DEGREE) *
      DEGREE;
    expect(eastmost!(surface.map(([east]) => east))).toBeCloseTo(length, 0);
    expect(edges[0]!(surface.map(([east]) => east))).toBeCloseTo(0, 1);
    for (const side of [Math.max, Math.min])
      expect(Math.abs(side(...surface.map(([, north]) => north)))).toBeCloseTo(15, 1);
    expect(Math.min(...cornersOf(scenery, "overrun").map(([east]) => east))).toBeCloseTo(-40, 1);
    for (const [east, north] of cornersOf(scenery, "mark")) {
      expect(Math.abs(north)).toBeLessThan(15.1);
      expect(east).toBeGreaterThan(-0.1);
      expect(east).toBeLessThan(length + 0.1);
    }
    // grass has no marks
    expect(cornersOf(scenery, "turf")).not.toEqual([]);
    for (const { index, paint } of scenery.parts) {
      expect(PAINTS[paint]).toBeDefined();
      expect(index.length % 3).toBe(0);
    }
  });

  test("face up: no triangle is seen from below alone", async () => {
    const scenery = await sceneryOf(WHOLE);
    for (const { paint, index } of scenery.parts) {
      const corners = cornersOf(scenery, paint);
      for (let i = 0; i < index.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => corners[index[i + k]!]!) as unknown as [Pair, Pair, Pair];
        const turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        expect(turn).toBeGreaterThan(0);
      }
    }
  });

  test("are called as who lands reads it: the letter of 27L stands upright, its foot to the right, seen westwards", async () => {
    const scenery = await sceneryOf(WHOLE);
    const length = Math.max(...cornersOf(scenery, "asphalt").map(([east]) => east));
    // metres ahead of the threshold of 27L, and to the right of who looks west
    const seen = cornersOf(scenery, "mark").map(([east, north]) => [length - east, north] as const);
    // stripes end 51 m behind it, the letter begins 12 m later and is 18 m high
    const letter = seen.filter(([ahead, right]) => ahead > 62.9 && ahead < 81.1 && Math.abs(right) < 10);
    expect(Math.min(...letter.map(([ahead]) => ahead))).toBeCloseTo(63, 0);
    expect(Math.max(...letter.map(([ahead]) => ahead))).toBeCloseTo(81, 0);
    const foot = letter.filter(([ahead]) => ahead < 64.6);
    const head = letter.filter(([ahead]) => ahead > 66);
    expect(Math.max(...foot.map(([, right]) => right))).toBeCloseTo(3, 1);
    expect(Math.min(...head.map(([, right]) => right))).toBeCloseTo(-3, 1);
    expect(Math.max(...head.map(([, right]) => right))).toBeCloseTo(-1.5, 1);
  });

  test("with a displaced threshold have their marks behind it", async () => {
    const scenery = await sceneryOf(WHOLE);
    const marks = cornersOf(scenery, "mark").filter(([, north]) => Math.abs(north) < 13);
    // arrows alone before it
    const stripes = marks.filter(([east, north]) => east < 110 && Math.abs(north) > 5);
    expect(Math.min(...stripes.map(([east]) => east))).toBeCloseTo(66, 0);
    expect(marks.some(([east]) => east > 30 && east < 59)).toBe(true);
  });

  test.each([
    ["columns that are missing", "100 30 1 0 0.25 0 2 0 09 47 8", "line 5 (NEAR): a runway has 26 columns, not 11"],
    [
      "a place that is none",
      NEAR_ROWS[1]!.replace("47.0", "147.0"),
      "line 5 (NEAR): its end 09R is at 147.00000000 8.00000000, which is no place",
    ],
    ["no width", NEAR_ROWS[1]!.replace("30.00", "x"), "line 5 (NEAR): its width is x: more than 0 to 3000 m are read"],
    ["a surface of its own", NEAR_ROWS[1]!.replace(" 1 ", " 99 "), "line 5 (NEAR): its surface 99 is not known"],
    ["no length", NEAR_ROWS[1]!.replace("8.03", "8.00"), "line 5 (NEAR): it is 0 m long: 1 to 30,000 m are read"],
    [
      "ends far apart",
      NEAR_ROWS[1]!.replace("8.03", "9.03"),
      "line 5 (NEAR): it is 78,338 m long: 1 to 30,000 m are read",
    ],
    [
      "thresholds beyond the other end",
      NEAR_ROWS[1]!.replace("60.00", "9999"),
      "line 5 (NEAR): its thresholds are displaced beyond one another",
    ],
    [
      "marks of its own",
      NEAR_ROWS[1]!.replace(" 3 0 0 0 27L", " 7 0 0 0 27L"),
      "line 5 (NEAR): marks 7 of its end 09R are not known",
    ],
  ])("a row with %s is a finding, and the others are drawn", async (_, row, message) => {
    const { findings, description } = await sceneryOf(file([NEAR_ROWS[0]!, row, NEAR_ROWS[2]!]));
    expect(findings).toEqual([{ severity: "warning", code: "bad-runway", message }]);
    expect(description).toBe("1 runway");
  });

  test("runways outlive the row of their airport", async () => {
    const { findings, description } = await sceneryOf(file(["1 far 0 0 NEAR", NEAR_ROWS[1]!]));
    expect(findings).toMatchObject([{ code: "bad-airport", message: "line 4: the elevation of NEAR is far ft" }]);
    expect(description).toBe("1 runway");
    expect((await sceneryOf(file([NEAR_ROWS[1]!]))).findings).toMatchObject([
      { code: "no-airport", message: "line 4: a runway before the first airport" },
      { code: "none-near" },
    ]);
  });

  test("of an old version, of no version or packed and cut are refused", async () => {
    const old = await sceneryOf(new TextEncoder().encode("I\n810 Version\n1 0 0 0 NEAR Field\n99\n"));
    expect(old.findings).toMatchObject([{ severity: "damage", code: "old-version" }]);
    expect((await read(pieces(WHOLE, 99), [])).findings).toMatchObject([{ severity: "damage", code: "no-place" }]);
    await expect(sceneryOf(gzipSync(WHOLE).subarray(0, 120))).rejects.toThrow("damaged or cut");
  });

  test("cut anywhere are drawn as far as they go, which is found", async () => {
    for (let length = 40; length < WHOLE.length - 5; length += 11) {
      const { findings, strips } = await sceneryOf(WHOLE.subarray(0, length));
      expect(findings.map(({ code }) => code)).toContain("cut");
      expect(strips!.length).toBeLessThanOrEqual(2);
    }
  });

  test("are recognized by their name and first bytes", () => {
    const kind = kindOf("apt.dat")!;
    expect(kind.id).toBe("airports");
    for (const name of ["flight.apt.dat", "Airports/apt.dat.gz", "APT.DAT"]) expect(kindOf(name)).toBe(kind);
    expect(kindOf("other.dat")).toBeUndefined();
    expect(kindOf("region")?.id).toBe("regions");
    for (const bytes of [WHOLE, gzipSync(WHOLE)]) {
      expect(kind.stream!.recognizes(bytes.subarray(0, 512))).toBe(true);
      expect(KINDS.filter(({ whole }) => whole?.recognizes(bytes.subarray(0, 512)))).toEqual([]);
    }
    expect(kind.stream!.recognizes(new TextEncoder().encode("I am no such file"))).toBe(false);
  });

  const INSTALLED = "/usr/share/games/flightgear/Airports/apt.dat.gz";
  test.skipIf(!existsSync(INSTALLED))(
    "of FlightGear itself are read, but for a few damaged rows",
    { timeout: 60_000 },
    async () => {
      const { findings, facts } = await read(createReadStream(INSTALLED), [[37.5107, -122.4942]]);
      expect(findings.every(({ code }) => code === "bad-runway")).toBe(true);
      expect(findings.length).toBeLessThan(6);
      expect(Object.fromEntries(facts)["KHAF"]).toBe("HALF MOON BAY: 12/30 1,525 × 46 m");
    },
  );
});

describe("runways in the scene", () => {
  const WEST = 7.99;
  const [WIDTH, HEIGHT] = [9, 5];
  const land = (keys = GEOGRAPHIC): Promise<Scenery> =>
    readHeights(
      tiffOf(
        Float32Array.from({ length: WIDTH * HEIGHT }, (_, i) => 400 + 30 * (i % WIDTH) + ((i * 7) % 5)),
        { width: WIDTH, height: HEIGHT, corner: [WEST, 47.02], point: [0.006, 0.01], keys },
      ),
    );

  test("lie on the terrain of another companion: each corner where a triangle of it is", async () => {
    const [terrain, airports] = [await land(), await sceneryOf(WHOLE)];
    const origin = new Origin();
    origin.geodetic(47, 8, 500, new Float64Array(3), 0);
    const view = new SceneryView(airports, PAINTS, origin, false, [terrain.relief!]);
    const bare = new SceneryView(airports, PAINTS, origin, false);
    const drawn = meshesOf(view)[0]!;
    const corners = airports.parts[0]!.positions;
    const place = new Float64Array(3);
    for (let at = 0; at < drawn.length; at += 3) {
      const [north, east] = [corners[at]! + airports.middle[0], corners[at + 1]! + airports.middle[1]];
      origin.geodetic(north, east, onTriangles(terrain, north, east)! + 0.15, place, 0);
      for (let k = 0; k < 3; k++) expect(drawn[at + k]).toBeCloseTo(place[k]!, 1);
    }
    // without, they are as high as their airport
    origin.geodetic(corners[0]! + airports.middle[0], corners[1]! + airports.middle[1], 304.8, place, 0);
    expect(meshesOf(bare)[0]![1]).toBeCloseTo(place[1]!, 2);
    expect(bare.floor).toBeCloseTo(304.8, 3);
    expect([bare.leavesGround, bare.describe()]).toEqual([true, "2 runways"]);
    for (const one of [view, bare]) one.dispose();
  });

  test("know no height beyond the terrain", async () => {
    const { relief } = await land();
    for (const [north, east] of [
      [47.5, 8],
      [47, 7.9],
      [46.9, 8],
      [47, 8.2],
    ] as const)
      expect(heightAt(relief!, north, east)).toBeNull();
    expect((await land([[1024, 1]])).relief).toBeUndefined();
  });

  function meshesOf(view: SceneryView): Float32Array[] {
    const children = view.object.children as unknown as {
      geometry: { getAttribute(name: string): { array: Float32Array } };
    }[];
    return children.map(({ geometry }) => geometry.getAttribute("position").array);
  }

  /** Height of the drawn triangle that has a place, by its corners alone. */
  function onTriangles({ parts, middle }: Scenery, north: number, east: number): number | null {
    for (const { positions, index } of parts)
      for (let i = 0; i < index.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) =>
          [0, 1, 2].map((n) => positions[3 * index[i + k]! + n]! + middle[n]!),
        ) as [number[], number[], number[]];
        const area = (b[1]! - a[1]!) * (c[0]! - a[0]!) - (c[1]! - a[1]!) * (b[0]! - a[0]!);
        const u = ((east - a[1]!) * (c[0]! - a[0]!) - (c[1]! - a[1]!) * (north - a[0]!)) / area;
        const v = ((b[1]! - a[1]!) * (north - a[0]!) - (east - a[1]!) * (b[0]! - a[0]!)) / area;
        if (u >= -1e-4 && v >= -1e-4 && u + v <= 1.0002) return a[2]! + u * (b[2]! - a[2]!) + v * (c[2]! - a[2]!);
      }
    return null;
  }
});
