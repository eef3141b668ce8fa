import { expect, test } from "vitest";
import { Origin } from "../../src/scene/things/origin.ts";

/** Through one viewer's scene into the recording, and from there into another's. */
function carried(from: Origin, place: readonly number[], to: Origin): number[] {
  const out = Float64Array.from(place);
  from.toRecording(out, 0);
  to.fromRecording(out, 0);
  return [...out];
}

test("a place of one viewer's scene is beside the same thing in another's, which began elsewhere", () => {
  const [early, late] = [new Origin(), new Origin()];
  early.local(Float64Array.of(12_345, 60, -99_000), 0);
  late.local(Float64Array.of(80_001, 60, 1), 0);
  const thing = [40_000, 70, -50_000];
  const [here, there] = [early, late].map((origin) => {
    const out = Float64Array.from(thing);
    origin.local(out, 0);
    return [...out];
  });
  expect(here).not.toEqual(there);
  expect(carried(early, here!, late)).toEqual(there);
});

test("so it is where places are geodetic", () => {
  const [early, late] = [new Origin(), new Origin()];
  const out = new Float64Array(3);
  early.geodetic(48.1, 11.5, 400, out, 0);
  late.geodetic(48.4, 11.9, 9000, out, 0);
  early.geodetic(48.2, 11.6, 5000, out, 0);
  const here = [...out];
  late.geodetic(48.2, 11.6, 5000, out, 0);
  const found = carried(early, here, late);
  for (let k = 0; k < 3; k++) expect(found[k]).toBeCloseTo(out[k]!, 3);
  early.toRecording(here, 0);
  expect(here[0]).toBeCloseTo(48.2, 8);
  expect(here[1]).toBeCloseTo(11.6, 8);
  expect(here[2]).toBeCloseTo(5000, 3);
});

test("where nothing has a place yet, a place of the recording is nowhere, and decides nothing", () => {
  const origin = new Origin();
  const out = Float64Array.of(5000, 1, 1);
  origin.fromRecording(out, 0);
  expect([...out]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  const first = Float64Array.of(90_000, 0, 0);
  origin.local(first, 0);
  expect(first[0]).toBe(0);
});

test("a recording may have places on the earth beside those of its own world: each is put as what it is", () => {
  const origin = new Origin();
  expect([origin.hasPlaces(true), origin.hasPlaces(false)]).toEqual([false, false]);
  origin.geodetic(51.5, 7.4, 96, new Float64Array(3), 0);
  expect([origin.hasPlaces(true), origin.hasPlaces(false)]).toEqual([true, false]);
  origin.local(new Float64Array([5000, 1, 2]), 0);
  expect([origin.hasPlaces(true), origin.hasPlaces(false)]).toEqual([true, true]);
  const place = [5010, -3, 4];
  origin.fromLocal(place, 0);
  expect(place).toEqual([10, 4, 3]);
});
