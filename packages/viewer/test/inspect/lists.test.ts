import { readFileSync } from "node:fs";
import fc from "fast-check";
import { filesBundle, open, type State } from "simtape";
import { describe, expect, test } from "vitest";
import { density } from "../../src/engine/density.ts";
import { Engine } from "../../src/engine/engine.ts";
import { messages } from "../../src/engine/messages.ts";
import { MessageIndex } from "../../src/inspect/message-index.ts";
import { MessageRun } from "../../src/inspect/message-run.ts";
import { StateTree, type TreeRow } from "../../src/inspect/tree.ts";
import type { Ask } from "../../src/protocol.ts";
import { heightOf, scrollTo, windowAt } from "../../src/inspect/virtual.ts";
import { example } from "../support/viewer.ts";

const { signal } = new AbortController();
const ignore = (): void => undefined;

describe("a list of which only a window exists", () => {
  const shapes = fc.record({
    count: fc.integer({ min: 1, max: 20_000_000 }),
    row: fc.constant(22),
    viewport: fc.integer({ min: 40, max: 900 }),
  });

  test("shows every row somewhere, the first at the top and the last at the bottom", () => {
    fc.assert(
      fc.property(shapes, fc.double({ min: 0, max: 1, noNaN: true }), (shape, part) => {
        const most = Math.max(0, heightOf(shape) - shape.viewport);
        expect(windowAt(0, shape).first).toBe(0);
        expect(windowAt(most, shape).last).toBe(shape.count);
        const index = Math.floor(part * (shape.count - 1));
        const { first, last } = windowAt(scrollTo(index, part * most, shape), shape);
        expect(index).toBeGreaterThanOrEqual(first);
        expect(index).toBeLessThan(last);
        expect(last - first).toBeLessThanOrEqual(shape.viewport / shape.row + 3);
      }),
    );
  });
});

describe("a table of messages", () => {
  async function engineWith(name: string): Promise<{ engine: Engine; recording: number; start: number; end: number }> {
    const file = new File([new Uint8Array(readFileSync(example(name)))], name);
    const engine = new Engine();
    const { recording, timeline } = await engine.open({ kind: "files", name, files: [file] }, signal, ignore);
    return { engine, recording, start: timeline.start, end: timeline.end + 1 };
  }

  test.each(["town.log", "race.hcrp", "patrol.tape"])("finds the nth message of %s, by channel too", async (name) => {
    const { engine, recording, start, end } = await engineWith(name);
    const columns = 37;
    const counts = await density(engine, { recording, start, end, columns }, signal, ignore);
    const all = { recording, reverse: false, text: "", preview: false };
    for (const channels of [null, [0], [1, 2]]) {
      const index = new MessageIndex(counts, { start, end, columns }, channels);
      const rows = await messages(engine, { ...all, channels, limit: 1e6 }, signal, ignore);
      expect(index.count).toBe(rows.time.length);
      for (const part of [0, 0.13, 0.5, 0.77, 0.999]) {
        const row = Math.floor(part * index.count);
        const place = index.locate(row);
        const some = await messages(engine, { ...all, ...place, channels, limit: 3 }, signal, ignore);
        expect([...some.sequence]).toEqual([...rows.sequence.subarray(row, row + 3)]);
        expect(index.rowAt(rows.time[row]!)).toBeLessThanOrEqual(row);
      }
    }
  });

  test.each(["town.log", "race.hcrp"])("of %s can be read from any moment on, and what was before", async (name) => {
    const { engine, recording, start, end } = await engineWith(name);
    const session = { query: (_: string, ask: Ask<"messages">) => messages(engine, ask, signal, ignore) };
    const timeline = { start, end, epoch: null, tick: null };
    for (const channels of [null, [1, 2]]) {
      const ask = { recording, reverse: false, text: "", preview: false, channels, limit: 1e6 };
      const { sequence } = await messages(engine, ask, signal, ignore);
      const changed = { call: (): void => undefined };
      const run = new MessageRun(session as never, { recording, timeline }, channels, (start + end) / 3, () =>
        changed.call(),
      );
      const reported = (): number[] => Array.from({ length: run.count }, (_, i) => run.row(i)!.sequence);
      const isAll = new Promise<void>((resolve) => {
        changed.call = () => (run.hasLast || run.count > 600 ? resolve() : run.see(0, run.count));
      });
      run.see(0, 0);
      await isAll;
      const before = run.count;
      const first = sequence.indexOf(run.row(0)!.sequence);
      expect(first).toBeGreaterThan(0);
      changed.call = ignore;
      let earlier = 0;
      for (let i = 0; i < 4 && !run.hasFirst; i++) earlier += await run.earlier();
      expect(run.hasFirst).toBe(earlier === first);
      expect(run.count).toBe(before + earlier);
      expect(reported()).toEqual([...sequence.subarray(first - earlier, first + before)]);
    }
  });

  test("finds those in which a text occurs", async () => {
    const { engine, recording } = await engineWith("race.hcrp");
    const ask = { recording, reverse: false, text: "CHECKPOINT", preview: true, channels: null, limit: 4 };
    const { preview, isEnd } = await messages(engine, ask, signal, ignore);
    expect(preview.length).toBe(4);
    expect(isEnd).toBe(false);
    for (const line of preview) expect(line.toLowerCase()).toContain("checkpoint");
  });
});

describe("the state as a tree", () => {
  const treeRows = (state: State, open: ReadonlySet<string>, words: readonly string[]): readonly TreeRow[] =>
    new StateTree().rows(state, open, words);

  test("opens what was opened, and what a search finds", async () => {
    await using recording = await open(new Uint8Array(readFileSync(example("town.log"))));
    const state = await recording.state(1e9);
    const closed = treeRows(state, new Set(), []);
    expect(closed.every(({ depth }) => depth === 0)).toBe(true);
    const opened = treeRows(state, new Set(["vehicles", "vehicles/24"]), []);
    const row = opened.find(({ key }) => key === "vehicles/24/position")!;
    const { data } = state.sets.get("vehicles")!.columns.get("position")!;
    expect(row.unit).toBe("cm");
    expect(row.text().split(", ").length).toBe(3);
    expect(Number(row.text().split(", ")[0])).toBeCloseTo(data[0] as number, 1);
    expect(row.paths().map((path) => "item" in path && path.item)).toEqual([0, 1, 2]);
    const found = treeRows(state, new Set(), ["vehicles", "steer"]);
    expect(found.map(({ name }) => name)).toContain("steering");
    expect(found.every(({ key, isOpen }) => isOpen === true || key.includes("steer"))).toBe(true);
    expect(treeRows(state, new Set(), ["no such thing"])).toEqual([]);
  });

  const EXAMPLES = ["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"];

  test.each(EXAMPLES)("kept from moment to moment says of %s what a new one says", async (name) => {
    await using recording = await open(filesBundle(new Map([[name, new Uint8Array(readFileSync(example(name)))]])));
    const { start, end } = await recording.timeline();
    const all = await recording.state((start + end) / 2);
    const reported = (rows: readonly TreeRow[]): unknown =>
      rows.map(({ key, depth, isOpen, unit, text, paths }) => [key, depth, isOpen, unit, text(), paths()]);
    const opened = new Set(keysOf(all));
    const kept = new StateTree();
    for (const part of [0, 0.1, 0.5, 0.501, 0.502, 0.9, 1]) {
      const state = await recording.state(start + part * (end - start), { interpolate: true });
      expect(reported(kept.rows(state, opened, []))).toEqual(reported(treeRows(state, opened, [])));
    }
  });

  test("is not made again while the same things are there", () => {
    const stateAt = (time: number, ids: number[], robot: unknown): State => {
      const data = Float64Array.from(ids, (id) => id + time);
      const columns = new Map([["height", { kind: "f64", width: 1, unit: "m", data }]]);
      const sets = new Map([["players", { ids, columns, axes: null }]]);
      return { time, sets, values: new Map([["robot", robot]]) } as unknown as State;
    };
    const ids = Array.from({ length: 1000 }, (_, id) => id);
    const tree = new StateTree();
    const opened = new Set(["players", "players/999", "=robot"]);
    const first = tree.rows(stateAt(0, ids, { pose: [1, 2] }), opened, []);
    const second = tree.rows(stateAt(5, [...ids], { pose: [3, 4] }), opened, []);
    expect(second).toBe(first);
    expect(second.find(({ key }) => key === "players/999/height")!.text()).toBe("1004");
    expect(second.find(({ key }) => key === "=robot.pose")!.text()).toContain("3");
    const third = tree.rows(stateAt(5, ids.slice(1), { pose: [3, 4] }), opened, []);
    expect(third.length).toBe(first.length - 1);
    const fourth = tree.rows(stateAt(5, ids.slice(1), { pose: 3 }), opened, []);
    expect(fourth.find(({ key }) => key === "=robot.pose")).toMatchObject({ isOpen: null });
  });

  test("counts one thing as one", () => {
    const setOf = (...ids: number[]) => ({ ids, columns: new Map() });
    const state = {
      values: new Map([["clock/hour", 12]]),
      sets: new Map([
        ["robots", setOf(1)],
        ["people", setOf(1, 2)],
      ]),
    } as unknown as State;
    expect(treeRows(state, new Set(), []).map(({ text }) => text())).toEqual(["1 thing", "2 things", "1 value"]);
  });
});

/** Keys of the rows that can be opened: all sets, of each the first thing, and all values. */
function keysOf({ sets, values }: State): string[] {
  const things = [...sets].flatMap(([set, { ids }]) => [set, `${set}/${ids[0]}`]);
  return [...things, ...[...values.keys()].map((name) => `=${name.replace(/^\//, "")}`)];
}
