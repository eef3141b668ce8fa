import { expect, test } from "vitest";
import { summary } from "../../src/engine/summary.ts";

test.each([
  [
    "words come before numbers, numbers before lists",
    { health: 20, at: [1, 2], line: "go" },
    "line go, health 20, at [1, 2]",
  ],
  ["what is for programs comes last", { uuid: "aa182041-b799-43ac-99ff-fdc4aba62056", index: 3, x: 1 }, /^x 1, /],
  ["of a number and its name only the name counts", { type: 1, typeName: "player" }, /^typeName player/],
  ["which thing it is comes first among numbers", { speed: 2, id: 35 }, "id 35, speed 2"],
  ["an only field needs no name", { updates: { name: "Ada" } }, "Ada"],
  ["a list of things is counted", [{ id: 1 }, { id: 2 }], "2 × 1 · 2"],
  ["a list without things says so", [], "none"],
  ["numbers are as they are", 25.5, "25.5"],
  ["a list of numbers stays one", new Float32Array([1, 2]), "[1, 2]"],
] as const)("%s", (_, value, expected) => {
  const text = summary(value as never, 160);
  if (typeof expected === "string") expect(text).toBe(expected);
  else expect(text).toMatch(expected);
});

test("no line is longer than its limit, however much there is", () => {
  const large = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}`, "x".repeat(i)]));
  for (const limit of [20, 160, 4000]) {
    expect(summary(large, limit).length).toBeLessThanOrEqual(limit);
    expect(summary([large, large], limit).length).toBeLessThanOrEqual(limit);
  }
});
