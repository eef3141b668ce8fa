import { pathText, type Series } from "simtape";
import uPlot from "uplot";
import type { TimeScale } from "../clock.ts";
import type { PlotBox } from "../timeline/plot-box.ts";
import { rulerOf } from "../timeline/window.ts";

/** Also distinguished by people who see colours otherwise (Okabe and Ito's, darker and lighter). */
const COLORS = {
  light: ["#0072b2", "#d55e00", "#00805f", "#b0468a", "#8a6d00", "#3d6fd1", "#5b5b5b", "#9c2f2f"],
  dark: ["#56b4e9", "#ff9f45", "#2fd6a5", "#e58cc4", "#f0e442", "#8fb2ff", "#c4c4c4", "#ff8f8f"],
} as const;

/** Width of an axis at least, so that charts with short numbers begin at the same place, and what of it is not its numbers: ticks and gaps, in pixels. */
const LEAST_AXIS = 62;
const AXIS_TICKS = 20;
/** Half of a time below a chart, pixels. */
const HALF_TIME = 20;
/** Of the unit, turned beside the numbers. */
const LABEL = 16;

export function colorOf(index: number, scheme: "light" | "dark"): string {
  const colors = COLORS[scheme];
  return colors[index % colors.length]!;
}

/** A line of a chart, and in which of the colours; of a ghost dashed, beside the recording's own. */
export interface Curve {
  readonly line: Series;
  readonly color: number;
  readonly isGhost: boolean;
}

export interface ChartStyle {
  readonly scheme: "light" | "dark";
  /** Colours of numbers and of lines behind the curves. */
  readonly text: string;
  readonly grid: string;
  readonly font: string;
  readonly scale: TimeScale;
}

/**
 * A chart with one scale for each unit: the first on the left, the second on the right, others without an axis. Where
 * it is to be over the timeline, both are on the left, in the room that the names of lanes have there.
 */
export function chartOptions(
  { sides, ...size }: { readonly width: number; readonly height: number; readonly sides: PlotBox | null },
  curves: readonly Curve[],
  { scheme, text, grid, font, scale }: ChartStyle,
  /** What the axis of a unit goes from and to, at any time. */
  rangeOf: (unit: string) => [number, number],
  onHover: (index: number | null) => void,
): uPlot.Options {
  const units = [...new Set(curves.map(({ line }) => line.unit ?? ""))];
  const steps = uPlot.paths.stepped!({ align: 1 });
  const straight = uPlot.paths.linear!();
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font };
  const shown = units.slice(0, 2);
  const labels = shown.filter((unit) => unit !== "").length;
  const widths = shown.map(() => 0);
  const left = (): number => Math.max(0, sides!.left - labels * LABEL - widths.reduce((sum, width) => sum + width, 0));
  return {
    ...size,
    ...(sides === null ? {} : { padding: [null, sides.right, null, left] as uPlot.Padding }),
    legend: { show: false },
    cursor: { drag: { x: false, y: false, setScale: false }, y: false, points: { size: 6 } },
    scales: {
      x: { time: false },
      ...Object.fromEntries(units.map((unit) => [scaleOf(unit), { range: () => rangeOf(unit) }])),
    },
    series: [
      {},
      ...curves.map(({ line: { path, unit, interpolation }, color, isGhost }) => ({
        label: pathText(path),
        scale: scaleOf(unit ?? ""),
        stroke: colorOf(color, scheme),
        width: isGhost ? 1 : 1.5,
        ...(isGhost ? { dash: [4, 4], alpha: 0.75 } : {}),
        paths: interpolation === "hold" ? steps : straight,
        points: { show: false },
      })),
    ],
    axes: [
      {
        ...axis,
        size: 26,
        gap: 3,
        splits: ({ width }, _, min, max) => splitsOf(min, max, width, scale),
        values: (plot, splits) =>
          timesOf(splits, scale).map((text, i) =>
            sides !== null && plot.valToPos(splits[i]!, "x") > plot.over.clientWidth - HALF_TIME ? "" : text,
          ),
      },
      ...shown.map((unit, i) => ({
        ...axis,
        scale: scaleOf(unit),
        side: i === 0 || sides !== null ? (3 as const) : (1 as const),
        size: (plot: uPlot, values: readonly string[] | null) => {
          const width = widthOf(plot, values ?? [], font);
          widths[i] = sides === null ? Math.max(LEAST_AXIS, width) : width;
          return widths[i];
        },
        space: 28,
        ...(unit === "" ? {} : { label: unit, labelSize: LABEL, labelFont: font, labelGap: 0 }),
        grid: { ...axis.grid, show: i === 0 },
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.left! < 0 ? null : (cursor.idx ?? null))] },
  };
}

/** Lines as one table: seconds, then a column for each; null where there is nothing. */
export function tableOf(lines: readonly Series[]): uPlot.AlignedData {
  const [first] = lines;
  if (first === undefined) return [[]];
  const seconds = Array.from(first.time, (time) => time / 1e9);
  const isOne = lines.every(({ time }) => isSame(time, first.time));
  if (isOne) return [seconds, ...lines.map(({ value }) => nullable(value))];
  return uPlot.join(
    lines.map(({ time, value }): uPlot.AlignedData => [Array.from(time, (at) => at / 1e9), nullable(value)]),
  );
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  return a === b || (a.length === b.length && a.every((time, i) => time === b[i]));
}

function nullable(values: Float64Array): (number | null)[] {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}

/** What an axis needs for its numbers, in pixels of the page. */
function widthOf({ ctx }: uPlot, texts: readonly string[], font: string): number {
  const before = ctx.font;
  ctx.font = font;
  const widest = Math.max(0, ...texts.map((text) => ctx.measureText(text ?? "").width));
  ctx.font = before;
  return Math.ceil(widest) + AXIS_TICKS;
}

function scaleOf(unit: string): string {
  return `y ${unit}`;
}

/** Seconds that have a round name. */
function splitsOf(min: number, max: number, width: number, scale: TimeScale): number[] {
  return rulerOf({ start: min * 1e9, end: max * 1e9 }, width, 90, scale).times.map((time) => time / 1e9);
}

/** With as many digits as it takes to tell neighbours apart. */
function timesOf(splits: readonly number[], scale: TimeScale): string[] {
  const step = splits.length > 1 ? splits[1]! - splits[0]! : 1;
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step) - 1e-9)));
  return splits.map((seconds) => scale.text(Math.round(seconds * 1e9), digits));
}
