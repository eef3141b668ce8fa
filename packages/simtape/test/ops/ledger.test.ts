import { describe, expect, test } from "vitest";
import { BudgetError } from "../../src/bytes/budget.ts";
import { Budget } from "../../src/kit.ts";
import { Ledger } from "../../src/ops/convert.ts";

test("the account of a conversion takes its part of the budget for each path, once", () => {
  const ledger = new Ledger(new Budget(100_000));
  for (let i = 0; i < 10_000; i++) {
    ledger.carried(`path ${i % 40}`);
    ledger.lost(`path ${i % 40}`, "said");
  }
  expect(() => {
    for (let i = 40; i < 100; i++) ledger.carried(`path ${i}`);
  }).toThrow(BudgetError);
});

describe("what the result does not have", () => {
  const rest = (lost: readonly string[], found: Readonly<Record<string, number>>): Record<string, number> => {
    const ledger = new Ledger();
    for (const path of lost) ledger.lost(path, "said");
    ledger.missing(Object.entries(found).map(([path, count]) => ({ path, count, reason: "found" })));
    const all = ledger.report(false, 0).lost.filter(({ reason }) => reason === "found");
    return Object.fromEntries(all.map(({ path, count }) => [path, count]));
  };

  test.each([
    ["was said of the path", ["a/b"], { "a/b": 1 }, {}],
    ["was said of what is above it", ["a"], { "a/b/c": 1 }, {}],
    ["was said of what is below it", ["a/b/c", "a/b/d"], { "a/b": 2 }, {}],
    ["is more than was said", ["a/b/c", "a/b/d"], { "a/b": 5 }, { "a/b": 3 }],
    ["is beside what was said", ["a/bc", "a-b/c", "a"], { "a/b": 1, "a-b": 1, "a/bc/d": 1 }, {}],
    ["only begins with the same letters", ["a/bc", "a.b"], { "a/b": 1, a: 2 }, { "a/b": 1, a: 1 }],
    ["is counted once", ["a"], { "a/b": 1, "a/c": 1 }, { "a/c": 1 }],
  ])("%s", (_, lost, found, left) => {
    expect(rest(lost, found)).toEqual(left);
  });

  test("is found of paths of thousands of steps", () => {
    const paths = Array.from({ length: 500 }, (_, i) => `p${i}${"/a".repeat(4000)}`);
    const left = rest(paths, Object.fromEntries(paths.map((path) => [`${path}/b`, 2])));
    expect(Object.values(left)).toEqual(paths.map(() => 1));
  });
});
