import { expect, test } from "vitest";
import type { Session } from "../../src/session.ts";
import { Activity } from "../../src/timeline/activity.ts";
import { drawGround, drawPlayhead, GUTTER, MARGIN, type Scene } from "../../src/timeline/draw.ts";

const untouchable = new Proxy({} as CanvasRenderingContext2D, {
  get: (_, name) => expect.fail(`${String(name)} was asked for`),
  set: (_, name) => expect.fail(`${String(name)} was set`),
});

test.each([0, 1, GUTTER, GUTTER + MARGIN])("nothing is drawn on a width of %i, where no plot fits", (width) => {
  const all = { start: 0, end: 1e9 };
  const session = { query: () => new Promise(() => undefined) } as unknown as Session;
  const opened = { info: {}, timeline: all, channels: [{ id: 0, name: "pose" }] };
  const activity = new Activity(session, opened as never, false, () => undefined);
  activity.whole = { window: all, columns: 4, counts: Uint32Array.of(1, 2, 3, 4) };
  const lanes = [{ kind: "channel", name: "pose", channel: 0 }] as const;
  const palette = { text: "", faint: "", line: "", surface: "", accent: "", warning: "" };
  const scene: Scene = { width, height: 80, all, window: all, activity, lanes, scroll: 0, palette };
  drawGround(untouchable, scene);
  drawPlayhead(untouchable, scene, 5e8, all);
});
