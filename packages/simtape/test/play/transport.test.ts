import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Bounds, positionAt } from "../../src/play/passage.ts";
import { type Signal, type Stage, STAGES } from "../../src/play/stages.ts";
import { type PlayEvent, type Target, transition, type Transport } from "../../src/play/transport.ts";

const BOUNDS: Bounds = { start: 0, end: 100e9 };
const TARGET: Target = { kind: "start", from: 0, steps: 0, by: null, cause: "seek" };

function transport(changes: Partial<Transport> = {}): Transport {
  return {
    stage: "resting",
    generation: 0,
    bounds: BOUNDS,
    anchor: { clock: 0, time: 0 },
    time: 0,
    shownAt: 0,
    rate: 1,
    loop: null,
    isRepeating: false,
    target: TARGET,
    cause: "play",
    error: null,
    ...changes,
  };
}

/** As the player does it: ticks `interval` apart from `from` until `to`. */
function run(from: Transport, start: number, to: number, interval: number): Transport {
  let after = from;
  for (let now = start; now <= to && after.stage === "running"; now += interval) {
    const { time, isEdge, lost } = positionAt(after, now);
    after = transition(after, { type: "shown", time, lost }, now);
    if (isEdge) after = transition(after, { type: "edge" }, now);
  }
  return after;
}

describe("the table of stages", () => {
  const stages = Object.keys(STAGES) as Stage[];
  const signals: Signal[] = [
    ...(["play", "pause", "move", "turn", "arrived"] as const),
    ...(["starved", "delayed", "finished", "failed", "close"] as const),
  ];

  test("is what is drawn here", () => {
    const table = stages.map(
      (stage) => `${stage.padEnd(9)}${signals.map((signal) => (STAGES[stage].on[signal] ?? "").padEnd(9)).join("")}`,
    );
    expect(
      [`${" ".repeat(9)}${signals.map((signal) => signal.padEnd(9)).join("")}`, ...table].map((row) => row.trimEnd()),
    ).toMatchInlineSnapshot(`
      [
        "         play     pause    move     turn     arrived  starved  delayed  finished failed   close",
        "settling resuming          settling          resting                             failed   closed",
        "resuming          settling resuming          running                             failed   closed",
        "resting  running           settling                                                       closed",
        "running           resting  resuming running           waiting           ended    failed   closed",
        "waiting           resting  resuming running  running           starving          failed   closed",
        "starving          resting  resuming running  running                             failed   closed",
        "ended    running           settling                                                       closed",
        "failed   resuming          settling                                                       closed",
        "closed",
      ]
    `);
  });

  test("gives an activity to every stage that can arrive, starve or fail, and to no other", () => {
    for (const { activity, on } of Object.values(STAGES)) {
      expect(on.arrived !== undefined).toBe(activity === "load");
      expect(on.starved !== undefined).toBe(activity === "run");
      expect(on.failed !== undefined).toBe(activity !== null);
    }
  });

  test("lets every stage be closed, and nothing lead out of that", () => {
    for (const stage of stages) expect(STAGES[stage].on.close).toBe(stage === "closed" ? undefined : "closed");
    expect(STAGES.closed.on).toEqual({});
  });

  test("begins a new generation exactly with a move or another activity", () => {
    for (const stage of stages) {
      const events: PlayEvent[] = [
        { type: "play" },
        { type: "pause" },
        { type: "seek", time: 5 },
        { type: "step", count: 1, by: null },
        { type: "rate", rate: -2 },
        { type: "loop", loop: null },
        { type: "arrived", target: TARGET, time: 5 },
        { type: "starved", time: 5 },
        { type: "delayed" },
        { type: "edge" },
        { type: "failed", error: new Error("gone") },
        { type: "close" },
      ];
      for (const event of events) {
        const before = transport({ stage, time: 50e9 });
        const after = transition(before, event, 7);
        const isMove = (event.type === "seek" || event.type === "step") && stage !== "closed";
        const hasOther = STAGES[after.stage].activity !== STAGES[stage].activity;
        expect(after.generation > before.generation, `${stage}, ${event.type}`).toBe(isMove || hasOther);
      }
    }
  });
});

describe("a move that overtakes another", () => {
  const seek = (before: Transport, time: number): Transport => transition(before, { type: "seek", time }, 7);
  const first = seek(transport(), 5e9);
  const second = seek(seek(first, 6e9), 8e9);

  test("lets it come to its place, and is then on its way alone", () => {
    expect(second).toMatchObject({ stage: "settling", generation: first.generation, target: { from: 8e9 } });
    const passed = transition(second, { type: "arrived", target: first.target, time: 5e9 }, 9);
    expect(passed).toMatchObject({ stage: "settling", time: 5e9, generation: second.generation + 1 });
    const arrived = transition(passed, { type: "arrived", target: passed.target, time: 8e9 }, 9);
    expect(arrived).toMatchObject({ stage: "resting", time: 8e9 });
  });

  test("is on its way at once when that takes too long, or was not asked for", () => {
    expect(transition(second, { type: "overdue" }, 9).generation).toBe(second.generation + 1);
    const starved = transition(transport({ stage: "running" }), { type: "starved", time: 1e9 }, 7);
    expect(seek(starved, 5e9).generation).toBe(starved.generation + 1);
    const starting = transport({ stage: "settling" });
    expect(seek(starting, 5e9).generation).toBe(starting.generation + 1);
  });
});

describe("time", () => {
  const rate = fc.oneof(fc.integer({ min: 1, max: 64 }), fc.double({ min: 1 / 32, max: 64, noNaN: true }));

  test("does not drift: after any number of ticks of any length it is what the rate says, to the nanosecond", () => {
    fc.assert(
      fc.property(
        rate,
        fc.integer({ min: 1e6, max: 290e6 }),
        fc.integer({ min: 1, max: 3000 }),
        (by, interval, ticks) => {
          const bounds = { start: 0, end: Number.MAX_SAFE_INTEGER };
          const playing = transition(transport({ rate: by, bounds }), { type: "play" }, 1000);
          const after = run(playing, 1000, 1000 + interval * ticks, interval);
          expect(Math.abs(after.time - interval * ticks * by)).toBeLessThanOrEqual(0.5 + after.time * Number.EPSILON);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("goes back by what it went forward when the rate is turned round", () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 1, max: 2e9 }), (by, span) => {
        let t = transition(transport({ time: 30e9, rate: by, bounds: { start: 0, end: 400e9 } }), { type: "play" }, 0);
        t = run(t, 0, span, 1e7);
        t = transition(t, { type: "rate", rate: -by }, span);
        t = run(t, span, 2 * span, 1e7);
        expect(Math.abs(positionAt(t, 2 * span).time - 30e9)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("loops for hours without losing a nanosecond, either way", () => {
    const loop = { start: 10e9, end: 10e9 + 777_777_777 };
    for (const by of [1, 3, -1, -2]) {
      const playing = transition(
        transport({ loop, rate: by, time: by > 0 ? loop.start : loop.end }),
        { type: "play" },
        0,
      );
      const hour = 3600e9;
      const after = run(playing, 0, hour, 166_666_667);
      const now = Math.floor(hour / 166_666_667) * 166_666_667;
      const gone = Math.round(now * Math.abs(by)) % 777_777_777;
      expect(positionAt(after, now).time).toBe(by > 0 ? loop.start + gone : loop.end - gone);
    }
  });

  test("shows the last moment of a round before the first of the next", () => {
    const loop = { start: 10e9, end: 11e9 };
    const playing = transition(transport({ loop, time: 10e9 }), { type: "play" }, 0);
    const at = transition(playing, { type: "shown", time: 10.9e9, lost: 0 }, 0.9e9);
    expect(positionAt(at, 1.05e9)).toEqual({ time: 11e9, isEdge: true, lost: 0 });
    const edge = transition(transition(at, { type: "shown", time: 11e9, lost: 0 }, 1.05e9), { type: "edge" }, 1.05e9);
    expect(edge).toMatchObject({ stage: "running", cause: "loop", time: 10e9 });
    expect(positionAt(edge, 1.06e9).time).toBe(10.06e9);
  });

  test("ends at the edge it goes to, and starts over from the other one when played again", () => {
    for (const by of [2, -2]) {
      const time = by > 0 ? 99e9 : 1e9;
      const ended = run(transition(transport({ rate: by, time }), { type: "play" }, 0), 0, 2e9, 1e8);
      expect(ended).toMatchObject({ stage: "ended", time: by > 0 ? 100e9 : 0 });
      const again = transition(ended, { type: "play" }, 5e9);
      expect(again).toMatchObject({ stage: "resuming", target: { from: by > 0 ? 0 : 100e9 } });
      const back = transition(transition(ended, { type: "rate", rate: -by }, 5e9), { type: "play" }, 6e9);
      expect(back.stage).toBe("running");
    }
  });

  test("repeats the whole recording where that is wanted", () => {
    const playing = transition(transport({ isRepeating: true, time: 99e9 }), { type: "play" }, 0);
    expect(positionAt(run(playing, 0, 3e9, 1e8), 3e9).time).toBe(2e9);
  });

  test("leaves a loop alone that was passed by a seek, until it is entered again", () => {
    const loop = { start: 10e9, end: 20e9 };
    const beyond = transition(transport({ loop, time: 99.9e9 }), { type: "play" }, 0);
    expect(run(beyond, 0, 1e9, 1e8).stage).toBe("ended");
    const ahead = transition(transport({ loop, time: 9.5e9 }), { type: "play" }, 0);
    expect(positionAt(run(ahead, 0, 11e9, 1e8), 11e9).time).toBe(10.5e9);
  });

  test("is not caught up with when the machine slept", () => {
    const playing = transition(transport({ time: 5e9 }), { type: "play" }, 0);
    const late = positionAt(playing, 60e9);
    expect(late).toEqual({ time: 5.3e9, isEdge: false, lost: 59.7e9 });
    const after = transition(playing, { type: "shown", ...late }, 60e9);
    expect(positionAt(after, 60.1e9).time).toBe(5.4e9);
  });

  test("is not banked while waiting", () => {
    let t = transition(transport({ time: 5e9 }), { type: "play" }, 0);
    t = transition(t, { type: "starved", time: 5.1e9 }, 0.1e9);
    t = transition(t, { type: "delayed" }, 0.2e9);
    expect(STAGES[t.stage].phase).toBe("buffering");
    t = transition(t, { type: "arrived", target: t.target, time: 5.1e9 }, 30e9);
    expect(positionAt(t, 30.1e9).time).toBe(5.2e9);
  });
});

describe("steps", () => {
  test("pause, and add up while they are on their way", () => {
    let t = transition(transport({ time: 5e9 }), { type: "play" }, 0);
    t = transition(t, { type: "step", count: 1, by: "frame" }, 0);
    t = transition(t, { type: "step", count: 1, by: "frame" }, 0);
    t = transition(t, { type: "step", count: -3, by: "frame" }, 0);
    expect(t).toMatchObject({ stage: "settling", target: { from: 5e9, steps: -1, by: "frame", cause: "step" } });
  });

  test("count from where a seek is going", () => {
    const t = transition(transport(), { type: "seek", time: 8e9 }, 0);
    expect(transition(t, { type: "step", count: 2, by: null }, 0).target).toMatchObject({ from: 8e9, steps: 2 });
  });
});
