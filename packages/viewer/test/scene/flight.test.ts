import { readFileSync } from "node:fs";
import { type EntitySet, open, posesOf, type State } from "simtape";
import { describe, expect, test } from "vitest";
import { sample, sampleNames } from "../../../simtape/test/samples.ts";
import type { Course } from "../../src/scene/ways/course.ts";
import { flightOf, ratesAt } from "../../src/scene/instruments/flight.ts";
import { headingText, HEADINGS } from "../../src/scene/instruments/tape.ts";
import { Origin } from "../../src/scene/things/origin.ts";

const FOOT = 0.3048;
const KNOT = 1852 / 3600;
const TAPES = sampleNames("flightgear").filter((name) => name.endsWith(".fgtape"));

function setOf(
  columns: Readonly<Record<string, { readonly data: number[]; readonly unit: string | null }>>,
): EntitySet {
  return {
    ids: ["glider"],
    axes: { handed: "right", up: "z", kind: "geodetic" },
    columns: new Map(
      Object.entries(columns).map(([name, { data, unit }]) => [
        name,
        { data: Float64Array.from(data), width: data.length, unit, interpolation: "hold" },
      ]),
    ),
  };
}

function stateOf(set: EntitySet, values: Readonly<Record<string, number>> = {}): State {
  return { time: 5e9, values: new Map(Object.entries(values)), sets: new Map([["aircraft", set]]) };
}

/** Ten seconds eastwards at 30 m/s from 52° north, 10° east, rising by 2 m/s. */
function eastwards(origin: Origin): Course {
  const place = new Float64Array(3);
  const places = new Float32Array(3 * 11);
  for (let i = 0; i <= 10; i++) {
    origin.geodetic(52, 10, 500 + 2 * i, place, 0);
    places.set([place[0]! + 30 * i, place[1]!, place[2]!], 3 * i);
  }
  return { times: Float64Array.from({ length: 11 }, (_, i) => i * 1e9), places };
}

describe.skipIf(TAPES.length === 0)("the instruments of real flights", () => {
  test.each(TAPES)("show what is recorded in %s", async (name) => {
    await using recording = await open(new Uint8Array(readFileSync(sample(`flightgear/${name}`))));
    const { start, end } = await recording.timeline();
    let compared = 0;
    for (let i = 0; i <= 12; i++) {
      const state = await recording.state(start + ((end - start) * i) / 12);
      const flight = flightOf("aircraft", "self", state, state, null, new Origin());
      const value = (path: string): number => state.values.get(path) as number;
      if (!state.values.has("/position/altitude-ft")) continue;
      compared++;
      expect(flight.altitude).toMatchObject({ unit: "ft", value: expect.closeTo(value("/position/altitude-ft"), 6) });
      expect(flight.speed).toMatchObject({ value: value("/velocities/airspeed-kt"), unit: "kt", words: "airspeed" });
      expect(flight.climb).toMatchObject({ value: 60 * value("/velocities/vertical-speed-fps"), unit: "ft/min" });
      expect(flight.attitude!.roll).toBeCloseTo(value("/orientation/roll-deg"), 4);
      expect(flight.attitude!.pitch).toBeCloseTo(value("/orientation/pitch-deg"), 4);
      expect(flight.heading).toBeCloseTo(value("/orientation/heading-deg"), 4);
      expect(flight.slip).toBe(-value("/instrumentation/slip-skid-ball/indicated-slip-skid"));
    }
    expect(compared).toBeGreaterThan(0);
  });

  test.each(TAPES)("of other pilots show nothing of the recorded aircraft in %s", async (name) => {
    await using recording = await open(new Uint8Array(readFileSync(sample(`flightgear/${name}`))));
    const { start, end } = await recording.timeline();
    const state = await recording.state((start + end) / 2);
    const aircraft = state.sets.get("aircraft")!;
    const place = new Float64Array(3);
    for (const [row, id] of aircraft.ids.entries()) {
      if (id === "self") continue;
      const flight = flightOf("aircraft", id, state, state, null, new Origin());
      expect(flight).toMatchObject({ slip: null, climb: null });
      expect(flight.speed?.words).not.toBe("airspeed");
      posesOf(aircraft)!.geodetic(row, place, 0);
      expect(flight.altitude!.value).toBeCloseTo(place[2]! / FOOT, 6);
    }
  });
});

describe("the instruments of any aircraft", () => {
  const bare = setOf({ geodetic: { data: [52, 10, 600], unit: "deg deg m" } });

  test("are left out where nothing says what they show", () => {
    const state = stateOf(bare, { "/velocities/airspeed-kt": 90 });
    expect(flightOf("aircraft", "glider", state, state, null, new Origin())).toEqual({
      attitude: null,
      heading: null,
      speed: null,
      altitude: { value: 600, unit: "m", words: "altitude", short: "altitude" },
      climb: null,
      slip: null,
    });
  });

  test("say so where they follow from the path, in the units of the recording", () => {
    const origin = new Origin();
    const course = eastwards(origin);
    const state = stateOf(bare);
    const { speed, climb } = flightOf("aircraft", "glider", state, state, course, origin);
    expect(speed).toMatchObject({ unit: "m/s", words: "speed over ground, from the path" });
    expect(speed!.value).toBeCloseTo(30, 2);
    expect(climb).toMatchObject({ unit: "m/s", words: "vertical speed, from the path" });
    expect(climb!.value).toBeCloseTo(2, 1);
    const inFeet = stateOf(setOf({ geodetic: { data: [52, 10, 600 / FOOT], unit: "deg deg ft" } }));
    const other = flightOf("aircraft", "glider", inFeet, inFeet, course, origin);
    expect(other.speed!.value).toBeCloseTo(30 / KNOT, 1);
    expect(other.climb).toMatchObject({ unit: "ft/min" });
    expect(other.climb!.value / 60).toBeCloseTo(2 / FOOT, 0);
    expect(other.altitude).toMatchObject({ unit: "ft", value: expect.closeTo(600 / FOOT, 6) });
  });

  test("know nothing from the path before it begins and after it ends", () => {
    const origin = new Origin();
    const course = eastwards(origin);
    expect(ratesAt(course, -1, origin)).toBeNull();
    expect(ratesAt(course, 10e9 + 1, origin)).toBeNull();
    expect(ratesAt(course, 10e9, origin)).not.toBeNull();
  });

  test("name the winds, and are at north again behind 359", () => {
    expect([-90, 0, 30, 90, 180, 350, 360].map(HEADINGS.text)).toEqual(["W", "N", "3", "E", "S", "35", "N"]);
    expect([0, 7.4, 359.4, 359.6].map(headingText)).toEqual(["000", "007", "359", "000"]);
  });
});
