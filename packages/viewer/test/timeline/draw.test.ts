import { expect, test, vi } from "vitest";
import type { Session } from "../../src/session.ts";
import { timeScale } from "../../src/clock.ts";
import { Activity } from "../../src/timeline/activity.ts";
import { drawGround, drawPlayhead, type Scene } from "../../src/timeline/draw.ts";
import { GUTTER, MARGIN, OVERVIEW, RULER } from "../../src/timeline/measures.ts";

const scale = timeScale({ start: 0, end: 1e9, epoch: null, tick: null }, "start");

const untouchable = new Proxy({} as CanvasRenderingContext2D, {
  get: (_, name) => expect.fail(`${String(name)} was asked for`),
  set: (_, name) => expect.fail(`${String(name)} was set`),
});

test.each([0, 1, GUTTER, GUTTER + MARGIN])("nothing is drawn on a width of %i, where no plot fits", (width) => {
  const all = { start: 0, end: 1e9 };
  const session = { query: () => new Promise(() => undefined) } as unknown as Session;
  const opened = { info: {}, timeline: all, channels: [{ id: 0, name: "pose" }] };
  const activity = new Activity(session, opened as never, { kind: "files", name: "", files: [] }, () => undefined);
  activity.whole = { window: all, columns: 4, counts: Uint32Array.of(1, 2, 3, 4), reached: 1e9 };
  const lanes = [{ kind: "channel", name: "pose", channel: 0 }] as const;
  const palette = { text: "", faint: "", line: "", surface: "", accent: "", warning: "", damage: "" };
  const scene: Scene = { width, height: 80, all, window: all, activity, lanes, scroll: 0, palette, scale };
  drawGround(untouchable, scene);
  drawPlayhead(untouchable, scene, 5e8, all);
});

test("the playhead covers none of the times", () => {
  const all = { start: 0, end: 1e9 };
  const covered: (readonly [from: number, to: number])[] = [];
  const context = new Proxy({} as CanvasRenderingContext2D, {
    set: () => true,
    get:
      (_, name) =>
      (...[, y, , tall]: [number, number, number, number]) => {
        if (name === "fillRect") covered.push([y, y + tall]);
        if (name === "moveTo" || name === "lineTo") covered.push([y, y]);
      },
  });
  drawPlayhead(context, { width: 900, height: 80, all, window: all, palette: {} as never }, 5e8, null);
  expect(covered.length).toBeGreaterThan(4);
  // letters of 11 pixels about the middle of the ruler
  const [top, bottom] = [OVERVIEW + RULER / 2 - 5, OVERVIEW + RULER / 2 + 4];
  for (const [from, to] of covered) expect(to <= top || from >= bottom).toBe(true);
});

/** Counts what is drawn, and takes anything else. */
function countingContext(counted: { drawn: number }): CanvasRenderingContext2D {
  const noted = new Set(["fillRect", "rect", "strokeRect", "lineTo", "fillText", "drawImage", "putImageData"]);
  const image = (width: number, height: number): unknown => ({ data: new Uint8Array(4 * width * height) });
  return new Proxy({} as CanvasRenderingContext2D, {
    set: () => true,
    get: (_, name) => {
      if (name === "createImageData") return image;
      if (name === "measureText") return () => ({ width: 30 });
      return () => {
        if (noted.has(String(name))) counted.drawn++;
      };
    },
  });
}

test("what is drawn of a million messages and events is bounded by pixels, at every zoom", () => {
  vi.stubGlobal(
    "OffscreenCanvas",
    class {
      getContext = (): unknown => countingContext({ drawn: 0 });
    },
  );
  const [width, height, channels, columns] = [1280, 300, 12, 2048];
  const all = { start: 0, end: 3.6e12 };
  const marks = Array.from({ length: 1_000_000 }, (_, i) => ({ time: i * 3.6e6, kind: "chat", label: "hello" }));
  const counts = new Uint32Array(channels * columns).fill(1_000_000 / channels / columns);
  const damage = Array.from({ length: 1000 }, (_, i) => ({ start: i * 3.6e9, end: i * 3.6e9 + 1, message: "" }));
  const whole = { window: all, columns, counts, reached: all.end };
  const activity = { whole, part: null, spread: null, note: null, damage, reached: all.end } as never;
  const lanes = [
    { kind: "marks", name: "chat", marks },
    ...Array.from({ length: channels }, (_, channel) => ({ kind: "channel", name: `${channel}`, channel }) as const),
  ] as const;
  const palette = { text: "", faint: "", line: "", surface: "", accent: "", warning: "", damage: "" };
  for (const part of [1, 0.3, 0.01, 1e-6]) {
    const window = { start: 1.8e12, end: 1.8e12 + 1.8e12 * part };
    const counted = { drawn: 0 };
    drawGround(countingContext(counted), { width, height, all, window, activity, lanes, scroll: 0, palette, scale });
    expect(counted.drawn).toBeGreaterThan(lanes.length);
    expect(counted.drawn).toBeLessThan((width - GUTTER - MARGIN) * (lanes.length + 2));
  }
  vi.unstubAllGlobals();
});

test("what was read in part is shown as far as it goes, and the rest as not read", async () => {
  const all = { start: 0, end: 100 };
  const plot = 100;
  const rows: Uint8ClampedArray[] = [];
  vi.stubGlobal(
    "OffscreenCanvas",
    class {
      getContext = (): unknown => ({
        createImageData: (width: number, height: number) => ({ data: new Uint8ClampedArray(4 * width * height) }),
        putImageData: ({ data }: { data: Uint8ClampedArray }) => rows.push(data),
      });
    },
  );
  const reported = new Map<string, (progress: { done: number; partial: unknown }) => void>();
  const fail = new Map<string, (error: Error) => void>();
  const query = (name: string, _: unknown, { onProgress }: { onProgress?: never } = {}): Promise<unknown> => {
    if (name === "spread") return Promise.resolve(null);
    if (onProgress !== undefined) reported.set(name, onProgress);
    return new Promise((_resolve, reject) => fail.set(name, reject));
  };
  const opened = { info: {}, timeline: all, channels: [{ id: 0, name: "pose" }] };
  const place = { kind: "files", name: "", files: [] } as const;
  const activity = new Activity({ query } as never, opened as never, place, () => undefined);
  const columns = 2048;
  expect(activity.reached).toBe(0);
  reported.get("marks")!({ done: 100, partial: { marks: [], isThinned: false, lists: [] } });
  reported.get("density")!({ done: 76, partial: new Uint32Array(columns).fill(1) });
  expect(activity.reached).toBe(76);
  fail.get("density")!(new Error("the server is gone"));
  await Promise.resolve();
  expect(activity.reached).toBe(76);
  const palette = { text: "", faint: "", line: "", surface: "", accent: "", warning: "", damage: "" };
  const lanes = [{ kind: "channel", name: "pose", channel: 0 }] as const;
  const drawn: unknown[][] = [];
  const context = new Proxy({} as CanvasRenderingContext2D, {
    set: () => true,
    get: (_, name) => {
      if (name === "measureText") return () => ({ width: 8 });
      return (...words: unknown[]) => void drawn.push([name, ...words]);
    },
  });
  const draw = (): readonly number[] => {
    const width = plot + GUTTER + MARGIN;
    drawGround(context, { width, height: 80, all, window: all, activity, lanes, scroll: 0, palette, scale });
    const row = rows.at(-1)!;
    return Array.from({ length: plot }, (_, x) => (row[4 * x + 3]! > 0 ? 1 : 0));
  };
  const expected = Array.from({ length: plot }, (_, x) => (x < 76 ? 1 : 0));
  expect(draw()).toEqual(expected);
  expect(drawn.find(([name]) => name === "fillText")).toBeDefined();
  expect(drawn.filter(([, text]) => text === "not read yet").length).toBe(1);
  // Finer counts of which only some are there take nothing away from the coarse ones.
  activity.part = { window: all, columns, counts: new Uint32Array(columns).fill(2), reached: 10 };
  expect(draw()).toEqual(expected);
  activity.close();
  vi.unstubAllGlobals();
});
