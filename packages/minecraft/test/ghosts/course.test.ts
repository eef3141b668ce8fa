import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Box, type Point } from "../../src/ghosts/box.ts";
import { courseOf } from "../../src/ghosts/course.ts";
import { Passage, type Passed } from "../../src/ghosts/passage.ts";
import { splitText } from "../../src/ghosts/split.ts";
import { command } from "../support/command.ts";
import { COURSE } from "../support/course.ts";

/** What comes of going along x; a text is a jump. */
function passed(...places: readonly (number | `${number}`)[]): Passed[] {
  const passage = new Passage(COURSE);
  return places.flatMap((x) => passage.step([Number(x), 64, 0], typeof x === "string"));
}

describe("a course", () => {
  test("a box is crossed by a way that touches it, be it thinner than a step", () => {
    const box = Box.between([1, 1, 5], [0, 0, 5]);
    const isCrossed = (from: Point, to: Point): boolean => box.isCrossed(from, to);
    expect(isCrossed([0.5, 0.5, 0], [0.5, 0.5, 9])).toBe(true);
    expect(isCrossed([0.5, 0.5, 5], [0.5, 0.5, 5])).toBe(true);
    expect(isCrossed([-4, 0.5, 0], [6, 0.5, 10])).toBe(true);
    expect(isCrossed([-5, 0.5, 0], [5, 0.5, 10])).toBe(true);
    expect(isCrossed([-5.2, 0.5, 0], [4.8, 0.5, 10])).toBe(false);
    expect(isCrossed([0.5, 0.5, 0], [0.5, 0.5, 4.9])).toBe(false);
    expect(isCrossed([0.5, 1.1, 0], [0.5, 1.1, 9])).toBe(false);
  });

  test("a run begins where the start is left, and passes checkpoints in order", () => {
    const all: Passed[] = ["ready", "start", { checkpoint: 1 }, { checkpoint: 2 }, "finish"];
    expect(passed(1, 1.5, 3, 19, 21, 39, 41, 59, 61, 70)).toEqual(all);
    expect(passed(1, 100)).toEqual(all);
    // past the second first, and back
    expect(passed(1, 3, 21, 61)).toEqual(all);
    // who was never at the start does not run
    expect(passed(10, 70)).toEqual([]);
  });

  test("a jump passes nothing: it neither begins a run nor crosses a checkpoint", () => {
    expect(passed("1", "3", 30)).toEqual(["ready"]);
    expect(passed(1, 3, "30", 41, 61)).toEqual(["ready", "start"]);
    expect(passed(1, 3, "30", "20", 41, 61)).toEqual([
      "ready",
      "start",
      { checkpoint: 1 },
      { checkpoint: 2 },
      "finish",
    ]);
  });

  test("who comes back to the start gives the run up", () => {
    expect(passed(1, 3, 21, 1, 3, 61)).toEqual([
      ...["ready", "start"],
      { checkpoint: 1 },
      ...["ready", "start"],
      ...[{ checkpoint: 1 }, { checkpoint: 2 }, "finish"],
    ]);
  });

  test("splits say how far behind the runner is", () => {
    expect(
      splitText("Checkpoint 1", 1247, [
        ["1 Alex", 1264],
        ["2 Sam", 1223],
        ["3 Kim", undefined],
        ["4 Bo", 1247],
      ]),
    ).toBe("Checkpoint 1 1:02.35  -0.85 1 Alex  +1.20 2 Sam  ±0.00 4 Bo");
  });

  test.each([
    ["map", { map: "" }],
    ["start.from", { map: "a", start: { from: [1, 2], to: [1, 2, 3] } }],
    ["checkpoints", { map: "a", start: { from: [0, 0, 0], to: [0, 0, 0] }, checkpoints: 3 }],
    ["finish", { map: "a", start: { from: [0, 0, 0], to: [0, 0, 0] } }],
    ["lap", { map: "a", lap: 2 }],
  ])("%s is named where it is wrong", (name, value) => {
    expect(() => courseOf(value)).toThrow(name);
  });

  test("a file that is no course is wrong usage", () => {
    const folder = mkdtempSync(join(tmpdir(), "simtape-course-"));
    try {
      const file = join(folder, "course.json");
      writeFileSync(file, '{"map":"a","start":1}');
      const words = ["proxy", "--listen", "0", "--server", "127.0.0.1:1", "--store", folder, "--course", file];
      expect(command(...words)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("start: expected an object"),
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
