import type { Damage } from "../protocol.ts";
import { pixelOf, type Window } from "./window.ts";

/** Pixels: so wide is the shortest. */
const LEAST = 3;

/** Pixels `[from, to)` of a part that is damaged or lost, never narrower than can be seen; null: outside of the window. */
export function damagePixels({ start, end }: Damage, window: Window, plot: number): readonly [number, number] | null {
  const from = pixelOf(start, window, plot);
  const to = Math.max(from + LEAST, pixelOf(end, window, plot));
  return to <= 0 || from >= plot ? null : [Math.max(0, Math.min(from, plot - LEAST)), Math.min(plot, to)];
}

/** What is damaged at a pixel; null: nothing is. */
export function damageAt(damage: readonly Damage[], x: number, window: Window, plot: number): Damage | null {
  return (
    damage.find((part) => {
      const pixels = damagePixels(part, window, plot);
      return pixels !== null && pixels[0] - 1 <= x && x <= pixels[1] + 1;
    }) ?? null
  );
}

/** Bands over the height `[top, bottom)`, from `left` on. */
export function drawDamage(
  context: CanvasRenderingContext2D,
  damage: readonly Damage[],
  window: Window,
  plot: number,
  [left, top, bottom]: readonly [left: number, top: number, bottom: number],
  color: string,
): void {
  context.fillStyle = color;
  for (const part of damage) {
    const pixels = damagePixels(part, window, plot);
    if (pixels === null) continue;
    const [from, to] = pixels;
    context.globalAlpha = 0.22;
    context.fillRect(left + from, top, to - from, bottom - top);
    context.globalAlpha = 0.9;
    context.fillRect(left + from, top, to - from, 3);
  }
  context.globalAlpha = 1;
}
