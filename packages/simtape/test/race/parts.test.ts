import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCourse, passing, RaceError } from "../../src/race/index.ts";
import { Crossings, gateOf } from "../../src/race/gate.ts";
import { Ground } from "../../src/race/ground.ts";
import { lapsBetween } from "../../src/race/laps.ts";
import { Polyline } from "../../src/race/polyline.ts";
import { Progress } from "../../src/race/progress.ts";
import { lostAndWon, stretchesOf } from "../../src/race/stretches.ts";
import { alongAt, secondsAt, stationsOf } from "../../src/race/timing.ts";
import { Trace } from "../../src/race/trace.ts";

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

function lineOf(points: readonly (readonly [number, number, number?])[], isFlat = false): Polyline {
  return new Polyline(Float64Array.from(points.flatMap(([x, y, z]) => [x, y, z ?? 0])), isFlat);
}

describe("the ground", () => {
  const racer = (first: readonly number[]) => ({
    ...{ set: "aircraft", id: 1, label: "", column: "geodetic" as const, unit: null, axes: null },
    first: Float64Array.from(first),
  });

  test("touches the earth at the first place that is on it", () => {
    const ground = new Ground([racer([1e259, 8, 900]), racer([47, 8, 900])]);
    expect(ground.origin).toEqual({ latitude: 47, longitude: 8, altitude: 900 });
  });

  test("is refused with a typed error where no place is on the earth, as in damaged recordings", () => {
    const any = fc.double();
    fc.assert(
      fc.property(any, any, any, (latitude, longitude, altitude) => {
        const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && Number.isFinite(altitude);
        const make = (): Ground => new Ground([racer([latitude, longitude, altitude])]);
        if (isPlace) expect(make().isGeodetic).toBe(true);
        else expect(make).toThrow(RaceError);
      }),
    );
  });
});

describe("a line across the way", () => {
  test("is crossed when a thing that moves evenly is on it, to the nanosecond", () => {
    fc.assert(
      fc.property(number(-50, 50), number(0, Math.PI), number(1, 100), number(0.1, 0.9), (x, angle, speed, part) => {
        const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
        fc.pre(Math.abs(dx) > 0.05);
        const crossings = new Crossings({ x1: x, y1: -1e4, x2: x, y2: 1e4 });
        // it is at x at the time 0, and seen once a second
        for (let k = -3; k <= 3; k++) {
          const t = k + part;
          crossings.add(t * 1e9, x + dx * speed * t, dy * speed * t);
        }
        expect(crossings.times.length).toBe(1);
        expect(Math.abs(crossings.times[0]!)).toBeLessThan(1);
      }),
    );
  });

  test("does not count a crossing back, nor the one that takes that back", () => {
    const crossings = new Crossings({ x1: 0, y1: -1, x2: 0, y2: 1 });
    for (const [time, x] of [-1, 1, -1, 1, -1, 1, 2].entries()) crossings.add(time, x, 0);
    expect(crossings.times).toEqual([0.5]);
    // around the line, not over it, and across it again
    for (const [i, [x, y]] of (
      [
        [2, 5],
        [-2, 5],
        [-2, 0],
        [2, 0],
      ] as const
    ).entries())
      crossings.add(10 + i, x, y);
    expect(crossings.times).toEqual([0.5, 12.5]);
  });

  test("is not crossed beside its ends, nor while a thing is gone", () => {
    const crossings = new Crossings({ x1: 0, y1: -1, x2: 0, y2: 1 });
    crossings.add(0, -1, 2);
    crossings.add(1, 1, 2);
    crossings.add(2, 1, 0);
    crossings.leap();
    crossings.add(3, -1, 0);
    expect(crossings.times).toEqual([]);
    // what stops on it has crossed it when it leaves on the other side
    crossings.add(4, 0, 0);
    expect(crossings.times).toEqual([]);
    crossings.add(5, 1, 0);
    expect(crossings.times).toEqual([4]);
  });

  test("is four numbers", () => {
    expect(gateOf("1, -2.5,3e1,.5")).toEqual({ x1: 1, y1: -2.5, x2: 30, y2: 0.5 });
    for (const text of ["1,2,3", "start", "1,2,3,4,5", "1,2,3,x", ""]) expect(gateOf(text)).toBeNull();
    expect(() => gateOf("1,2,1,2")).toThrow("a line has two ends");
  });
});

test("laps are between starts, or from a start to the finish behind it", () => {
  const spans = (...all: Parameters<typeof lapsBetween>) => lapsBetween(...all).map(({ start, end }) => [start, end]);
  expect(spans([1, 5, 9], null, null)).toEqual([
    [1, 5],
    [5, 9],
  ]);
  expect(spans([3], null, null)).toEqual([]);
  expect(lapsBetween([3], null, 20)).toEqual([{ start: 3, end: 20, isWhole: false }]);
  // the second begins again before it has finished
  expect(spans([1, 5, 6, 9], [0, 4, 8], null)).toEqual([
    [1, 4],
    [6, 8],
  ]);
});

describe("a polyline", () => {
  test("projects a place to the nearest of its points, as a search by small steps does", () => {
    const point = fc.tuple(number(-50, 50), number(-50, 50), number(-50, 50));
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 2, maxLength: 8 }),
        point,
        number(0, 1),
        number(0, 1),
        (points, at, a, b) => {
          const line = lineOf(points);
          const [from, to] = [Math.min(a, b) * line.length, Math.max(a, b) * line.length];
          const found = { along: Number.NaN, away: Number.NaN };
          line.project(...at, from, to, found);
          expect(found.along).toBeGreaterThanOrEqual(from - 1e-6);
          expect(found.along).toBeLessThanOrEqual(to + 1e-6);
          const place = new Float64Array(3);
          const awayAt = (along: number): number => {
            line.placeAt(along, place);
            return Math.hypot(at[0] - place[0]!, at[1] - place[1]!, at[2] - place[2]!);
          };
          expect(awayAt(found.along)).toBeCloseTo(found.away, 5);
          for (let k = 0; k <= 200; k++)
            expect(awayAt(from + ((to - from) * k) / 200)).toBeGreaterThan(found.away - 1e-6);
        },
      ),
    );
  });

  test("with fewer points goes the same way", () => {
    const line = lineOf(Array.from({ length: 1000 }, (_, i) => [i / 10, 0] as const));
    const thin = line.thinned(5);
    expect(thin.length).toBeCloseTo(line.length, 9);
    expect(thin.along.length).toBeLessThan(25);
  });
});

describe("progress", () => {
  test("along a road that leads out and back does not turn around before the road does", () => {
    const course = lineOf([
      [0, 0],
      [100, 0],
      [100, 0.01],
      [0, 0.01],
    ]);
    const progress = new Progress(course, 5);
    let before = 0;
    for (let s = 0; s <= 200; s++) {
      progress.to(s <= 100 ? s : 200 - s, s <= 100 ? 0.2 : -0.2, 0);
      expect(progress.along).toBeGreaterThanOrEqual(before);
      before = progress.along;
      expect(Math.abs(progress.along - s)).toBeLessThan(2.5);
    }
    expect(progress.along).toBeCloseTo(course.length, 0);
  });

  test("after a fall back to an earlier part waits until that part is made again", () => {
    const course = lineOf([
      [0, 0],
      [100, 0],
      [100, 100],
    ]);
    const progress = new Progress(course, 3);
    for (let x = 0; x <= 90; x++) progress.to(x, 0, 0);
    for (let y = 0; y < 30; y++) progress.to(90 - y, -y, 0);
    expect(progress.along).toBeLessThan(94);
    for (let x = 20; x <= 92; x++) {
      progress.to(x, 0, 0);
      expect(progress.along).toBeLessThan(94);
    }
    progress.to(100, 2, 0);
    expect(progress.along).toBeCloseTo(102, 6);
  });

  test("beside the course, farther than its width, does not grow", () => {
    const progress = new Progress(
      lineOf([
        [0, 0],
        [100, 0],
      ]),
      3,
    );
    for (let x = 0; x <= 100; x++) progress.to(x, 8, 0);
    expect([progress.along, progress.isOn]).toEqual([0, false]);
  });
});

describe("a trace", () => {
  test("keeps no more points than its room has, and the way all the same", () => {
    const trace = new Trace(64);
    for (let i = 0; i < 10_000; i++) trace.add(i * 10, i / 100, 3, 0);
    expect(trace.count).toBeLessThanOrEqual(64);
    expect(trace.stride).toBeGreaterThan(1);
    expect(trace.timeAt(trace.count - 1)).toBe(99_990);
    const place = new Float64Array(3);
    for (const time of [0, 12_345, 50_000, 99_990]) {
      trace.placeAt(time, place);
      expect(place[0]).toBeCloseTo(time / 1000, 6);
    }
  });

  test("of what stands still has the times at which it came and left", () => {
    const trace = new Trace(1000);
    for (let i = 0; i < 100; i++) trace.add(i, i < 20 ? i : i < 80 ? 20 : i - 59, 0, 0);
    expect(trace.count).toBe(100 - 58);
    const place = new Float64Array(3);
    trace.placeAt(79, place);
    expect(place[0]).toBe(20);
    trace.placeAt(79.5, place);
    expect(place[0]).toBe(20.5);
  });
});

test("times along a course and places after a time are the inverse of each other", () => {
  fc.assert(
    fc.property(fc.array(number(0.1, 5), { minLength: 4, maxLength: 20 }), number(0, 1), (steps, part) => {
      let sum = 0;
      const elapsed = Float64Array.from([0, ...steps.map((step) => (sum += step))]);
      const stations = stationsOf(123, steps.length);
      const along = part * 123;
      expect(alongAt(elapsed, stations, secondsAt(elapsed, stations, along))).toBeCloseTo(along, 6);
    }),
  );
});

describe("where a gap grew and shrank", () => {
  const along = Float64Array.from({ length: 101 }, (_, i) => i);

  test("are the stretches between its turns, without what is level before and behind them", () => {
    const gap = along.map((x) => (x < 20 ? 0 : x < 40 ? (x - 20) / 10 : x < 60 ? 2 : x < 70 ? 2 - (x - 60) / 20 : 1.5));
    const [lost, won, ...more] = stretchesOf(along, gap);
    expect(more).toEqual([]);
    expect([lost!.seconds, won!.seconds]).toEqual([2, -0.5]);
    for (const [found, wanted] of [
      [lost!.from, 20],
      [lost!.to, 40],
      [won!.from, 60],
      [won!.to, 70],
    ] as const)
      expect(Math.abs(found - wanted)).toBeLessThanOrEqual(1);
  });

  test("together are all of the gap but for turns that are too small", () => {
    fc.assert(
      fc.property(fc.array(number(-1, 1), { minLength: 100, maxLength: 100 }), (changes) => {
        let sum = 0;
        const gap = Float64Array.from([0, ...changes.map((change) => (sum += change))]);
        const found = stretchesOf(along, gap);
        for (const [i, { from, to, seconds }] of found.entries()) {
          expect(from).toBeLessThan(to);
          if (i > 0) expect(Math.sign(seconds)).toBe(-Math.sign(found[i - 1]!.seconds));
        }
        const extent = Math.max(...gap) - Math.min(...gap);
        const total = found.reduce((all, { seconds }) => all + seconds, 0);
        expect(Math.abs(total - gap.at(-1)!)).toBeLessThanOrEqual(0.1 * extent + 0.02);
        const { lost, won } = lostAndWon(along, gap, 2);
        expect([lost.length <= 2, won.length <= 2]).toEqual([true, true]);
      }),
    );
  });

  test("is nowhere where there is no gap", () => {
    expect(stretchesOf(along, new Float64Array(101))).toEqual([]);
    expect(stretchesOf(along, new Float64Array(101).fill(Number.NaN))).toEqual([]);
  });
});

describe("a course in a file", () => {
  test("is lines of numbers, or GeoJSON", () => {
    expect(parseCourse("x,y\n1,2\r\n\n3,4\n").places).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(parseCourse("# a comment\n1,2,3\n4,5,6").places).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const line = {
      type: "LineString",
      coordinates: [
        [-122.4, 37.6],
        [-122.3, 37.7, 20],
      ],
    };
    const feature = { type: "Feature", properties: {}, geometry: line };
    for (const document of [line, feature, { type: "FeatureCollection", features: [feature] }])
      expect(parseCourse(JSON.stringify(document)).places).toEqual([
        [37.6, -122.4],
        [37.7, -122.3, 20],
      ]);
  });

  test.each([
    ["", "at least two places"],
    ["1,2", "at least two places"],
    ["1,2\n3", "line 2 of the course is no x,y or x,y,z: 3"],
    ["x,y\n1,2\nthree,4", "line 3 of the course"],
    ["{", "the course is no JSON"],
    ['{"type":"Point","coordinates":[1,2]}', "no LineString"],
    ['{"type":"LineString","coordinates":[[1],[2]]}', "no longitude, latitude"],
  ])("%j is none, and the error says why", (text, message) => {
    expect(() => parseCourse(text)).toThrow(message);
  });

  test("is never more than an error, whatever the text is", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('0123456789,.-e\n{}[]":LineString')) }), (text) => {
        try {
          expect(parseCourse(text).places.length).toBeGreaterThanOrEqual(2);
        } catch (error) {
          expect((error as Error).name).toBe("RaceError");
        }
      }),
    );
  });
});

test("a thing that stays at a place comes by there from its arrival until it leaves", () => {
  const way = { times: [0, 10, 20, 30], places: [0, 0, 0, 10, 0, 0, 10, 0, 0, 20, 0, 0] };
  expect(passing(way, 10, 0, 0, 1, 15)).toBe(15);
  expect(passing(way, 10, 0, 0, 1, 99)).toBe(20);
  expect(passing(way, 5, 0.5, 0, 1, 0)).toBe(5);
  expect(passing(way, 5, 3, 0, 1, 0)).toBeNaN();
});
