import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openBundle } from "../../../src/model/open.ts";
import type { State } from "../../../src/model/state/state.ts";
import { FORMATS } from "../../../src/index.ts";
import { tries } from "../../soak.ts";
import { REAL, SOUND } from "../../specimens.ts";

/** Order of sets and values does not matter, nor sets that are empty. */
function comparable({ time, values, sets }: State): unknown {
  const shown = [...sets]
    .filter(([, { ids }]) => ids.length > 0)
    .map(([name, { ids, axes, columns }]) => [name, { ids, axes, columns: Object.fromEntries(columns) }]);
  return { time, values: Object.fromEntries(values), sets: Object.fromEntries(shown) };
}

describe.each([...SOUND, ...REAL])("states of $name", (sound) => {
  test("are those that are asked for one by one", async () => {
    await using recording = await openBundle(sound.bundle(), FORMATS);
    const { start, end } = await recording.timeline();
    const part = fc.double({ min: -0.05, max: 1.05, noNaN: true });
    await fc.assert(
      fc.asyncProperty(part, part, fc.integer({ min: 2, max: 12 }), fc.boolean(), async (a, b, count, interpolate) => {
        const from = Math.round(start + a * (end - start));
        const to = Math.round(start + b * (end - start));
        const every = Math.max(1, Math.abs(to - from) / count);
        let n = 0;
        for await (const state of recording.states({ start: from, end: to, every, interpolate })) {
          expect(state.time).toBe(from + n * every);
          n++;
          expect(comparable(state)).toEqual(comparable(await recording.state(state.time, { interpolate })));
        }
        expect(n).toBe(to > from ? Math.ceil((to - from) / every) : 0);
      }),
      { numRuns: tries(3, 20), seed: 5 },
    );
  });

  test("are one for each recorded moment, when nothing else is asked for", async () => {
    await using recording = await openBundle(sound.bundle(), FORMATS);
    const times = new Set<number>();
    for await (const { time } of recording.batches()) for (const at of time) times.add(at);
    const moments = [...times];
    const { end } = await recording.timeline();
    const [from, to] = [
      moments[moments.length >> 1]!,
      moments[Math.min(moments.length - 1, (moments.length >> 1) + 40)]!,
    ];
    const found: number[] = [];
    for await (const state of recording.states({ start: from, end: to })) {
      found.push(state.time);
      if (found.length % 8 === 1) expect(comparable(state)).toEqual(comparable(await recording.state(state.time)));
    }
    expect(found).toEqual(moments.filter((time) => time >= from && time < to));
    const last: number[] = [];
    for await (const { time } of recording.states({ start: end })) last.push(time);
    expect(last).toEqual(moments.filter((time) => time >= end));
  });

  test("of some sets have those as all have them, and no values", async () => {
    await using recording = await openBundle(sound.bundle(), FORMATS);
    const { start, end } = await recording.timeline();
    const every = Math.max(1, (end - start) / 4);
    const names = [...(await recording.state((start + end) / 2)).sets.keys()].slice(0, 2);
    for await (const state of recording.states({ every, sets: names })) {
      const whole = await recording.state(state.time);
      const sets = new Map([...whole.sets].filter(([name]) => names.includes(name)));
      expect(comparable(state)).toEqual(comparable({ time: state.time, values: new Map(), sets }));
    }
    for await (const state of recording.states({ every, sets: "all" }))
      expect(comparable(state)).toEqual(comparable({ ...(await recording.state(state.time)), values: new Map() }));
    await expect(recording.states({ sets: "all", interpolate: true }).next()).rejects.toThrow(TypeError);
  });

  test("stay as they are while others follow, and end when they are called off", async () => {
    await using recording = await openBundle(sound.bundle(), FORMATS);
    const { start, end } = await recording.timeline();
    const controller = new AbortController();
    const every = Math.max(1, (end - start) / 4);
    const kept: [State, unknown][] = [];
    for await (const state of recording.states({ every })) kept.push([state, comparable(state)]);
    for (const [state, reported] of kept) expect(comparable(state)).toEqual(reported);
    const reason = new Error("enough");
    const called = async (): Promise<void> => {
      for await (const _ of recording.states({ start, end: end + 10 * every, every, signal: controller.signal }))
        controller.abort(reason);
    };
    await expect(called()).rejects.toBe(reason);
  });
});
