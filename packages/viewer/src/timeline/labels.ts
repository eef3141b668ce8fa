import { textOf } from "../events/event-list.ts";
import type { Lane } from "./lanes.ts";
import { GUTTER, LANE } from "./measures.ts";
import { pixelOf, type Window } from "./window.ts";

/** Pixels between a mark and its label, and the least that a label has. */
const GAP = 8;
const LEAST = 40;

/** Beside each mark what happened, where that fits before the next one. */
export function drawLabels(
  context: CanvasRenderingContext2D,
  { marks }: Extract<Lane, { kind: "marks" }>,
  window: Window,
  plot: number,
  top: number,
  color: string,
): void {
  context.fillStyle = color;
  context.textAlign = "left";
  let end = plot;
  for (let i = marks.length - 1; i >= 0; i--) {
    const { time, kind, label } = marks[i]!;
    const x = pixelOf(time, window, plot);
    if (x > plot || end - x < 1) continue;
    if (x < 0) break;
    const room = end - x - 2 * GAP;
    end = x;
    const text = textOf({ kind, text: label });
    if (room >= LEAST && text !== "" && context.measureText(text).width <= room)
      context.fillText(text, GUTTER + x + GAP, top + LANE / 2);
  }
}
