import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Fold } from "../../../src/model/fold.ts";
import { openBundle } from "../../../src/model/open.ts";
import { PathError, type SeriesPath } from "../../../src/model/state/path.ts";
import { type SeriesOptions, seriesOf } from "../../../src/model/query/series.ts";
import { thinSeries } from "../../../src/model/query/thin.ts";
import type { Series } from "../../../src/model/query/sinks.ts";
import type { Recording } from "../../../src/model/recording.ts";
import { scopeOf } from "../../../src/model/scope.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { FORMATS } from "../../../src/index.ts";
import { tries } from "../../soak.ts";
import { REAL, SOUND } from "../../specimens.ts";
import { rowAt, rowOf, type Truth, toldOf, truthOf } from "./truth.ts";

describe.each([...SOUND, ...REAL])("series of $name", (sound) => {
  let truth: Truth;
  beforeAll(async () => {
    truth = await truthOf(sound, tries(12, 60));
  });
  afterAll(() => truth.recording.close());

  const isSpeed = (path: SeriesPath): boolean => "item" in path && path.item === "speed";
  /** Some paths, what is nowhere among them at times, and two times of which the second may be the first or before it. */
  const asked = (): fc.Arbitrary<{ paths: SeriesPath[]; start: number; end: number }> => {
    const { moments } = truth;
    const reported = truth.paths.filter(({ path }) => !isSpeed(path)).map(({ path }) => path);
    const lost: SeriesPath[] = [
      { value: "no such", keys: ["value"] },
      { set: "vehicles", id: 4711, column: "position", item: 0 },
      { set: "nothing", id: "x", column: "position", item: 2 },
    ];
    const path = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...reported) }, fc.constantFrom(...lost));
    const time = fc.oneof(
      fc.constantFrom(...moments),
      fc.integer({ min: Math.floor(moments[0]!) - 1e9, max: Math.ceil(moments.at(-1)!) + 1e9 }),
    );
    return fc.record({ paths: fc.array(path, { minLength: 1, maxLength: 6 }), start: time, end: time });
  };
  const check = (
    property: (ask: { paths: SeriesPath[]; start: number; end: number }) => Promise<void>,
  ): Promise<void> => fc.assert(fc.asyncProperty(asked(), property), { numRuns: tries(8, 80), seed: 11 });

  test("are what the states say, at every recorded moment", () =>
    check(async ({ paths, start, end }) => {
      const { recording, states } = truth;
      const all = await recording.series(paths, { start, end });
      expect(all.map(({ path }) => path)).toEqual(paths);
      for (const series of all) {
        const { time, value, valid } = series;
        expect([value.length, valid.length]).toEqual([time.length, time.length]);
        for (let i = 0; i < time.length; i++) {
          expect(i === 0 ? time[0]! >= start : time[i]! > time[i - 1]!).toBe(true);
        }
        if (time.length > 0) expect(time.at(-1)!).toBeLessThan(end);
        for (const state of states) {
          if (state.time < start || state.time >= end) continue;
          // where there is no moment of the path, it is as it was at the last one
          const row = rowAt(series, state.time);
          if (row >= 0)
            expect([series.text, state.time, rowOf(series, row)]).toEqual([
              series.text,
              state.time,
              toldOf(state, series.path, series),
            ]);
        }
      }
    }));

  test("begin with what changes first", () =>
    check(async ({ paths, start }) => {
      const { recording, states } = truth;
      for (const series of await recording.series(paths, { start })) {
        const before = states.filter(
          ({ time }) => time >= start && time < (series.time[0] ?? Number.POSITIVE_INFINITY),
        );
        const said = before.map((state) => toldOf(state, series.path, series));
        for (const one of said) expect([series.text, one]).toEqual([series.text, said[0]]);
      }
    }));

  test("come in batches as they come at once, and with the same times when they are aligned", () =>
    check(async ({ paths, start, end }) => {
      const { recording, states } = truth;
      for (const options of [{}, { points: 9 }, { mode: "sample", points: 40 }, { isAligned: true }] as const) {
        const range = { start, end, ...options };
        const whole = await recording.series(paths, range);
        const rows = whole.map((series) => [...series.time].map((time, i) => [time, rowOf(series, i)]));
        const pieces: (readonly (readonly [number, number | string | undefined])[])[][] = paths.map(() => []);
        for await (const batch of recording.seriesBatches(paths, { ...range, rows: 7 })) {
          for (const [p, series] of batch.entries()) {
            pieces[p]!.push([...series.time].map((time, i) => [time, rowOf(series, i)] as const));
          }
        }
        expect(pieces.map((piece) => piece.flat())).toEqual(rows);
        if (!("isAligned" in options)) continue;
        for (const series of whole) {
          expect(series.time).toEqual(whole[0]!.time);
          for (const state of states) {
            const row = series.time.indexOf(state.time);
            if (row >= 0) expect(rowOf(series, row)).toEqual(toldOf(state, series.path, series));
          }
        }
      }
    }));

  test("thinned, have what was first, lowest, highest and last of every step, and nothing else", () =>
    check(async ({ paths, start, end }) => {
      const { recording } = truth;
      const points = 5;
      const all = await recording.series(paths, { start, end });
      const thin = await recording.series(paths, { start, end, points });
      const stepOf = (time: number): number =>
        Math.min(points - 1, Math.floor((time - start) / ((end - start) / points)));
      for (const [p, series] of all.entries()) {
        expect(thin[p]!.moments).toBe(series.time.length);
        expect(thinSeries(series, { start, end, points })).toEqual(thin[p]!);
        const expected = new Set<number>();
        for (let step = 0; step < points; step++) {
          const rows = [...series.time.keys()].filter((i) => stepOf(series.time[i]!) === step);
          if (rows.length === 0) continue;
          const numbers = series.texts === null ? rows.filter((i) => !Number.isNaN(series.value[i]!)) : [];
          const by = (best: (a: number, b: number) => boolean): number[] =>
            numbers.length === 0 ? [] : [numbers.reduce((a, b) => (best(series.value[b]!, series.value[a]!) ? b : a))];
          for (const i of [rows[0]!, rows.at(-1)!, ...by((a, b) => a < b), ...by((a, b) => a > b)]) expected.add(i);
        }
        const rows = [...expected].sort((a, b) => a - b);
        expect([...thin[p]!.time].map((time, i) => [time, rowOf(thin[p]!, i)])).toEqual(
          rows.map((i) => [series.time[i]!, rowOf(series, i)]),
        );
      }
    }));

  test("sampled, are what the state says at each time", () =>
    check(async ({ paths, start, end }) => {
      const { recording, states } = truth;
      const from = states[0]!.time;
      const every = Math.max(1, (end - from) / 7);
      const sampled = await recording.series(paths, { start: from, end, every });
      for (const series of sampled) {
        const count = end <= from ? 0 : Math.ceil((end - from) / every);
        expect([...series.time]).toEqual(
          Array.from({ length: count }, (_, k) => from + k * every).filter((time) => time < end),
        );
      }
      const k = Math.floor(Math.abs(start) % 7);
      const time = sampled[0]!.time[k];
      if (time === undefined) return;
      const state = await recording.state(time);
      for (const series of sampled) {
        expect([series.text, time, rowOf(series, k)]).toEqual([series.text, time, toldOf(state, series.path, series)]);
      }
    }));

  test("of speeds do not depend on where they begin", async () => {
    const { recording, moments, paths } = truth;
    const speeds = paths
      .filter(({ path }) => isSpeed(path))
      .map(({ path }) => path)
      .slice(0, 3);
    if (speeds.length === 0) return;
    const whole = await recording.series(speeds);
    for (const part of [0.2, 0.5, 0.9]) {
      const start = moments[Math.floor(part * moments.length)]!;
      for (const [p, series] of (await recording.series(speeds, { start })).entries()) {
        const { time, value } = whole[p]!;
        const first = time.findIndex((at) => at >= start);
        expect(series.value).toEqual(first < 0 ? new Float64Array(0) : value.slice(first));
        const row = rowAt(whole[p]!, start);
        const [held] = (await recording.series([series.path], { start, end: start + 1, every: 1 })) as [Series];
        if (row >= 0) expect(held.value[0]).toEqual(value[row]);
      }
    }
  });

  test("of the speed of a single number have nothing", async () => {
    const { recording, paths } = truth;
    const single = paths.flatMap(({ path }): SeriesPath[] =>
      "item" in path && path.item === null ? [{ ...path, item: "speed" }] : [],
    );
    for (const { text, valid } of await recording.series(single.slice(0, 20))) {
      expect([text, valid.includes(1)]).toEqual([text, false]);
    }
  });

  test("are called off at once, and asked for again", async () => {
    const { recording, paths } = truth;
    const some = paths.slice(0, 3).map(({ path }) => path);
    const controller = new AbortController();
    const reason = new Error("enough");
    const coming = recording.series(some, { signal: controller.signal });
    controller.abort(reason);
    await expect(coming).rejects.toBe(reason);
    await expect(recording.series(some, { signal: controller.signal })).rejects.toBe(reason);
    const late = new AbortController();
    const pieces = async (): Promise<void> => {
      for await (const _ of recording.seriesBatches(some, { rows: 1, signal: late.signal })) late.abort(reason);
    };
    await expect(pieces()).rejects.toBe(reason);
    expect((await recording.series(some)).map(({ path }) => path)).toEqual(some);
  });

  test("are asked for by text", async () => {
    const { recording, paths } = truth;
    const named = paths.filter(({ path }) => !isSpeed(path));
    const some = named.filter((_, i) => i % Math.ceil(named.length / 4) === 0);
    const byPath = await recording.series(
      some.map(({ path }) => path),
      { points: 3 },
    );
    expect(
      await recording.series(
        some.map(({ text }) => text),
        { points: 3 },
      ),
    ).toEqual(byPath);
    await expect(recording.series(["no such/thing"])).rejects.toBeInstanceOf(PathError);
  });
});

describe("what is asked for", () => {
  const release = RELEASES.find(({ name }) => name === "0.9.15")!;
  const openTown = (frames: number, budget?: number): Promise<Recording> =>
    openBundle(bundleOfFiles({ "town.log": makeTown(release, frames) }), FORMATS, { budget });

  test("is in the budget, or in pieces", async () => {
    await using recording = await openTown(3000, 4 << 20);
    const paths = (await recording.paths({ at: 1e9 })).map(({ path }) => path);
    await expect(recording.series(paths)).rejects.toMatchObject({ code: "over-budget" });
    const rows = paths.map(() => 0);
    for await (const batch of recording.seriesBatches(paths)) {
      for (const [i, { time }] of batch.entries()) rows[i]! += time.length;
    }
    const [one] = await recording.series(paths.slice(0, 1));
    expect(rows[0]).toBe(one!.time.length);
    expect(Math.min(...rows)).toBeGreaterThan(0);
    // the texts of a piece are given back with it
    const kinds = paths.filter((path) => "column" in path && path.column === "kind");
    for await (const batch of recording.seriesBatches(kinds, { rows: 100 })) {
      for (const { texts } of batch) expect(texts!.length).toBeLessThan(3);
    }
  });

  test("is refused when it says nothing, or two things", async () => {
    await using recording = await openTown(3);
    const path: SeriesPath = { value: "frame", keys: [] };
    const refused = async (options: SeriesOptions, error: new (message: string) => Error): Promise<void> => {
      await expect(recording.series([path], options)).rejects.toBeInstanceOf(error);
    };
    await refused({ every: 1e9, points: 3 }, TypeError);
    await refused({ mode: "minmax" }, TypeError);
    await refused({ mode: "sample" }, TypeError);
    await refused({ every: 0 }, RangeError);
    await refused({ points: 1.5 }, RangeError);
    await refused({ start: Number.NaN }, RangeError);
    await expect(recording.paths({ at: 1, start: 0 })).rejects.toBeInstanceOf(TypeError);
    await expect(recording.states({ every: -1 }).next()).rejects.toBeInstanceOf(RangeError);
    expect(await recording.series([])).toEqual([]);
    expect((await recording.series([path], { start: 5, end: 5 }))[0]!.time.length).toBe(0);
  });

  test("is not there when the recording is closed", async () => {
    const recording = await openTown(3);
    await recording.close();
    const closed = { code: "closed" };
    await expect(recording.series(["frame"])).rejects.toMatchObject(closed);
    await expect(recording.paths()).rejects.toMatchObject(closed);
    await expect(recording.states().next()).rejects.toMatchObject(closed);
    await expect(recording.seriesBatches(["frame"]).next()).rejects.toMatchObject(closed);
  });

  test("waits for the listener to its progress", async () => {
    await using recording = await openTown(1500);
    const seen: number[] = [];
    let isWaiting = false;
    await recording.series(["frame"], {
      onProgress: async (done, total) => {
        expect(isWaiting).toBe(false);
        isWaiting = true;
        await new Promise((resolve) => setTimeout(resolve, 1));
        isWaiting = false;
        expect(done).toBeLessThanOrEqual(total);
        seen.push(done);
      },
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test("is the same again from checkpoints that a pass has laid", async () => {
    await using recording = await openTown(6000);
    const { reader } = recording;
    // a checkpoint behind each chunk
    const source = { reader, fold: new Fold(reader, 4 << 10), traits: () => recording.traits() };
    const { end } = await recording.timeline();
    const path: SeriesPath = { set: "vehicles", id: 24, column: "position", item: 0 };
    const [all] = (await seriesOf(source, [path], {})) as [Series];
    const narrowed = source.fold.narrowed(scopeOf(reader, [path], [all.text]));
    expect(narrowed.checkpoint(0, 0.6 * end)).not.toBeNull();
    for (const part of [0.1, 0.5, 0.93]) {
      const start = Math.floor(part * end);
      const [series] = (await seriesOf(source, [path], { start })) as [Series];
      const first = all.time.findIndex((time) => time >= start);
      expect(series.time).toEqual(all.time.slice(first));
      expect(series.value).toEqual(all.value.slice(first));
    }
  });
});
