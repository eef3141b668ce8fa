import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Opponents } from "../../src/ghosts/opponents.ts";
import type { FinishedRun } from "../../src/proxy/kept-run.ts";
import { Runner } from "../../src/proxy/runner.ts";
import { eventOf } from "../support/lines.ts";
import { COURSE } from "../support/course.ts";

const TICK = 50;

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

describe("a runner", () => {
  // a run starts anywhere within a tick of the world
  test.each([0, 1, 20, 31, 49])(
    "sees ghosts at their ticks, neither before nor behind: %i ms behind a tick of the world",
    (phase) => {
      const began = performance.now();
      const elapsed = (): number => performance.now() - began;
      const leads: number[] = [];
      let startedAt = Number.NaN;
      const opponents = {
        show: (tick: number) => leads.push(tick * TICK - (elapsed() - startedAt)),
        hide: () => undefined,
        refresh: () => undefined,
        split: () => undefined,
        finish: () => undefined,
      };
      const runs: FinishedRun[] = [];
      const runner = new Runner({
        course: COURSE,
        opponents: () => opponents as unknown as Opponents,
        mark: () => undefined,
        elapsed,
        finished: (run) => runs.push(run),
      });
      const step = (x: number): void =>
        runner.says(eventOf({ move: { id: 1, at: [x, 64, 1] } }), Math.floor(elapsed() / TICK));
      runner.says(eventOf({ join: { id: 1, at: [1, 64, 1] } }), 0);
      vi.advanceTimersByTime(1000 + phase);
      startedAt = elapsed();
      for (let x = 3; x <= 60; x++) {
        step(x);
        vi.advanceTimersByTime(TICK);
      }
      runner.leave();
      vi.advanceTimersByTime(1000);
      // in each tick once, and with each step once when it starts
      expect(leads.length).toBeGreaterThanOrEqual(57);
      expect(leads.sort((a, b) => a - b)[leads.length >> 1]).toBeCloseTo(0);
      expect(Math.max(...leads.map(Math.abs))).toBeLessThanOrEqual(1);
      expect(runs).toHaveLength(1);
    },
  );
});
