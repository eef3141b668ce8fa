import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { parseCourse, race, RaceError, type RaceOptions } from "../../src/race/index.ts";
import { REAL, SOUND } from "../specimens.ts";
import { Drive, Eight, opened, tapeOf } from "./made.ts";

const EIGHT = new Eight();
const SPEEDS = fc.array(fc.double({ min: 8, max: 30, noNaN: true }), { minLength: 5, maxLength: 5 });

/** Laps one behind the other with some metres before and behind them; `aside` metres to the left of the course. */
function lapsTape(laps: readonly (readonly number[])[], every: number, aside = 0): Uint8Array {
  const drives = laps.map((speeds) => new Drive(EIGHT.length, speeds));
  const total = drives.reduce((sum, { seconds }) => sum + seconds, 0);
  return tapeOf(
    (t) => {
      let from = 1;
      for (const [i, drive] of drives.entries()) {
        if (t < from + drive.seconds || i === drives.length - 1)
          return EIGHT.place(t < 1 ? 10 * (t - 1) : drive.along(t - from), aside);
        from += drive.seconds;
      }
      throw new RangeError("no lap");
    },
    { until: total + 2, every },
  );
}

/** Numbers that are apart by at most so much where both are known; how many are. */
function expectNear(found: readonly (number | null)[], wanted: (i: number) => number, most: number): number {
  let count = 0;
  for (const [i, value] of found.entries()) {
    if (value === null) continue;
    count++;
    expect(Math.abs(value - wanted(i)), `place ${i}: ${value}, not ${wanted(i)}`).toBeLessThanOrEqual(most);
  }
  return count;
}

describe("laps of known speeds on a course that crosses itself", () => {
  test("have the gap, the splits and the theoretical best that the speeds say", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(SPEEDS, { minLength: 2, maxLength: 3 }),
        fc.double({ min: 0.02, max: 0.08, noNaN: true }),
        async (laps, every) => {
          const drives = laps.map((speeds) => new Drive(EIGHT.length, speeds));
          await using recording = await opened(lapsTape(laps, every));
          const found = await race([{ recording }], { line: EIGHT.line, sectors: 5, points: 100 });
          expect(found.notes).toEqual([]);
          expect(found.laps.length).toBe(laps.length);
          // the course is the way of a lap, whose corners are cut between what was recorded
          expect(Math.abs(found.course.length - EIGHT.length) / EIGHT.length).toBeLessThan(0.005);
          // what changes between two moments is known to the time between them
          const most = every;
          const leader = drives[found.laps[0]!.number - 1]!;
          expect(Math.min(...drives.map(({ seconds }) => seconds))).toBe(leader.seconds);
          for (const lap of found.laps) {
            const drive = drives[lap.number - 1]!;
            expect(Math.abs(lap.seconds! - drive.seconds)).toBeLessThan(every / 2);
            const to = (i: number): number => drive.secondsTo((EIGHT.length * i) / 100);
            const leads = (i: number): number => leader.secondsTo((EIGHT.length * i) / 100);
            expect(expectNear(lap.curve.elapsed, to, most)).toBe(101);
            expect(expectNear(lap.curve.seconds, (i) => to(i) - leads(i), most)).toBe(101);
            expectNear(lap.curve.metres, (i) => leader.along(to(i)) - (EIGHT.length * i) / 100, 30 * most);
            for (const [k, split] of lap.splits.entries())
              expect(Math.abs(split.seconds! - to(20 * (k + 1)))).toBeLessThan(most);
          }
          const best = [0, 1, 2, 3, 4].map((k) => Math.min(...laps.map((speeds) => EIGHT.length / 5 / speeds[k]!)));
          for (const [k, sector] of found.theoretical!.sectors.entries())
            expect(Math.abs(sector.seconds - best[k]!)).toBeLessThan(2 * most);
          expect(found.theoretical!.seconds).toBeLessThanOrEqual(found.laps[0]!.seconds! + 1e-9);
        },
      ),
      { numRuns: 12 },
    );
  });

  test("say where time was lost and won", async () => {
    await using even = await opened(lapsTape([[20, 20, 20, 20, 20]], 0.05));
    await using uneven = await opened(lapsTape([[20, 10, 20, 30, 20]], 0.05, 0.8));
    const { laps, course } = await race([{ recording: even }, { recording: uneven }], { line: EIGHT.line });
    const part = course.length / 5;
    const [, slower] = laps;
    expect(slower!.recording).toBe(1);
    expect(slower!.strayed).toBeGreaterThan(0.7);
    expect(slower!.strayed).toBeLessThan(1);
    const [lost] = slower!.lost;
    expect(Math.abs(lost!.seconds - (part / 10 - part / 20))).toBeLessThan(0.2);
    expect(Math.abs(lost!.from - part)).toBeLessThan(4);
    expect(Math.abs(lost!.to - 2 * part)).toBeLessThan(4);
    const [won] = slower!.won;
    expect(Math.abs(won!.seconds - (part / 30 - part / 20))).toBeLessThan(0.2);
    expect(Math.abs(won!.from - 3 * part)).toBeLessThan(4);
    expect(Math.abs(won!.to - 4 * part)).toBeLessThan(4);
  });

  test("are timed at lines and places across the course, wherever its file begins", async () => {
    const speeds = [
      [20, 10, 20, 30, 20],
      [15, 15, 15, 15, 15],
    ];
    await using recording = await opened(lapsTape(speeds, 0.04));
    const at = (along: number): readonly [number, number] => EIGHT.place(along);
    const quarter = EIGHT.length / 4;
    const [[x, y], [nx, ny]] = [at(quarter * 1.1), at(quarter * 1.1 + 0.1)];
    const [ux, uy] = [(ny - y) * 40, (x - nx) * 40];
    const gate = [x - ux, y - uy, x + ux, y + uy].join(",");
    const path = Array.from({ length: 501 }, (_, i) => at(0.7 * EIGHT.length + (i / 500) * EIGHT.length).join(","));
    const found = await race([{ recording }], {
      line: EIGHT.line,
      checkpoints: [gate, at(2.5 * quarter).join(",")],
      course: parseCourse(["x,y", ...path].join("\n")),
    });
    expect(found.course.from).toBe("path");
    expect(found.course.splits.map(({ name }) => name)).toEqual([gate, at(2.5 * quarter).join(","), "finish"]);
    for (const [k, metres] of [1.1 * quarter, 2.5 * quarter, EIGHT.length].entries()) {
      expect(Math.abs(found.course.splits[k]!.along! - metres)).toBeLessThan(0.5);
      for (const lap of found.laps) {
        const wanted = new Drive(EIGHT.length, speeds[lap.number - 1]!).secondsTo(metres);
        expect(Math.abs(lap.splits[k]!.seconds! - wanted)).toBeLessThan(0.05);
      }
    }
  });
});

describe("a part of a recording", () => {
  test("races along checkpoints, and against the best lap alone", async () => {
    await using recording = await opened(
      lapsTape(
        [
          [20, 20, 20, 20, 20],
          [15, 15, 15, 15, 15],
          [20, 20, 20, 20, 21],
        ],
        0.05,
      ),
    );
    const places = Array.from({ length: 59 }, (_, i) => EIGHT.place((EIGHT.length * (i + 1)) / 60).join(","));
    const options = { line: EIGHT.line, checkpoints: places, course: "checkpoints" } as const;
    const all = await race([{ recording }], options);
    expect(all.laps.map(({ number }) => number)).toEqual([3, 1, 2]);
    expect(Math.abs(all.course.length - EIGHT.length) / EIGHT.length).toBeLessThan(0.01);
    expect(all.own).toEqual([{ recording: 0, set: "poses", id: "/robot/Odometry", theoretical: all.theoretical }]);
    for (const { splits, number } of all.laps)
      for (const [k, { seconds }] of splits.entries())
        expect(
          Math.abs(
            seconds! -
              new Drive(EIGHT.length, number === 2 ? [15] : number === 1 ? [20] : [20, 20, 20, 20, 21]).secondsTo(
                (EIGHT.length * (k + 1)) / 60,
              ),
          ),
        ).toBeLessThan(0.1);
    const best = await race([{ recording }], { ...options, isBestOnly: true });
    expect(best.laps.map(({ number }) => number)).toEqual([3]);
    const seconds = (1 + EIGHT.length / 20 + EIGHT.length / 15 + 1) * 1e9;
    const part = await race([{ recording, end: seconds }], options);
    expect(part.laps.map(({ number }) => number)).toEqual([1, 2]);
  });
});

describe("a recording", () => {
  test.each([...SOUND, ...REAL].map((of) => [of.format, of.name, of] as const))(
    "has no gap to itself: %s %s",
    async (_, __, of) => {
      await using one = await open(of.bundle());
      await using other = await open(of.bundle());
      const found = await race([{ recording: one }, { recording: other }], { points: 50 }).catch((error: unknown) => {
        if (error instanceof RaceError && error.code === "nowhere") return null;
        throw error;
      });
      if (found === null) return;
      const { laps, course } = found;
      expect(laps.map(({ recording }) => recording)).toEqual([0, 1]);
      expect(laps[1]!.curve.elapsed.filter((seconds) => seconds !== null).length).toBe(51);
      for (const lap of laps) {
        expect(lap.gap).toEqual({ seconds: 0, metres: 0 });
        expect(lap.curve.seconds.every((gap) => gap === 0)).toBe(true);
        for (const gap of lap.curve.metres)
          expect(Math.abs(gap!)).toBeLessThan(1e-6 * course.length + course.length / 50);
        expect([lap.lost, lap.won]).toEqual([[], []]);
        expect(lap.reached).toBeCloseTo(course.length, 6);
      }
      expect(found.theoretical!.seconds).toBeCloseTo(laps[0]!.seconds!, 9);
    },
  );

  test("that waits at its beginning is behind by the time that it waited, everywhere", async () => {
    const drive = new Drive(EIGHT.length, [20, 10, 20, 30, 20]);
    const until = drive.seconds - 0.5;
    const way = (t: number): readonly [number, number] => EIGHT.place(drive.along(Math.max(0, t)));
    await using prompt = await opened(tapeOf(way, { until, every: 0.05 }));
    await using late = await opened(tapeOf((t) => way(t - 2.5), { until: until + 2.5, every: 0.05 }));
    const { laps } = await race([{ recording: prompt }, { recording: late }]);
    expect(laps.map(({ recording }) => recording)).toEqual([0, 1]);
    expect(laps[1]!.gap.seconds).toBeCloseTo(2.5, 6);
    expect(expectNear(laps[1]!.curve.seconds.slice(2), () => 2.5, 1e-6)).toBe(399);
    // the same laps by a line: when they are in the recording does not count
    const tape = (delay: number): Uint8Array =>
      tapeOf((t) => EIGHT.place(20 * (t - 1)), { from: delay, until: EIGHT.length / 20 + 2, every: 0.05 });
    await using first = await opened(tape(0));
    await using second = await opened(tape(0.25));
    const { laps: crossed } = await race([{ recording: first }, { recording: second }], { line: EIGHT.line });
    expect(crossed[1]!.gap.seconds).toBeCloseTo(0, 6);
  });
});

describe("what does not fit the recordings", () => {
  const tape = lapsTape([[20, 20, 20, 20, 20]], 0.1);
  test.each<[RaceOptions, string]>([
    [{ line: "1,2,3" }, "a line is x1,y1,x2,y2, not 1,2,3"],
    [{ line: "1,2,1,2" }, "a line has two ends"],
    [{ line: EIGHT.line, mark: "start" }, "a lap begins at a line or at a mark, not at both"],
    [{ finish: "1,2,3,4" }, "a finish needs a beginning"],
    [{ line: "500,0,510,0" }, "it crosses the line never; it is within x -60.0 to 60.0 and y -30.0 to 30.0"],
    [{ mark: "start" }, 'the mark "start" is there never'],
    [{ things: ["robot"] }, "a thing is set[id]"],
    [{ things: ["poses[nothing]"] }, "nothing is poses[nothing]; there are: poses[/robot/Odometry]"],
    [{ sectors: 0 }, "sectors is a whole number from 1 to 100"],
    [{ points: 1.5 }, "points is a whole number"],
    [{ width: -1 }, "width is a number of metres above 0"],
    [{ course: "checkpoints", checkpoints: ["a mark"] }, "a course of checkpoints needs places or lines"],
  ])("%j is an error that says so", async (options, message) => {
    await using recording = await opened(tape);
    await expect(race([{ recording }], options)).rejects.toThrow(message);
    await expect(race([{ recording }], options)).rejects.toBeInstanceOf(RaceError);
  });
});
