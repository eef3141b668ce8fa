import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OwnTicks } from "../../src/proxy/own-ticks.ts";
import { eventOf } from "../support/lines.ts";

const AHEAD = 4;

/** Steps that came in these ticks, and where they stand: taken all at once. */
function laid(came: readonly number[], passed = -1): number[] {
  const own = new OwnTicks(passed);
  for (const [order, tick] of came.entries()) own.add(eventOf({ move: { order } }), tick, order);
  return own.take(1000).map(({ tick }) => tick);
}

describe("steps of a client", () => {
  test.each([
    ["as they came, where each had a tick", [1, 2, 3], [1, 2, 3]],
    ["a burst behind a gap: in the gap", [10, 20, 20, 20, 20], [10, 17, 18, 19, 20]],
    ["two in a tick and none in the one before", [1, 2, 4, 4, 5], [1, 2, 3, 4, 5]],
    ["a burst without a gap: a little later", [0, 1, 2, 2, 3], [0, 1, 2, 3, 4]],
    ["bursts one after another", [10, 10, 10, 20, 20, 20], [8, 9, 10, 18, 19, 20]],
  ])("stand in ticks of their own: %s", (_, came, ticks) => {
    expect(laid(came)).toEqual(ticks);
  });

  test("never stand where all was said already, and a flood is not laid far ahead", () => {
    expect(laid([10, 10, 10], 8)).toEqual([9, 10, 11]);
    expect(
      laid(
        Array.from({ length: 100 }, () => 10),
        9,
      ).at(-1),
    ).toBe(10 + AHEAD);
  });

  test("what is no step stands with the step that it came with", () => {
    const own = new OwnTicks(-1);
    own.add(eventOf({ move: {} }), 5, 0);
    own.add(eventOf({ swing: {} }), 5, 1);
    own.add(eventOf({ state: {} }), 5, 2);
    own.add(eventOf({ move: {} }), 5, 3);
    own.add(eventOf({ swing: {} }), 8, 4);
    expect(own.take(100).map(({ tick, event }) => [tick, event.kind])).toEqual([
      [4, "move"],
      [4, "swing"],
      [4, "state"],
      [5, "move"],
      [8, "swing"],
    ]);
  });

  test("a step that is marked stays where it came", () => {
    const own = new OwnTicks(-1);
    for (let order = 0; order < 5; order++) own.add(eventOf({ move: {} }), 9, order);
    own.add(eventOf({ mark: {} }), 9, 5);
    for (let order = 6; order < 9; order++) own.add(eventOf({ move: {} }), 9, order);
    expect(own.take(100).map(({ tick }) => tick)).toEqual([5, 6, 7, 8, 9, 9, 10, 11, 12]);
  });

  test("a player comes in the tick in which it came, however many steps follow", () => {
    const own = new OwnTicks(-1);
    own.add(eventOf({ join: {} }), 9, 0);
    for (let order = 1; order < 4; order++) own.add(eventOf({ move: {} }), 9, order);
    expect(own.take(100).map(({ tick }) => tick)).toEqual([9, 10, 11, 12]);
  });

  test("a player who leaves is gone in the tick in which it left", () => {
    const own = new OwnTicks(-1);
    for (let order = 0; order < 4; order++) own.add(eventOf({ move: {} }), 0, order);
    own.add(eventOf({ leave: {} }), 1, 4);
    expect(own.take(100).map(({ tick }) => tick)).toEqual([0, 1, 1, 1, 1]);
  });

  test("in order, within their bounds, and apart wherever there is room: however they come and are taken", () => {
    const one = fc.record({ gap: fc.nat({ max: 12 }), count: fc.nat({ max: 8 }), isTaken: fc.boolean() });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), (bursts) => {
        const own = new OwnTicks(-1);
        const all: { readonly came: number; readonly tick: number; readonly passed: number }[] = [];
        const times: number[] = [];
        let [now, order, passed] = [0, 0, -1];
        const take = (until: number): void => {
          for (const { order: of, tick } of own.take(until)) all.push({ came: times[of]!, tick, passed });
          passed = until;
        };
        for (const { gap, count, isTaken } of bursts) {
          now += gap;
          for (let i = 0; i < count; i++) {
            own.add(eventOf({ move: {} }), now, order++);
            times.push(now);
          }
          if (isTaken && now - 20 > passed) take(now - 20);
        }
        take(now + AHEAD);
        expect(all).toHaveLength(order);
        for (const [i, { came, tick, passed: before }] of all.entries()) {
          expect(tick).toBeGreaterThan(before);
          expect(tick).toBeLessThanOrEqual(came + AHEAD);
          const last = all[i - 1]?.tick ?? -1;
          // in one tick only at the very end of what is allowed
          if (tick !== came + AHEAD) expect(tick).toBeGreaterThan(last);
          else expect(tick).toBeGreaterThanOrEqual(last);
        }
      }),
    );
  });
});
