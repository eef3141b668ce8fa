import type { Lane } from "./lanes.ts";
import { GUTTER, LANE } from "./measures.ts";
import { pixelOf, type Window } from "./window.ts";

/** A bar for each part, as high as it is beside the greatest. */
export function drawCurve(
  context: CanvasRenderingContext2D,
  { window: of, values }: Extract<Lane, { kind: "curve" }>,
  window: Window,
  plot: number,
  top: number,
  color: string,
): void {
  const most = values.reduce((max, value) => (Number.isFinite(value) ? Math.max(max, value) : max), 0);
  const each = (of.end - of.start) / Math.max(1, values.length);
  const height = LANE - 4;
  context.fillStyle = color;
  for (const [i, value] of values.entries()) {
    if (!(value > 0)) continue;
    const from = Math.max(0, pixelOf(of.start + i * each, window, plot));
    const to = Math.min(plot, pixelOf(of.start + (i + 1) * each, window, plot));
    const tall = most > 0 && Number.isFinite(value) ? Math.max(1, (height * value) / most) : height;
    if (to > from) context.fillRect(GUTTER + from, top + LANE - 2 - tall, to - from, tall);
  }
}
