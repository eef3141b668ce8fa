import fc from "fast-check";
import { expect, test } from "vitest";
import { corrupt, plan } from "../../src/ops/corrupt.ts";

const bytes = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7) & 0xff);

test("the same seed gives the same damage, another seed another", () => {
  const made = (seed: number): Uint8Array => corrupt(bytes, plan(bytes.length, seed, 4), seed);
  expect(made(1)).toEqual(made(1));
  expect(made(1)).not.toEqual(made(2));
});

test("only the places named differ, and lengths change as said", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 6 }), (seed, count) => {
      const corruptions = plan(bytes.length, seed, count);
      expect(corruptions.length).toBeGreaterThan(0);
      const result = corrupt(bytes, corruptions, seed);
      const cut = corruptions.find(({ kind }) => kind === "cut")?.offset ?? bytes.length;
      const inserted = corruptions.filter(({ kind, offset }) => kind === "lengthen" && offset < cut);
      expect(result.length).toBe(cut + inserted.reduce((sum, { length }) => sum + length, 0));
      const first = Math.min(...corruptions.map(({ offset }) => offset));
      expect(result.subarray(0, first)).toEqual(bytes.subarray(0, first));
    }),
  );
});

test("the original is never touched", () => {
  const before = bytes.slice();
  corrupt(bytes, plan(bytes.length, 3, 10), 3);
  expect(bytes).toEqual(before);
});
