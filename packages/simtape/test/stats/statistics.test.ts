import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { statistics } from "../../src/stats/index.ts";
import { QuantileSketch } from "../../src/stats/sketch.ts";
import { SOUND } from "../specimens.ts";

/** Part of `sorted` that is below, and at most at, a number. */
function ranksOf(sorted: readonly number[], number: number): readonly [number, number] {
  const below = sorted.findIndex((one) => one >= number);
  const upTo = sorted.findLastIndex((one) => one <= number) + 1;
  return [(below < 0 ? sorted.length : below) / sorted.length, upTo / sorted.length];
}

describe("quantiles of a sketch", () => {
  test("are exact as long as the numbers are few", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 400 }),
        (all) => {
          const sketch = new QuantileSketch();
          for (const number of all) sketch.add(number);
          const sorted = all.toSorted((a, b) => a - b);
          for (const part of [0, 0.05, 0.5, 0.95, 1]) {
            const rank = Math.min(all.length - 1, Math.max(0, Math.ceil(part * all.length) - 1));
            expect(sketch.quantile(part)).toBe(sorted[rank]);
          }
        },
      ),
    );
  });

  test.each([
    ["rising", (i: number) => i],
    ["falling", (i: number) => -i],
    ["alternating", (i: number) => (i % 2 === 0 ? i : -i)],
    ["scattered", (i: number) => (i * 2_654_435_761) % 1_000_003],
    ["mostly the same", (i: number) => (i % 100 === 0 ? i : 7)],
    ["in waves", (i: number) => Math.sin(i / 1000) * i],
  ])("of 200,000 numbers, %s, are wrong by less than one percent of the rank", (_, numberOf) => {
    const all = Array.from({ length: 200_000 }, (_unused, i) => numberOf(i));
    const sketch = new QuantileSketch();
    for (const number of all) sketch.add(number);
    const sorted = all.toSorted((a, b) => a - b);
    for (const part of [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99]) {
      const [from, to] = ranksOf(sorted, sketch.quantile(part));
      expect(from - 0.01).toBeLessThan(part);
      expect(to + 0.01).toBeGreaterThan(part);
    }
  });
});

describe.each(SOUND)("$format $name", (of) => {
  test("has the rates and extents that its messages and paths say", async () => {
    await using recording = await open(of.bundle());
    const found = await statistics(recording);
    const counted = await recording.statistics();
    expect(found.channels.map(({ messages, bytes }) => [messages, bytes])).toEqual(
      counted.map(({ messages, bytes }) => [messages, bytes]),
    );
    const paths = await recording.paths();
    for (const { path, least, most, mean, quantiles, count } of found.paths) {
      expect(count).toBeGreaterThan(0);
      expect(least).toBeLessThanOrEqual(most);
      expect(mean).toBeGreaterThanOrEqual(least - Math.abs(least) * 1e-9);
      expect(mean).toBeLessThanOrEqual(most + Math.abs(most) * 1e-9);
      expect(quantiles.every((one, k) => one >= least && one <= most && (k === 0 || one >= quantiles[k - 1]!))).toBe(
        true,
      );
      // columns: the extent over all things, which `paths` has for each of them
      const match = /^([^/]+)\/\*\/(.+)$/.exec(path);
      if (match === null || path.endsWith(".length")) continue;
      const own = paths.filter(
        ({ path: one, text }) => "set" in one && one.set === match[1] && text === `${one.set}/${one.id}/${match[2]}`,
      );
      const extents = own.flatMap(({ extent }) => (extent === null ? [] : [extent]));
      if (extents.length === 0) continue;
      expect([path, least], path).toEqual([path, Math.min(...extents.map((extent) => extent.least))]);
      expect([path, most], path).toEqual([path, Math.max(...extents.map((extent) => extent.most))]);
    }
  });
});

test("a thing that goes round a circle goes as far as the circle is long, and an event that repeats has a rate", async () => {
  const { makeTown, RELEASES } = await import("../fixtures/carla/make.ts");
  const bytes = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 30);
  const { bundleOfFiles } = await import("../conformance/mutate.ts");
  await using recording = await open(bundleOfFiles({ "town.log": bytes }));
  const { travels, events, start, end } = await statistics(recording);
  // the same, from states and by hand
  const [farthest] = travels;
  let [distance, before]: [number, readonly number[] | null] = [0, null];
  for await (const { sets } of recording.states()) {
    const set = sets.get(farthest!.set)!;
    const row = set.ids.indexOf(farthest!.id);
    const data = set.columns.get("position")!.data as Float64Array;
    if (row < 0) continue;
    const place = [...data.slice(3 * row, 3 * row + 3)];
    if (before !== null) distance += Math.hypot(...place.map((cell, k) => cell - before![k]!)) / 100;
    before = place;
  }
  expect(farthest!.distance).toBeCloseTo(distance, 6);
  const counts = new Map<string, number>();
  for await (const some of recording.events())
    for (const { kind } of some) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  expect(new Map(events.map(({ kind, count }) => [kind, count]))).toEqual(counts);
  for (const { count, perMinute } of events) expect(perMinute).toBeCloseTo((count * 60e9) / (end - start), 9);
});
