import { expect, it } from "vitest";
import { firstNamed } from "../../src/model/first-named.ts";

it("names a hundred parts, counts the rest, and asks for no name that it does not give", () => {
  const asked: number[] = [];
  const named = firstNamed(
    70_000,
    (index) => {
      asked.push(index);
      return `members/${index}`;
    },
    "members",
  );
  expect(named).toHaveLength(101);
  expect(named[99]).toEqual({ path: "members/99", count: 1 });
  expect(named[100]).toEqual({ path: "members", count: 69_900 });
  expect(asked).toEqual(Array.from({ length: 100 }, (_, index) => index));
});

it("gives no rest where all parts are named", () => {
  expect(firstNamed(0, String, "members")).toEqual([]);
  expect(firstNamed(2, String, "members")).toEqual([
    { path: "0", count: 1 },
    { path: "1", count: 1 },
  ]);
  expect(firstNamed(100, String, "members").at(-1)).toEqual({ path: "99", count: 1 });
});
