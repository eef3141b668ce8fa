import { numberAt, pathText, type Series, type SeriesPath } from "simtape";
import { useEffect, useMemo, useRef, useState } from "react";
import { useFrames, useObservable, useSession } from "../hooks.ts";
import { useTimeScale } from "../use-time-scale.ts";
import { type Measure, measureOf, type UnitSystem } from "../measures.ts";
import { useUnitSystem } from "../use-unit-system.ts";
import { scheme } from "../theme.ts";
import { expressionOf } from "./derived.ts";
import { nameOfPath } from "./names.ts";
import { type Curve, colorOf } from "./chart-options.ts";
import { scalesOf } from "./scales.ts";
import type { Range } from "./shared.ts";
import type { PlotBox } from "../timeline/plot-box.ts";
import { type PlotEvents, PlotView } from "./plot-view.ts";

function measureOfLine(path: SeriesPath, unit: string | null, system: UnitSystem): Measure {
  return measureOf(unit, "set" in path ? path.set : null, system);
}

/** In the unit in which it is shown. */
function shownLine(line: Series, system: UnitSystem): Series {
  const { unit, factor } = measureOfLine(line.path, line.unit, system);
  return factor === 1 ? { ...line, unit } : { ...line, unit, value: line.value.map((value) => value * factor) };
}

function numberText(number: number): string {
  return String(Number(number.toPrecision(7)));
}

interface Props {
  readonly paths: readonly SeriesPath[];
  readonly series: ReadonlyMap<string, Series>;
  /** The same of the ghosts, at the times of what is played. */
  readonly ghosts: readonly ReadonlyMap<string, Series>[];
  readonly range: Range;
  readonly width: number;
  readonly height: number;
  /** Of the drawn part, where it is over that of the timeline. */
  readonly sides: PlotBox | null;
  readonly onZoom: PlotEvents["zoom"];
  readonly onPan: PlotEvents["pan"];
  readonly onRange: PlotEvents["range"];
  readonly onRemove: (path: SeriesPath) => void;
  readonly onAdd: () => void;
}

/** Several numbers over the same time, with what they are now, or under the pointer. */
export function Chart(props: Props) {
  const { paths, series, ghosts, range, width, height, sides, onZoom, onPan, onRange, onRemove, onAdd } = props;
  const session = useSession();
  const shownScheme = useObservable(scheme, (value) => value);
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<PlotView | null>(null);
  const names = useRef<HTMLUListElement>(null);
  const events = useRef<PlotEvents | null>(null);
  const scale = useTimeScale();
  const system = useUnitSystem();
  const lines = useMemo(() => paths.flatMap((path) => series.get(pathText(path)) ?? []), [paths, series]);
  const curves = useMemo(() => {
    const of = (found: ReadonlyMap<string, Series>, isGhost: boolean): Curve[] =>
      paths.flatMap((path, color) => {
        const line = found.get(pathText(path));
        return line === undefined ? [] : [{ line: shownLine(line, system), color, isGhost }];
      });
    return [...of(series, false), ...ghosts.flatMap((found) => of(found, true))];
  }, [paths, series, ghosts, system]);

  const [isWhole, setWhole] = useState(false);
  const scales = useMemo(() => {
    const { start, end } = range;
    return scalesOf(
      curves.map(({ line }) => line),
      { start, end },
      isWhole,
    );
  }, [curves, range, isWhole]);
  const beyond = [...scales].find(([, one]) => one.beyond !== null);
  const tell = (): void => {
    const { frame } = session;
    if (frame === null) return;
    view.current?.setNow(frame.time);
    const outputs = names.current?.querySelectorAll("output") ?? [];
    paths.forEach((path, i) => {
      const line = lines.findIndex((found) => found.path === path || pathText(found.path) === pathText(path));
      const isDrawn = ("set" in path && path.item === "speed") || expressionOf(path) !== null;
      const now = isDrawn ? view.current?.drawn(line, frame.time) : numberAt(frame.recorded, path);
      const { factor } = measureOfLine(path, lines[line]?.unit ?? null, system);
      const own = now === undefined || isDrawn ? now : now * factor;
      const number = (line < 0 ? null : view.current?.hovered(line)) ?? own ?? Number.NaN;
      const text = Number.isNaN(number) ? "–" : numberText(number);
      if (outputs[i] !== undefined && outputs[i].textContent !== text) outputs[i].textContent = text;
    });
  };
  useFrames(tell);
  useEffect(() => {
    view.current ??= new PlotView(place.current!, () => events.current!);
    events.current = { seek: (time) => void session.seek(time), zoom: onZoom, pan: onPan, range: onRange, hover: tell };
    view.current.show({ curves, scales, range, width, height, sides, scheme: shownScheme, scale });
    tell();
  });
  useEffect(
    () => () => {
      view.current?.close();
      view.current = null;
    },
    [],
  );

  return (
    <figure className="plot" aria-label={`Plot of ${paths.map(pathText).join(", ")}`}>
      <figcaption>
        <ul ref={names} className="plot-lines">
          {paths.map((path, i) => {
            const label = pathText(path);
            const { unit } = measureOfLine(path, series.get(label)?.unit ?? null, system);
            return (
              <li key={label} className="plot-line">
                <span className="plot-swatch" style={{ background: colorOf(i, shownScheme) }} />
                <span className="plot-name" title={label}>
                  {nameOfPath(path, session.frame?.state, unit !== null)}
                </span>
                <output aria-label={`${label} now`} aria-live="off">
                  –
                </output>
                {unit !== null && <span className="plot-unit">{unit}</span>}
                <button
                  type="button"
                  className="plot-remove"
                  aria-label={`Remove ${label} from this plot`}
                  onClick={() => onRemove(path)}
                >
                  ×
                </button>
              </li>
            );
          })}
          {(isWhole || beyond !== undefined) && (
            <li>
              <button type="button" className="plot-beyond" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
                {beyond === undefined ? "all numbers" : `beyond: ${numberText(beyond[1].beyond!)} ${beyond[0]}`}
              </button>
            </li>
          )}
          <li>
            <button type="button" className="plot-remove" aria-label="Add to this plot" onClick={onAdd}>
              +
            </button>
          </li>
        </ul>
      </figcaption>
      <div ref={place} className="plot-place" />
    </figure>
  );
}
