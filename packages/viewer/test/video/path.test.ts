import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CameraPath, type Keyframe, readPath, withKeyframe, withoutKeyframe } from "../../src/video/path.ts";
import { PathRun } from "../../src/video/path-run.ts";
import { Progress } from "../../src/video/spline.ts";

const number = fc.double({ min: -500, max: 500, noNaN: true });
const place = fc.tuple(number, number, number);

/** Paths whose keyframes are a tenth of a second apart at least; some of them rest at a place. */
const paths: fc.Arbitrary<CameraPath> = fc
  .array(
    fc.record({
      gap: fc.double({ min: 0.1, max: 20, noNaN: true }),
      position: place,
      target: place,
      field: fc.double({ min: 10, max: 100, noNaN: true }),
      rests: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => {
    let time = 0;
    const keyframes: Keyframe[] = [];
    for (const { gap, position, target, field, rests } of parts) {
      time += gap;
      const before = keyframes.at(-1);
      keyframes.push(rests && before !== undefined ? { ...before, time } : { time, position, target, field });
    }
    return { version: 1, keyframes };
  });

function near(a: readonly number[], b: readonly number[], by: number): boolean {
  return a.every((value, k) => Math.abs(value - b[k]!) <= by);
}

describe("a camera path", () => {
  test("passes through its keyframes exactly", () => {
    fc.assert(
      fc.property(paths, (path) => {
        const run = new PathRun(path);
        for (const { time, position, target, field } of path.keyframes) {
          const gaze = run.at(time);
          expect(gaze).toMatchObject({ position, target, field });
        }
      }),
    );
  });

  test("has no jump anywhere, neither in place nor in speed", () => {
    fc.assert(
      fc.property(paths, fc.double({ min: 0, max: 1, noNaN: true }), (path, part) => {
        const run = new PathRun(path);
        const end = path.keyframes.at(-1)!.time;
        // also at keyframes, where two pieces meet
        for (const time of [part * (end + 1), ...path.keyframes.slice(1, -1).map((keyframe) => keyframe.time)]) {
          const [before, here, after] = [time - 1e-7, time, time + 1e-7].map((at) => run.at(at).position);
          expect(near(before!, here!, 1e-1)).toBe(true);
          expect(near(here!, after!, 1e-1)).toBe(true);
        }
        for (const { time } of path.keyframes.slice(1, -1)) {
          const step = 1e-6;
          const [before, here, after] = [time - step, time, time + step].map((at) => run.at(at).position);
          const speed = (a: readonly number[], b: readonly number[]): number[] => a.map((v, k) => (b[k]! - v) / step);
          const [back, ahead] = [speed(before!, here!), speed(here!, after!)];
          const most = Math.max(1, ...back.map(Math.abs), ...ahead.map(Math.abs));
          expect(near(back, ahead, 0.02 * most)).toBe(true);
        }
      }),
    );
  });

  test("rests between two keyframes at one place, and before the first and behind the last", () => {
    const at = { position: [1, 2, 3], target: [0, 0, 0] } as const;
    const path: CameraPath = {
      version: 1,
      keyframes: [
        { time: 1, ...at },
        { time: 2, ...at },
        { time: 3, position: [9, 9, 9], target: [0, 0, 0] },
      ],
    };
    const run = new PathRun(path);
    for (const time of [-5, 1, 1.3, 1.9, 2]) expect(run.at(time).position).toEqual([1, 2, 3]);
    for (const time of [3, 77]) expect(run.at(time).position).toEqual([9, 9, 9]);
  });

  test("looks at a thing, and turns from one to the next", () => {
    const at = { position: [0, 0, 9], target: [0, 0, 0] } as const;
    const a = { set: "vehicles", id: 1 };
    const b = { set: "vehicles", id: 2 };
    const run = new PathRun({
      version: 1,
      keyframes: [
        { time: 0, ...at, lookAt: a },
        { time: 1, ...at, lookAt: a },
        { time: 2, ...at, lookAt: b },
        { time: 3, ...at },
      ],
    });
    expect(run.at(0.5).things).toEqual([{ ...a, weight: 1 }]);
    expect(run.at(1.5).things).toEqual([
      { ...a, weight: 0.5 },
      { ...b, weight: 0.5 },
    ]);
    expect(run.at(2).things).toEqual([{ ...b, weight: 1 }]);
    expect(run.at(3).things).toEqual([]);
  });

  test("takes keyframes at any time, one for each, and gives them back", () => {
    const keyframe = (time: number, x: number): Keyframe => ({ time, position: [x, 0, 0], target: [0, 0, 0] });
    let path: CameraPath = { version: 1, keyframes: [] };
    for (const [time, x] of [
      [2, 0],
      [1, 0],
      [2, 5],
    ] as const)
      path = withKeyframe(path, keyframe(time, x));
    expect(path.keyframes).toEqual([keyframe(1, 0), keyframe(2, 5)]);
    expect(withoutKeyframe(path, 1).keyframes).toEqual([keyframe(2, 5)]);
  });

  test("is the same when it was JSON", () => {
    fc.assert(
      fc.property(paths, (path) => {
        expect(readPath(JSON.parse(JSON.stringify(path)))).toEqual(JSON.parse(JSON.stringify(path)));
      }),
    );
  });

  test.each([
    [{}, "version 1"],
    [[], "an object"],
    [{ version: 2, keyframes: [] }, "not 2"],
    [{ version: 1 }, "a list"],
    [{ version: 1, keyframes: [{ time: 0 }] }, "keyframes[0].position is three numbers"],
    [{ version: 1, keyframes: [{ time: "0", position: [0, 0, 0], target: [0, 0, 0] }] }, "keyframes[0].time"],
    [{ version: 1, keyframes: [{ time: 0, position: [0, 0, 0], target: [0, 0, 0], rate: 0 }] }, "rate is a number"],
    [{ version: 1, keyframes: [{ time: 0, position: [0, 0, 0], target: [0, 0, 0], fov: 3 }] }, "has no fov"],
    [
      {
        version: 1,
        keyframes: [1, 1].map((time) => ({ time, position: [0, 0, 0], target: [1, 0, 0] })),
      },
      "keyframes[1].time is not behind",
    ],
  ])("says what is wrong with %j", (value, message) => {
    expect(() => readPath(value)).toThrow(message);
  });
});

test("progress never turns back, and stays between its numbers", () => {
  const steps = fc.array(
    fc.tuple(fc.double({ min: 0.01, max: 10, noNaN: true }), fc.double({ min: 0, max: 50, noNaN: true })),
    { minLength: 2, maxLength: 10 },
  );
  fc.assert(
    fc.property(steps, (parts) => {
      let [time, value] = [0, 0];
      const [times, values]: [number[], number[]] = [[], []];
      for (const [gap, rise] of parts) {
        time += gap;
        value += rise;
        times.push(time);
        values.push(value);
      }
      const progress = new Progress(times, values);
      let before = values[0]!;
      for (let i = 0; i <= 200; i++) {
        const now = progress.at(times[0]! + (i / 200) * (time - times[0]!)).value;
        expect(now).toBeGreaterThanOrEqual(before - 1e-9);
        before = now;
      }
      expect(before).toBeCloseTo(value, 6);
    }),
  );
});
