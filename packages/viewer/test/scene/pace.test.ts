import { describe, expect, test } from "vitest";
import { Effort, QUALITIES, type Quality } from "../../src/scene/drawing/effort.ts";
import { type Clock, Pace } from "../../src/scene/drawing/pace.ts";

/** So many pictures that take so long. */
function drawMany(effort: Effort, count: number, milliseconds: number): void {
  for (let i = 0; i < count; i++) effort.note(milliseconds - 1, milliseconds);
}

function levelOf(effort: Effort): number {
  return QUALITIES.indexOf(effort.quality);
}

describe("how much is drawn", () => {
  test("everything, as long as that is quick, or only now and then slow", () => {
    const effort = new Effort(false);
    drawMany(effort, 500, 8);
    for (let i = 0; i < 100; i++) {
      drawMany(effort, 3, 500);
      drawMany(effort, 3, 30);
    }
    expect(effort.quality).toEqual({ shadows: true, smooth: true, scale: 1 });
    expect(effort.isLimited).toBe(false);
  });

  test("nothing is less for a page that is busy with other things: only what was seen not to be done counts", () => {
    const effort = new Effort(false);
    for (let i = 0; i < 100; i++) effort.note(0, 300);
    expect(levelOf(effort)).toBe(0);
  });

  test("first no shadows, then fewer pixels, where it stays slow; never less than there is", () => {
    const effort = new Effort(false);
    const levels: number[] = [];
    for (let i = 0; i < 60; i++) {
      drawMany(effort, 1, 200);
      if (levels.at(-1) !== levelOf(effort)) levels.push(levelOf(effort));
    }
    expect(levels).toEqual([0, 1, 2, 3]);
    expect(effort.quality.shadows).toBe(false);
    expect(effort.quality.scale).toBeLessThan(1);
  });

  test("without a graphics card it begins with little, and has all where that is quick", () => {
    const effort = new Effort(true);
    expect(effort.quality).toEqual({ shadows: false, smooth: false, scale: 0.5 });
    drawMany(effort, 200, 10);
    expect(levelOf(effort)).toBe(0);
  });

  test("what is neither slow nor quick stays as it is", () => {
    const effort = new Effort(true);
    drawMany(effort, 1000, 20);
    expect(levelOf(effort)).toBe(3);
  });

  test("tries that fail are ever rarer", () => {
    const effort = new Effort(true);
    let tries = 0;
    for (let i = 0; i < 5000; i++) {
      const before = levelOf(effort);
      drawMany(effort, 1, before === 0 ? 80 : 10);
      if (levelOf(effort) < before) tries++;
    }
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThan(9);
  });
});

/** Time that goes on when it is reported, and a machine that draws as slowly as it is reported. */
class MadeClock implements Clock {
  time = 0;
  /** Milliseconds of a picture. */
  cost = 0;
  #busyUntil = 0;
  #calls: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.time;
  }

  frame(callback: () => void): () => void {
    return this.later(callback, 16 - (this.time % 16));
  }

  later(callback: () => void, milliseconds: number): () => void {
    const call = { at: this.time + milliseconds, callback };
    this.#calls.push(call);
    return () => {
      this.#calls = this.#calls.filter((other) => other !== call);
    };
  }

  fence(): () => boolean {
    const done = this.#busyUntil;
    return () => this.time >= done;
  }

  draw(): void {
    this.#busyUntil = Math.max(this.#busyUntil, this.time) + this.cost;
  }

  pass(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      const next = this.#calls.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#calls = this.#calls.filter((call) => call !== next);
      this.time = Math.max(this.time, next.at);
      next.callback();
    }
    this.time = end;
  }
}

describe("when it is drawn", () => {
  function make(isSoftware: boolean, cost: number) {
    const clock = new MadeClock();
    clock.cost = cost;
    const drawn: { time: number; quality: Quality; state: number }[] = [];
    const changing = { state: 0 };
    const pace = new Pace(
      (quality) => {
        clock.draw();
        drawn.push({ time: clock.time, quality, state: changing.state });
      },
      new Effort(isSoftware),
      clock,
    );
    return { clock, drawn, changing, pace };
  }

  test("changes of one animation frame are one picture", () => {
    const { clock, drawn, pace } = make(false, 5);
    pace.request();
    pace.request();
    expect(drawn).toEqual([]);
    clock.pass(1000);
    expect(drawn.map(({ quality }) => quality)).toEqual([QUALITIES[0]]);
  });

  test("a quick machine draws every change at once with everything, also before the last is done", () => {
    const { clock, drawn, changing, pace } = make(false, 20);
    for (let i = 1; i <= 100; i++) {
      changing.state = i;
      pace.change();
      expect(drawn.at(-1)).toMatchObject({ state: i, time: clock.time, quality: QUALITIES[0] });
      // Every other one comes while the one before is drawn.
      clock.pass(i % 2 === 0 ? 40 : 8);
    }
    clock.pass(1000);
    expect(drawn).toHaveLength(100);
  });

  test("on a slow one the newest change is drawn when the picture under way is done, and no other", () => {
    const { clock, drawn, changing, pace } = make(true, 100);
    for (let i = 1; i <= 120; i++) {
      changing.state = i;
      pace.change();
      clock.pass(16);
    }
    for (const [k, { time, state }] of drawn.entries()) {
      if (k === 0) continue;
      expect(time - drawn[k - 1]!.time).toBeGreaterThanOrEqual(100);
      expect(time - drawn[k - 1]!.time).toBeLessThan(110);
      // As it was given last.
      expect(state).toBe(Math.floor((time - 1e-9) / 16) + 1);
    }
    expect(drawn.every(({ quality }) => !quality.shadows)).toBe(true);
  });

  test("what rests is drawn once with everything, and what follows with less again", () => {
    const { clock, drawn, pace } = make(true, 60);
    pace.change();
    clock.pass(100);
    pace.change();
    clock.pass(2000);
    expect(drawn.map(({ quality }) => quality === QUALITIES[0])).toEqual([false, false, true]);
    expect(drawn[2]!.time - drawn[1]!.time).toBeGreaterThanOrEqual(250);
    pace.change();
    clock.pass(1);
    expect(drawn.at(-1)!.quality).not.toBe(QUALITIES[0]);
  });

  test("what is asked for is drawn with everything, without waiting", () => {
    const { clock, drawn, pace } = make(true, 100);
    pace.change();
    pace.complete();
    expect(drawn.at(-1)).toMatchObject({ time: 0, quality: QUALITIES[0] });
    clock.pass(5000);
    expect(drawn).toHaveLength(2);
  });

  test("a machine that never tells that it is done is not waited for", () => {
    const { clock, drawn, pace } = make(true, Number.POSITIVE_INFINITY);
    pace.change();
    pace.change();
    clock.pass(10_000);
    expect(drawn.length).toBeGreaterThan(1);
  });

  test("nothing is drawn after the end", () => {
    const { clock, drawn, pace } = make(true, 10);
    pace.change();
    pace.request();
    pace.dispose();
    clock.pass(10_000);
    expect(drawn).toHaveLength(1);
  });
});
