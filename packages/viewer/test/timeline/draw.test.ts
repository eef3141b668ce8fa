import { expect, test, vi } from "vitest";
import type { Session } from "../../src/session.ts";
import { timeScale } from "../../src/clock.ts";
import { Activity } from "../../src/timeline/activity.ts";
import { drawGround, drawPlayhead, type Scene } from "../../src/timeline/draw.ts";
import { GUTTER, MARGIN } from "../../src/timeline/measures.ts";

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
  activity.whole = { window: all, columns: 4, counts: Uint32Array.of(1, 2, 3, 4) };
  const lanes = [{ kind: "channel", name: "pose", channel: 0 }] as const;
  const palette = { text: "", faint: "", line: "", surface: "", accent: "", warning: "", damage: "" };
  const scene: Scene = { width, height: 80, all, window: all, activity, lanes, scroll: 0, palette, scale };
  drawGround(untouchable, scene);
  drawPlayhead(untouchable, scene, 5e8, all);
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
  const activity = { whole: { window: all, columns, counts }, part: null, spread: null, note: null, damage } as never;
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
