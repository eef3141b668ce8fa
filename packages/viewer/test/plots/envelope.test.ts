import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { condense, Envelope, isCoarse, Moments } from "../../src/plots/envelope.ts";
import { within, zoomed } from "../../src/plots/shared.ts";

const END = 10_000;

interface Samples {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

const samples: fc.Arbitrary<Samples> = fc
  .uniqueArray(fc.integer({ min: 0, max: END }), { minLength: 1, maxLength: 300 })
  .chain((times) =>
    fc.record({
      times: fc.constant(times.toSorted((a, b) => a - b)),
      values: fc.array(
        fc.oneof(
          { weight: 9, arbitrary: fc.double({ noNaN: true }) },
          { weight: 1, arbitrary: fc.constant(Number.NaN) },
        ),
        {
          minLength: times.length,
          maxLength: times.length,
        },
      ),
    }),
  );

function sampled({ times, values }: Samples, count: number): { moments: Moments; envelope: Envelope } {
  const moments = new Moments({ start: 0, end: END, count });
  const envelope = new Envelope(count);
  times.forEach((time, i) => {
    envelope.take(moments.take(time), values[i]!);
  });
  return { moments, envelope };
}

describe("a line of what a number was", () => {
  test("has the lowest and the highest of all, and no other extremes", () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 60 }), (all, count, columns) => {
        const { moments, envelope } = sampled(all, count);
        const line = condense(moments, [envelope], { start: 0, end: END }, columns);
        const known = all.values.filter((value) => !Number.isNaN(value));
        const drawn = [...line.values[0]!].filter((value) => !Number.isNaN(value));
        expect(extremes(drawn)).toEqual(extremes(known));
        expect(line.time.length).toBe(line.values[0]!.length);
        expect(line.time.length).toBeLessThanOrEqual(4 * (columns + 2));
        expect([...line.time]).toEqual([...line.time].toSorted((a, b) => a - b));
      }),
    );
  });

  test("has in every column what was lowest and highest there", () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 1, max: 40 }), (all, columns) => {
        const count = columns * 8;
        const { moments, envelope } = sampled(all, count);
        const line = condense(moments, [envelope], { start: 0, end: END }, columns);
        for (const [i, time] of all.times.entries()) {
          const value = all.values[i]!;
          if (Number.isNaN(value)) continue;
          // Within two columns of where it was, the line reaches at least as far up and as far down.
          const width = (2 * END) / columns;
          const near = [...line.values[0]!].filter((_, k) => Math.abs(line.time[k]! - time) <= width);
          const [low, high] = extremes(near.filter((number) => !Number.isNaN(number)));
          expect(low).toBeLessThanOrEqual(value);
          expect(high).toBeGreaterThanOrEqual(value);
        }
      }),
    );
  });

  test("is the samples themselves where they are few", () => {
    const { moments, envelope } = sampled({ times: [0, 900, 5000, END], values: [1, Number.NaN, 3, 4] }, 1000);
    const { time, values } = condense(moments, [envelope], { start: 0, end: END }, 1000);
    expect([...time]).toEqual([0, 900, 5000, END]);
    expect([...values[0]!]).toEqual([1, Number.NaN, 3, 4]);
    expect(isCoarse(moments, { start: 0, end: END }, 2000)).toBe(false);
  });

  test("goes on to the neighbours of a range", () => {
    const { moments, envelope } = sampled({ times: [0, 4000, 5000, 9000], values: [1, 2, 3, 4] }, 100);
    const { time } = condense(moments, [envelope], { start: 4500, end: 6000 }, 50);
    expect([...time]).toEqual([4000, 5000, 9000]);
  });

  test("is coarse where buckets are wider than columns and hold more than shows", () => {
    const times = Array.from({ length: 500 }, (_, i) => i * 20);
    const { moments } = sampled({ times, values: times }, 50);
    expect(isCoarse(moments, { start: 0, end: END }, 40)).toBe(false);
    expect(isCoarse(moments, { start: 1000, end: 2000 }, 40)).toBe(true);
  });
});

test("a zoom keeps the time it is about in place, and ends with all of the recording", () => {
  const bounds = { start: 0, end: 1e9 };
  expect(zoomed(bounds, 0.5, 4e8, bounds)).toEqual({ start: 2e8, end: 7e8 });
  expect(zoomed({ start: 2e8, end: 7e8 }, 2, 4e8, bounds)).toBeNull();
  expect(zoomed({ start: 0, end: 4e8 }, 2, 0, bounds)).toEqual({ start: 0, end: 8e8 });
  expect(within({ start: 9e8, end: 13e8 }, bounds)).toEqual({ start: 6e8, end: 1e9 });
});

function extremes(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}
