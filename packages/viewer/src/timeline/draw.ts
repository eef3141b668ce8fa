import type { TimeRange } from "simtape";
import type { Mark } from "../protocol.ts";
import type { TimeScale } from "../clock.ts";
import type { Activity, Counts } from "./activity.ts";
import { drawDamage } from "./damage.ts";
import { drawLabels } from "./labels.ts";
import { shortened } from "./shortened.ts";
import type { Lane } from "./lanes.ts";
import { GUTTER, LANE, MARGIN, OVERVIEW, RULER } from "./measures.ts";
import { drawCurve } from "./curve.ts";
import { drawSpans } from "./spans.ts";
import { isMoment, pixelOf, rulerOf, type Window } from "./window.ts";

/** Colours out of the style sheet, read again when the scheme changes. */
export interface Palette {
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly surface: string;
  readonly accent: string;
  readonly warning: string;
  readonly damage: string;
}

export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly all: Window;
  readonly window: Window;
  readonly activity: Activity;
  readonly lanes: readonly Lane[];
  /** Pixels that the lanes are scrolled up by. */
  readonly scroll: number;
  readonly palette: Palette;
  readonly scale: TimeScale;
}

export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const probe = document.createElement("span");
  element.append(probe);
  const color = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const palette = {
    text: color("--text"),
    faint: color("--faint"),
    line: color("--line"),
    surface: color("--surface"),
    accent: color("--accent"),
    warning: color("--warning"),
    damage: color("--damage"),
  };
  probe.remove();
  return { ...palette, text: palette.text || style.color };
}

/** What changes only when it is zoomed, scrolled, resized, or more was counted. Nothing, before it is laid out. */
export function drawGround(context: CanvasRenderingContext2D, scene: Scene): void {
  const { width, height, all, window, lanes, palette, activity, scroll } = scene;
  const plot = width - GUTTER - MARGIN;
  if (plot <= 0) return;
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  drawOverview(context, scene, plot);
  drawRuler(context, scene, plot);
  context.save();
  context.beginPath();
  context.rect(0, OVERVIEW + RULER, width, height);
  context.clip();
  const density = densityImage(scene, plot);
  context.imageSmoothingEnabled = false;
  for (const [i, lane] of lanes.entries()) {
    const top = OVERVIEW + RULER + i * LANE - scroll;
    if (top + LANE < OVERVIEW + RULER || top > height) continue;
    context.fillStyle = palette.faint;
    context.textAlign = "right";
    context.fillText(shortened(context, lane.name), GUTTER - 8, top + LANE / 2);
    context.fillStyle = palette.line;
    context.globalAlpha = 0.5;
    context.fillRect(GUTTER, top + LANE - 1, plot, 1);
    context.globalAlpha = 1;
    if (lane.kind === "channel" || lane.kind === "all")
      context.drawImage(density, 0, i, plot, 1, GUTTER, top + 2, plot, LANE - 5);
    else if (lane.kind === "marks") {
      drawMarks(context, lane.marks, window, plot, top, palette.warning);
      drawLabels(context, lane, window, plot, top, palette.faint);
    } else if (lane.kind === "curve") drawCurve(context, lane, window, plot, top, palette.warning);
    else if (lane.kind === "spans") drawSpans(context, lane.spans, window, plot, top, palette.accent);
    else drawGhost(context, lane.window, window, plot, top, palette.accent);
  }
  drawUnread(context, scene, plot);
  context.restore();
  drawDamage(context, activity.damage, all, plot, [GUTTER, 0, OVERVIEW], palette.damage);
  drawDamage(context, activity.damage, window, plot, [GUTTER, OVERVIEW + RULER, height], palette.damage);
  if (activity.note !== null) {
    context.fillStyle = palette.faint;
    context.textAlign = "left";
    context.fillText(activity.note, GUTTER + 8, OVERVIEW / 2, plot - 16);
  }
  const from = GUTTER + pixelOf(window.start, all, plot);
  const to = GUTTER + pixelOf(window.end, all, plot);
  context.strokeStyle = palette.accent;
  context.lineWidth = 1;
  context.strokeRect(from + 0.5, 0.5, Math.max(3, to - from - 1), OVERVIEW - 2);
}

/** What changes with every frame: where it plays, and the loop. Nothing, before it is laid out. */
export function drawPlayhead(
  context: CanvasRenderingContext2D,
  { width, height, window, all, palette }: Pick<Scene, "width" | "height" | "window" | "all" | "palette">,
  time: number,
  loop: TimeRange | null,
): void {
  const plot = width - GUTTER - MARGIN;
  if (plot <= 0) return;
  context.clearRect(0, 0, width, height);
  if (loop !== null) {
    context.fillStyle = palette.accent;
    for (const [of, top, bottom] of [
      [all, 0, OVERVIEW],
      [window, OVERVIEW, height],
    ] as const) {
      const from = Math.max(0, pixelOf(loop.start ?? all.start, of, plot));
      const to = Math.min(plot, pixelOf(loop.end ?? all.end, of, plot));
      if (to <= 0 || from >= plot) continue;
      context.globalAlpha = 0.14;
      context.fillRect(GUTTER + from, top, to - from, bottom - top);
      context.globalAlpha = 0.8;
      context.fillRect(GUTTER + from, top, 1, bottom - top);
      context.fillRect(GUTTER + to - 1, top, 1, bottom - top);
    }
    context.globalAlpha = 1;
  }
  context.fillStyle = palette.accent;
  context.fillRect(GUTTER + pixelOf(time, all, plot) - 1, 0, 2, OVERVIEW);
  const x = pixelOf(time, window, plot);
  if (x < 0 || x > plot) return;
  // below the times, which stay readable
  const top = OVERVIEW + RULER - 4;
  context.fillRect(GUTTER + x - 0.75, top, 1.5, height);
  context.beginPath();
  context.moveTo(GUTTER + x - 5, top);
  context.lineTo(GUTTER + x + 5, top);
  context.lineTo(GUTTER + x, top + 8);
  context.fill();
}

/** Says of the part of the lanes that is not read yet, or could not be, that it is so: empty it would show that nothing is there. */
function drawUnread(
  context: CanvasRenderingContext2D,
  { activity: { reached }, all, window, height, lanes, palette }: Scene,
  plot: number,
): void {
  const from = Math.max(0, pixelOf(reached, window, plot));
  if (reached >= all.end || from >= plot || lanes.length === 0) return;
  const top = OVERVIEW + RULER;
  context.fillStyle = palette.line;
  context.globalAlpha = 0.4;
  context.fillRect(GUTTER + from, top, plot - from, height - top);
  context.globalAlpha = 1;
  const text = "not read yet";
  if (context.measureText(text).width + 16 > plot - from) return;
  context.fillStyle = palette.faint;
  context.textAlign = "center";
  context.fillText(text, GUTTER + (from + plot) / 2, top + LANE / 2);
}

function drawOverview(context: CanvasRenderingContext2D, { activity, palette }: Scene, plot: number): void {
  context.fillStyle = palette.line;
  context.fillRect(GUTTER, OVERVIEW - 1, plot, 1);
  const sums = totalsOf(activity);
  if (sums === null) return;
  const top = sums.reduce((most, sum) => Math.max(most, sum), 1);
  const perPixel = sums.length / plot;
  const pixels = new Float64Array(plot);
  for (let x = 0; x < plot; x++) {
    for (let i = Math.floor(x * perPixel); i < (x + 1) * perPixel && i < sums.length; i++)
      pixels[x] = Math.max(pixels[x]!, sums[i]!);
  }
  context.beginPath();
  for (let x = 0; x < plot; x++) {
    const tall = (OVERVIEW - 4) * Math.sqrt(closed(pixels, x) / top);
    if (tall > 0) context.rect(GUTTER + x, OVERVIEW - 1 - tall, 1, tall);
  }
  context.fillStyle = palette.faint;
  context.globalAlpha = 0.55;
  context.fill();
  context.globalAlpha = 1;
}

/** By column of the whole recording: messages, or as long as they are not counted bytes; null: nothing is known. */
function totalsOf({ whole, spread }: Activity): Float64Array | null {
  if (whole === null) return spread;
  const isPart = whole.reached < whole.window.end && spread !== null;
  return isPart ? spread : Float64Array.from(allOf(whole).counts);
}

function drawRuler(
  context: CanvasRenderingContext2D,
  { all, window, palette, height, scale }: Scene,
  plot: number,
): void {
  context.textAlign = "left";
  if (isMoment(all)) {
    context.fillStyle = palette.faint;
    context.fillText(`one moment, ${scale.text(all.start)}`, GUTTER + 4, OVERVIEW + RULER / 2);
    return;
  }
  const { times, digits } = rulerOf(window, plot, 84, scale);
  for (const time of times) {
    const x = GUTTER + pixelOf(time, window, plot);
    context.fillStyle = palette.line;
    context.fillRect(x, OVERVIEW, 1, height);
    context.fillStyle = palette.faint;
    if (x + 30 < GUTTER + plot) context.fillText(scale.text(time, digits), x + 4, OVERVIEW + RULER / 2);
  }
}

/**
 * How busy each lane is, a row of pixels for each: one picture costs the same for ten messages and for a million. The
 * finer counts where there are some for this window, else the coarse ones, stretched.
 */
function densityImage(scene: Scene, plot: number): OffscreenCanvas {
  const { activity, lanes, window } = scene;
  const canvas = new OffscreenCanvas(plot, Math.max(1, lanes.length));
  const { whole, part } = activity;
  const isFine = part !== null && part.window.start <= window.start && part.window.end >= window.end;
  const known = [isFine ? part : null, whole].filter((counts) => counts !== null);
  if (lanes.length === 0) return canvas;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(plot, lanes.length);
  const perPixel = (window.end - window.start) / plot;
  const pixels = new Float32Array(plot);
  for (const [row, lane] of lanes.entries()) {
    if (lane.kind !== "channel" && lane.kind !== "all") continue;
    const spread = lane.kind === "all" ? spreadOf(scene) : null;
    pixels.fill(0);
    let x = 0;
    // Each as far as it goes.
    for (const from of spread === null ? known : [...known, spread]) {
      const levels = lane.kind === "channel" ? levelsOf(from, lane.channel) : levelsOf(allOf(from), 0);
      const perColumn = (from.window.end - from.window.start) / from.columns;
      for (; x < plot && window.start + x * perPixel < from.reached; x++) {
        const time = window.start + x * perPixel - from.window.start;
        // Columns that fit the pixels exactly must not be missed by rounding.
        const first = Math.max(0, Math.floor(time / perColumn + 1e-6));
        const last = Math.min(from.columns, Math.ceil((time + perPixel) / perColumn - 1e-6));
        for (let i = first; i < last; i++) pixels[x] = Math.max(pixels[x]!, levels[i]!);
      }
    }
    const color = lane.kind === "all" ? GREY : colorOf(lane.name);
    for (let x = 0; x < plot; x++) {
      const at = 4 * (row * plot + x);
      image.data.set(color, at);
      image.data[at + 3] = 255 * closed(pixels, x);
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** What a pixel shows: between two messages a pixel apart is no gap worth seeing. */
function closed(pixels: Float32Array | Float64Array, x: number): number {
  return pixels[x]! || Math.min(pixels[x - 1] ?? 0, pixels[x + 1] ?? 0);
}

/** Bytes of all channels, as if they were messages of one. */
function spreadOf({ activity: { spread }, all }: Scene): Counts | null {
  return spread === null ? null : { window: all, columns: spread.length, counts: spread, reached: all.end };
}

/** All channels as one. */
function allOf({ window, columns, counts, reached }: Counts): Counts {
  const sums = new Float64Array(columns);
  for (let i = 0; i < counts.length; i++) sums[i % columns]! += counts[i]!;
  return { window, columns, counts: sums, reached };
}

/** How strong each column is, 0 for nothing; in steps, so that few colours are set. */
function levelsOf({ counts, columns }: Counts, channel: number): Float32Array {
  const from = channel * columns;
  let most = 1;
  for (let i = 0; i < columns; i++) most = Math.max(most, counts[from + i]!);
  const scale = 1 / Math.log1p(most);
  const levels = new Float32Array(columns);
  for (let i = 0; i < columns; i++) {
    const count = counts[from + i]!;
    if (count > 0) levels[i] = 0.25 + Math.round(6 * Math.log1p(count) * scale) / 8;
  }
  return levels;
}

function drawMarks(
  context: CanvasRenderingContext2D,
  marks: readonly Mark[],
  window: Window,
  plot: number,
  top: number,
  color: string,
): void {
  context.fillStyle = color;
  context.beginPath();
  let last = Number.NEGATIVE_INFINITY;
  for (const { time } of marks) {
    const x = Math.round(pixelOf(time, window, plot));
    // Where many are, one shows that something is there.
    if (x < -4 || x > plot + 4 || x - last < 2) continue;
    last = x;
    context.moveTo(GUTTER + x, top + 2);
    context.lineTo(GUTTER + x + 4, top + LANE / 2);
    context.lineTo(GUTTER + x, top + LANE - 2);
    context.lineTo(GUTTER + x - 4, top + LANE / 2);
    context.closePath();
  }
  context.fill();
}

function drawGhost(
  context: CanvasRenderingContext2D,
  ghost: Window,
  window: Window,
  plot: number,
  top: number,
  color: string,
): void {
  const from = Math.max(0, pixelOf(ghost.start, window, plot));
  const to = Math.min(plot, pixelOf(ghost.end, window, plot));
  if (to <= from) return;
  context.fillStyle = color;
  context.globalAlpha = 0.35;
  context.fillRect(GUTTER + from, top + 2, to - from, LANE - 5);
  context.globalAlpha = 1;
}

const GREY = [128, 138, 148] as const;

/** Red, green and blue: the same for the same name, spread over the circle of hues. */
function colorOf(name: string): readonly [number, number, number] {
  let hash = 7;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  const hue = (hash * 137.5) % 360;
  const part = (n: number): number => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (0.45 - 0.29 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}
