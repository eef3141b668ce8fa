import { readFileSync } from "node:fs";
import fc from "fast-check";
import { open, type State } from "simtape";
import { describe, expect, test } from "vitest";
import { density } from "../../src/engine/density.ts";
import { Engine } from "../../src/engine/engine.ts";
import { messages } from "../../src/engine/messages.ts";
import { MessageIndex } from "../../src/inspect/message-index.ts";
import { treeRows } from "../../src/inspect/tree.ts";
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
