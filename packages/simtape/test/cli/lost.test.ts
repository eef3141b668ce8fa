import { expect, test } from "vitest";
import { tellLost } from "../../src/cli/run/terminal.ts";

test("a reason for a loss is said once, with the first of what it is for and how much more there is", () => {
  const lost = (path: string, count: number, reason: string) => ({ path, count, reason });
  const many = Array.from({ length: 6 }, (_, i) => lost(`a/${i}`, 1000, "no room"));
  expect(tellLost([lost("b", 2, "too late"), ...many, lost("c", 1, "too late")], "lost")).toEqual([
    "  lost b (2), c (1): too late",
    "  lost a/0 (1,000), a/1 (1,000), a/2 (1,000) and 3 more (3,000): no room",
  ]);
  expect(tellLost(many.slice(0, 4), "lost")).toEqual([
    "  lost a/0 (1,000), a/1 (1,000), a/2 (1,000), a/3 (1,000): no room",
  ]);
  const reasons = Array.from({ length: 23 }, (_, i) => lost("a", 1, `reason ${i}`));
  expect(tellLost(reasons, "lost").slice(20)).toEqual(["  … for 3 more reasons; --json has all"]);
});
