import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toJson } from "../../src/model/values/json.ts";

describe("JSON", () => {
  test("of what JSON has is that of the engine, however large it is", () => {
    const item = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
    const long = fc.array(item, { maxLength: 20 }).chain((items) =>
      // lengths around those at which texts are put together
      fc
        .constantFrom(0, 1, 4095, 4096, 4097, 8192, 9000)
        .map((count) => Array.from({ length: count }, (_, i) => items[i % (items.length || 1)] ?? i)),
    );
    const text = fc.constantFrom(0, 65_535, 65_536, 70_000).map((length) => "é".repeat(length));
    const value = fc.dictionary(fc.string(), fc.oneof(item, long, text, fc.array(text, { maxLength: 3 })), {
      maxKeys: 5,
    });
    fc.assert(
      fc.property(value, (one) => {
        expect(JSON.parse(toJson(one))).toEqual(JSON.parse(JSON.stringify(one)));
        expect(toJson({ inner: [one], last: 1 })).toBe(`{"inner":[${toJson(one)}],"last":1}`);
      }),
      { numRuns: 40 },
    );
  });

  test("of long arrays of numbers has each of them", () => {
    const longs = BigInt64Array.from({ length: 10_000 }, (_, i) => BigInt(i) * (i % 2 === 0 ? 1n : 2n ** 40n));
    expect(toJson(longs)).toBe(`[${Array.from(longs, toJson).join(",")}]`);
    expect(toJson(Float64Array.of(0.5, Number.NaN, -0))).toBe('[0.5,"NaN",-0]');
  });
});
