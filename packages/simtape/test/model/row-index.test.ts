import fc from "fast-check";
import { expect, test } from "vitest";
import { RowIndex } from "../../src/model/state/row-index.ts";

const id = fc.oneof(
  fc.integer({ min: 0, max: 80 }),
  fc.integer({ min: 0, max: 70_000 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom("", "0", "a", -0, 1.5, Number.NaN),
);

test("is a map, whatever the ids are, and so are its clones", () => {
  const step = fc.tuple(fc.constantFrom("set", "set", "set", "delete"), id, fc.nat(1000));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), fc.array(id), (steps, others) => {
      let index = new RowIndex();
      const truth = new Map<number | string, number>();
      for (const [n, [what, key, row]] of steps.entries()) {
        if (n % 100 === 99) index = index.clone();
        if (what === "set") {
          index.set(key, row);
          truth.set(key, row);
        } else {
          index.delete(key);
          truth.delete(key);
        }
      }
      for (const key of [...truth.keys(), ...others]) expect(index.get(key)).toBe(truth.get(key) ?? -1);
    }),
  );
});

test("a few things with large ids cost little to copy", () => {
  const index = new RowIndex();
  for (let n = 0; n < 50; n++) index.set(60_000 + n * 7, n);
  const allocated: number[] = [];
  const original = Int32Array.prototype.slice;
  Int32Array.prototype.slice = function slice(...bounds) {
    allocated.push(this.byteLength);
    return original.apply(this, bounds);
  };
  try {
    expect(index.clone().get(60_007)).toBe(1);
  } finally {
    Int32Array.prototype.slice = original;
  }
  expect(Math.max(0, ...allocated)).toBeLessThan(4096);
});
