import { expect, test } from "vitest";
import { watcherColors } from "../src/company.ts";

const members = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `member-${i}`, since: i }));

test("no two who watch together have one colour, in whichever order they are listed", () => {
  const colors = watcherColors(members(30));
  expect(new Set(colors.values()).size).toBe(30);
  expect(watcherColors(members(30).toReversed())).toEqual(colors);
  const fewer = watcherColors(members(3));
  for (const [id, color] of fewer) expect(colors.get(id)).toBe(color);
});

test("more than there are colours have colours too", () => {
  expect([...watcherColors(members(100)).values()].every((color) => /^hsl\(\d+ 72% \d\d%\)$/.test(color))).toBe(true);
});
