import type { LabelledSpan } from "./lanes.ts";
import { GUTTER, LANE } from "./measures.ts";
import { pixelOf, type Window } from "./window.ts";

/** Pixels: so wide is the shortest. */
const LEAST = 2;

/** A bar for each span; those that touch on the screen are one. */
export function drawSpans(
  context: CanvasRenderingContext2D,
  spans: readonly LabelledSpan[],
  window: Window,
  plot: number,
  top: number,
  color: string,
): void {
  context.fillStyle = color;
  context.globalAlpha = 0.8;
  let reached = 0;
  for (const span of spans) {
    const [from, to] = pixelsOf(span, window, plot);
    const left = Math.max(reached, from);
    const right = Math.min(plot, to);
    if (right <= left) continue;
    context.fillRect(GUTTER + left, top + 3, right - left, LANE - 7);
    reached = right;
  }
  context.globalAlpha = 1;
}

/** The span at a pixel, the shortest if there are several; null: there is none. */
export function spanUnder(
  spans: readonly LabelledSpan[],
  x: number,
  window: Window,
  plot: number,
): LabelledSpan | null {
  let best: LabelledSpan | null = null;
  for (const span of spans) {
    const [from, to] = pixelsOf(span, window, plot);
    if (x < from - 1 || x > to + 1) continue;
    if (best === null || span.until - span.from < best.until - best.from) best = span;
  }
  return best;
}

function pixelsOf({ from, until }: LabelledSpan, window: Window, plot: number): readonly [number, number] {
  const left = pixelOf(from, window, plot);
  return [left, Math.max(left + LEAST, pixelOf(until, window, plot))];
}
