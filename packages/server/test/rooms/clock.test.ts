import fc from "fast-check";
import { expect, test } from "vitest";
import { type Clock, type Move, moved, newClock, positionAt } from "../../src/rooms/clock.ts";

const SPAN = { start: 0, end: 100 };

function after(...moves: readonly (readonly [at: number, move: Move])[]): Clock {
  return moves.reduce((clock, [at, move]) => moved(clock, move, at * 1000), newClock(SPAN, 0));
}

test("a clock rests until it plays, and stands still at either end", () => {
  const clock = after([10, { move: "play" }]);
  expect(positionAt(newClock(SPAN, 0), 50_000)).toBe(0);
  expect(positionAt(clock, 15_000)).toBe(5);
  expect(positionAt(clock, 500_000)).toBe(100);
  expect(positionAt(moved(clock, { move: "rate", rate: -2 }, 15_000), 16_000)).toBe(3);
  expect(positionAt(moved(clock, { move: "rate", rate: -2 }, 15_000), 60_000)).toBe(0);
});

test("plays once more from the end, and backwards from the beginning", () => {
  const over = after([0, { move: "seek", time: 100 }], [1, { move: "play" }]);
  expect(positionAt(over, 3000)).toBe(2);
  const back = after([0, { move: "rate", rate: -1 }], [1, { move: "play" }]);
  expect(positionAt(back, 3000)).toBe(98);
});

test("a seek keeps the rate, a pause the place", () => {
  const clock = after([0, { move: "play" }], [1, { move: "rate", rate: 4 }], [2, { move: "seek", time: 50 }]);
  expect(positionAt(clock, 3000)).toBe(54);
  const paused = moved(clock, { move: "pause" }, 3000);
  expect(positionAt(paused, 9000)).toBe(54);
  expect(positionAt(moved(paused, { move: "play" }, 10_000), 11_000)).toBe(58);
});

test("a loop goes round in both directions, also when it is entered from outside", () => {
  const loop: Move = { move: "loop", range: { start: 10, end: 14 } };
  const clock = after([0, loop], [0, { move: "play" }]);
  expect(positionAt(clock, 9000)).toBe(9);
  expect(positionAt(clock, 15_000)).toBe(11);
  const back = after(
    [0, loop],
    [0, { move: "seek", time: 12 }],
    [0, { move: "rate", rate: -1 }],
    [0, { move: "play" }],
  );
  expect(positionAt(back, 1000)).toBe(11);
  expect(positionAt(back, 3000)).toBe(13);
  const behind = after([0, loop], [0, { move: "seek", time: 50 }], [0, { move: "play" }]);
  expect(positionAt(behind, 1000)).toBe(11);
});

test("nothing jumps but by a seek, and in a loop that is played everything stays within it", () => {
  const move: fc.Arbitrary<Move> = fc.oneof(
    fc.constant<Move>({ move: "play" }),
    fc.constant<Move>({ move: "pause" }),
    fc.record({ move: fc.constant("rate" as const), rate: fc.constantFrom(-64, -2, -1, 0.25, 1, 3, 64) }),
    fc.constant<Move>({ move: "loop", range: null }),
  );
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), move), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (moves) => {
      let clock = newClock(SPAN, 0);
      let wall = 0;
      for (const [wait, one] of moves) {
        wall += wait;
        const before = positionAt(clock, wall);
        clock = moved(clock, one, wall);
        const now = positionAt(clock, wall);
        const isAgain = one.move === "play" && (before === SPAN.start || before === SPAN.end);
        if (!isAgain) expect(now).toBeCloseTo(before, 9);
        expect(now).toBeGreaterThanOrEqual(SPAN.start);
        expect(now).toBeLessThanOrEqual(SPAN.end);
      }
    }),
  );
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 90, noNaN: true }),
      fc.double({ min: 0.1, max: 10, noNaN: true }),
      fc.constantFrom(-7, -1, 0.5, 1, 30),
      fc.integer({ min: 0, max: 1e7 }),
      (start, length, rate, wait) => {
        fc.pre(start + length - start >= 0.1);
        let clock = moved(newClock(SPAN, 0), { move: "loop", range: { start, end: start + length } }, 0);
        clock = moved(clock, { move: "seek", time: start + length / 2 }, 0);
        clock = moved(moved(clock, { move: "rate", rate }, 0), { move: "play" }, 0);
        const position = positionAt(clock, wait);
        expect(position).toBeGreaterThanOrEqual(start - 1e-6);
        expect(position).toBeLessThanOrEqual(start + length + 1e-6);
      },
    ),
  );
});

test("what has no meaning is refused", () => {
  for (const move of [
    { move: "rate", rate: 0 },
    { move: "rate", rate: 65 },
    { move: "rate", rate: Number.NaN },
    { move: "seek", time: Number.POSITIVE_INFINITY },
    { move: "loop", range: { start: 5, end: 5 } },
    { move: "loop", range: { start: 500, end: 600 } },
  ] as const satisfies readonly Move[])
    expect(() => moved(newClock(SPAN, 0), move, 0), JSON.stringify(move)).toThrow(RangeError);
});
