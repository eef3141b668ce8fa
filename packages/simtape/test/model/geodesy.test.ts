import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromEarth, originAt, TangentPlane, toEarth, toEarthColumns } from "../../src/model/axes/geodesy.ts";

const SEED = { seed: 20261120 };
const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const height = fc.double({ min: -1000, max: 300_000, noNaN: true });

function earthOf(...place: [number, number, number]): [number, number, number] {
  const out: [number, number, number] = [0, 0, 0];
  toEarth(...place, out, 0);
  return out;
}

function geodeticOf(...place: [number, number, number]): [number, number, number] {
  const out: [number, number, number] = [0, 0, 0];
  fromEarth(...place, out, 0);
  return out;
}

/** Metres between two places on the earth, as an arrow through it. */
function apart(a: [number, number, number], b: [number, number, number]): number {
  const [p, q] = [earthOf(...a), earthOf(...b)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

describe("places on the earth", () => {
  test("are the same there and back, at the poles too", () => {
    const property = fc.property(latitude, longitude, height, (...place) => {
      expect(apart(place, geodeticOf(...earthOf(...place)))).toBeLessThan(1e-6);
    });
    fc.assert(property, SEED);
  });

  test("are the same to the bit one by one and as columns, whichever are wanted", () => {
    const places = fc.array(fc.tuple(latitude, longitude, height), { maxLength: 20 });
    const property = fc.property(places, fc.integer({ min: 1, max: 7 }), (found, items) => {
      const [a, b, c] = [0, 1, 2].map((n) => Float64Array.from(found, (place) => place[n]!)) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      toEarthColumns(a, b, c, items, [new Float64Array(20), new Float64Array(20)]);
      const earth = found.map((place) => earthOf(...place));
      for (const [n, column] of [a, b, c].entries())
        if ((items & (1 << n)) !== 0) expect([...column]).toEqual(earth.map((place) => place[n]));
    });
    fc.assert(property, SEED);
  });

  test("lie at the poles and the equator where WGS 84 has them", () => {
    expect(earthOf(0, 0, 0)[0]).toBe(6378137);
    expect(earthOf(90, 0, 0)[2]).toBeCloseTo(6356752.314245, 5);
    expect(geodeticOf(0, 0, -6356752.314245)[0]).toBe(-90);
    expect(geodeticOf(0, 0, -6356752.314245)[2]).toBeCloseTo(0, 4);
    expect(geodeticOf(0, 0, 0)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });
});

describe("a plane that touches the earth", () => {
  const origin = fc.tuple(latitude, longitude, height, fc.double({ min: -360, max: 360, noNaN: true }));
  const near = fc.double({ min: -50_000, max: 50_000, noNaN: true });

  test("has every place there and back, wherever it lies", () => {
    const property = fc.property(origin, fc.tuple(near, near, near), (at, place) => {
      const plane = new TangentPlane(originAt(...at));
      const out = [Number.NaN, 0, 0, 0];
      plane.toGeodetic(...place, out, 1);
      plane.fromGeodetic(out[1]!, out[2]!, out[3]!, out, 1);
      expect(out[0]).toBeNaN();
      for (let k = 0; k < 3; k++) expect(Math.abs(out[k + 1]! - place[k]!)).toBeLessThan(1e-5);
    });
    fc.assert(property, SEED);
  });

  test("has its origin at 0, y along the heading, x to the right and z up", () => {
    const property = fc.property(
      fc.double({ min: -89, max: 89, noNaN: true }),
      longitude,
      fc.double({ min: 0, max: 360, noNaN: true }),
      (north, east, heading) => {
        const plane = new TangentPlane(originAt(north, east, 100, heading));
        const out = [0, 0, 0];
        plane.fromGeodetic(north, east, 100, out, 0);
        expect(Math.hypot(...out)).toBeLessThan(1e-8);
        plane.fromGeodetic(north, east, 350, out, 0);
        expect([Math.hypot(out[0]!, out[1]!), out[2]]).toEqual([expect.closeTo(0, 6), expect.closeTo(250, 6)]);
        plane.fromGeodetic(north + 1e-4, east, 100, out, 0);
        const compass = (Math.atan2(out[0]!, out[1]!) * 180) / Math.PI;
        expect(Math.cos(((compass + heading) * Math.PI) / 180)).toBeCloseTo(1, 9);
        const [x, y] = [out[0]!, out[1]!];
        plane.toEast(x, y, out, 0);
        expect([out[0], out[1]! > 11]).toEqual([expect.closeTo(0, 6), true]);
      },
    );
    fc.assert(property, SEED);
  });

  test("is laid at no place that the earth does not have", () => {
    for (const place of [
      [91, 0],
      [0, 181],
      [0, 0, Number.NaN],
      [0, 0, 0, Number.POSITIVE_INFINITY],
    ] as [number, number][])
      expect(() => originAt(...place)).toThrow(RangeError);
  });
});
