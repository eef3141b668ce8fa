import "uplot/dist/uPlot.min.css";
import { useEffect, useMemo, useRef, useState } from "react";
import uPlot from "uplot";
import { useObservable } from "../../hooks.ts";
import { colorOf } from "../../plots/chart-options.ts";
import { scheme } from "../../theme.ts";
import type { SqlAnswer } from "../shapes.ts";
import { cellText, type Column, isNumeric, numberIn, titleOf } from "./cells.ts";

const HEIGHT = 240;
/** Texts below a chart, and letters of each, at most. */
const MOST_TEXTS = 12;
const MOST_LETTERS = 18;

/** One column of an answer over another one. */
export function Chart({ answer }: { readonly answer: SqlAnswer }) {
  const { columns } = answer;
  const numeric = columns.flatMap((column, k) => (isNumeric(column) ? [k] : []));
  const [wantedX, setX] = useState<number | null>(null);
  const [wantedY, setY] = useState<number | null>(null);
  const x = wantedX ?? usualX(columns);
  const others = numeric.filter((k) => k !== x);
  const y = wantedY ?? others.find((k) => !isName(columns[k]!)) ?? others[0] ?? numeric[0] ?? null;
  if (y === null || columns[x] === undefined || columns[y] === undefined)
    return <p className="hint">A chart needs a column of numbers.</p>;
  return (
    <>
      <div className="sql-bar">
        <Choice title="Across" columns={columns} among={columns.map((_, k) => k)} value={x} onChange={setX} />
        <Choice title="Up" columns={columns} among={numeric} value={y} onChange={setY} />
      </div>
      <Drawn answer={answer} x={x} y={y} />
    </>
  );
}

/** Time, if a column is called so; else the first column. */
function usualX(columns: readonly Column[]): number {
  const time = columns.findIndex(({ name }) => /^(time|since|t)$/i.test(name));
  return Math.max(0, time);
}

/** Whether its cells say which one something is, not how much of it there is. */
function isName({ name }: Column): boolean {
  return /^(id|sequence)$/i.test(name);
}

function Choice({
  title,
  columns,
  among,
  value,
  onChange,
}: {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly among: readonly number[];
  readonly value: number;
  readonly onChange: (value: number) => void;
}) {
  return (
    <label>
      {title}{" "}
      <select className="field" value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {among.map((k) => (
          <option key={k} value={k}>
            {titleOf(columns[k]!)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Points of a chart in the order of x; `texts`: what x is where it is no number. */
interface Points {
  readonly data: [number[], (number | null)[]];
  readonly texts: readonly string[] | null;
  /** Whether each x occurs once, so that a line can go through the points. */
  readonly isLine: boolean;
}

function pointsOf({ columns, rows }: SqlAnswer, x: number, y: number): Points {
  const isNumber = isNumeric(columns[x]!);
  const points = rows
    .map((row, place) => ({ at: isNumber ? numberIn(row[x]) : place, value: numberIn(row[y]), cell: row[x] }))
    .filter(({ at, value }) => !Number.isNaN(at) && Number.isFinite(value));
  if (isNumber) points.sort((a, b) => a.at - b.at);
  return {
    data: [points.map(({ at }) => at), points.map(({ value }) => value)],
    texts: isNumber ? null : rows.map((row) => cellText(row[x], columns[x]!)),
    isLine: isNumber && points.every(({ at }, k) => k === 0 || at > points[k - 1]!.at),
  };
}

function Drawn({ answer, x, y }: { readonly answer: SqlAnswer; readonly x: number; readonly y: number }) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useObservable(scheme, (value) => value);
  const points = useMemo(() => pointsOf(answer, x, y), [answer, x, y]);
  const [across, up] = [answer.columns[x]!, answer.columns[y]!];
  useEffect(() => {
    const element = box.current!;
    const { color, borderTopColor } = getComputedStyle(element);
    const font = "11px system-ui, sans-serif";
    const axis = { stroke: color, font, grid: { stroke: borderTopColor, width: 1 }, ticks: { stroke: borderTopColor } };
    const { texts, isLine, data } = points;
    const line = colorOf(0, shown);
    const look: uPlot.Series =
      texts === null
        ? isLine
          ? { points: { show: data[0].length < 100 } }
          : { paths: () => null, points: { show: true, size: 4, fill: line } }
        : { paths: uPlot.paths.bars!({ size: [0.7, 60] }), fill: line, points: { show: false } };
    const every = Math.max(1, Math.ceil((texts?.length ?? 1) / MOST_TEXTS));
    const plot = new uPlot(
      {
        width: Math.max(200, element.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        scales: {
          x: { time: false, ...(texts === null ? {} : { range: [-0.6, texts.length - 0.4] as [number, number] }) },
          ...(texts === null ? {} : { y: { range: (_, least, most) => barsRange(least, most) } }),
        },
        series: [{}, { label: titleOf(up), stroke: line, width: 1.5, ...look }],
        axes: [
          {
            ...axis,
            label: titleOf(across),
            labelFont: font,
            labelSize: 18,
            size: 34,
            ...(texts === null
              ? {}
              : {
                  splits: () => texts.map((_, k) => k).filter((k) => k % every === 0),
                  values: (_: uPlot, splits: readonly number[]) => splits.map((k) => shortened(texts[k] ?? "")),
                }),
          },
          { ...axis, label: titleOf(up), labelFont: font, labelSize: 18, size: 64 },
        ],
      },
      data,
      element,
    );
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(200, element.clientWidth), height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [points, shown, across, up]);
  const name = `${titleOf(up)} over ${titleOf(across)}, ${points.data[0].length} points`;
  return <div ref={box} className="sql-chart" role="img" aria-label={name} />;
}

/** Bars stand on zero. */
function barsRange(least: number, most: number): [number, number] {
  return [Math.min(0, least * 1.05), Math.max(0, most * 1.05)];
}

function shortened(text: string): string {
  return text.length <= MOST_LETTERS ? text : `…${text.slice(1 - MOST_LETTERS)}`;
}
