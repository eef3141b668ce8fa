import fc from "fast-check";
import { expect, test } from "vitest";
import { after, milliseconds, seconds } from "../../src/model/values/time.ts";

test("seconds and milliseconds are whole nanoseconds", () => {
  expect([seconds(1.5), milliseconds(0.25), seconds(-2), seconds(1 / 3)]).toEqual([
    1_500_000_000, 250_000, -2_000_000_000, 333_333_333,
  ]);
});

test("the time after another is the first that a message can have", () => {
  expect([after(0), after(-1), after(41), after(1.5), after(-1.5)]).toEqual([1, 0, 42, 2, -1]);
  expect([after(2 ** 53 - 1), after(2 ** 53), after(-(2 ** 54))]).toEqual([2 ** 53, 2 ** 53 + 2, 2 - 2 ** 54]);
});

test("the time after another is later, with no double between them beyond 2^53", () => {
  const bits = new DataView(new ArrayBuffer(8));
  const large = fc.oneof(
    fc.double({ min: 2 ** 53, max: 2 ** 80, noNaN: true }),
    fc.double({ min: -(2 ** 80), max: -(2 ** 54), noNaN: true }),
    fc.integer({ min: 54, max: 80 }).map((power) => 2 ** power),
  );
  fc.assert(
    fc.property(large, (time) => {
      bits.setFloat64(0, time);
      bits.setBigInt64(0, bits.getBigInt64(0) + (time > 0 ? 1n : -1n));
      expect(after(time)).toBe(bits.getFloat64(0));
    }),
    { numRuns: 500 },
  );
});
