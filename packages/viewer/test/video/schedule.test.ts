import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CameraPath } from "../../src/video/path.ts";
import { scheduleOf } from "../../src/video/schedule.ts";

function ramp(...rates: readonly (readonly [time: number, rate?: number])[]): CameraPath {
  const keyframes = rates.map(([time, rate]) => ({
    time,
    position: [0, 0, 1] as const,
    target: [0, 0, 0] as const,
    ...(rate === undefined ? {} : { rate }),
  }));
  return { version: 1, keyframes };
}

describe("the moments of a video", () => {
  test("are those of its frames, from the first up to the end, without it", () => {
    const { count, timeOf } = scheduleOf({ start: 2e9, end: 3e9, fps: 24, rate: 1 });
    expect(count).toBe(24);
    expect([0, 1, 23].map(timeOf)).toEqual([2e9, 2_041_666_667, 2_958_333_333]);
  });

  test("are more where it plays slower, and fewer where it plays faster", () => {
    expect(scheduleOf({ start: 0, end: 10e9, fps: 30, rate: 0.25 }).count).toBe(1200);
    expect(scheduleOf({ start: 0, end: 10e9, fps: 30, rate: 8 }).count).toBe(38);
  });

  test("of a range that is one moment, one", () => {
    const { count, timeOf } = scheduleOf({ start: 5e9, end: 5e9, fps: 30, rate: 1 });
    expect([count, timeOf(0)]).toEqual([1, 5e9]);
  });

  test("follow the rates of keyframes, which change evenly with the recording's time", () => {
    // from 1 to 3 over two seconds: ln(3) seconds of video
    const { count, timeOf } = scheduleOf({ start: 0, end: 2e9, fps: 1000, rate: 1 }, ramp([0, 1], [2, 3]));
    expect(count).toBe(Math.ceil(1000 * Math.log(3)));
    const half = Math.round(1000 * Math.log(2));
    // at rate 2, half of the way
    expect(timeOf(half) / 1e9).toBeCloseTo(1, 2);
  });

  test("follow the nearest rate outside of the keyframes, and leave out keyframes without one", () => {
    const { count } = scheduleOf({ start: 0, end: 10e9, fps: 10, rate: 2 }, ramp([4, 0.5], [5], [6, 0.5]));
    expect(count).toBe(100);
  });

  test("ascend, whatever the rates, and move as fast as these say", () => {
    const rates = fc.array(
      fc.tuple(fc.double({ min: 0.05, max: 4, noNaN: true }), fc.double({ min: 0.01, max: 64, noNaN: true })),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(rates, (parts) => {
        let time = 0;
        const path = ramp(
          ...parts.map(([gap, rate]) => {
            time += gap;
            return [time, rate] as const;
          }),
        );
        const end = Math.round((time + 1) * 1e9);
        const { count, timeOf } = scheduleOf({ start: 0, end, fps: 30, rate: 1 }, path);
        const most = Math.max(...parts.map(([, rate]) => rate));
        const least = Math.min(...parts.map(([, rate]) => rate));
        const steps = Array.from(
          { length: Math.min(count, 500) - 1 },
          (_, frame) => (timeOf(frame + 1) - timeOf(frame)) * 30,
        );
        expect(Math.max(...steps)).toBeLessThanOrEqual(most * 1.000001e9 + 100);
        expect(Math.min(...steps)).toBeGreaterThanOrEqual(least * 0.999999e9 - 100);
        expect(timeOf(count - 1)).toBeLessThanOrEqual(end);
      }),
    );
  });
});
