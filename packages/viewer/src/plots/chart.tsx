import { pathText, type Series, type SeriesPath } from "simtape";
import { useEffect, useMemo, useRef } from "react";
import { useFrames, useSession } from "../hooks.ts";
import { useObservable } from "../observable.ts";
import { scheme } from "../theme.ts";
import { type Curve, colorOf } from "./chart-options.ts";
import type { Range } from "./shared.ts";
import { numberAt } from "./paths.ts";
import { type PlotEvents, PlotView } from "./plot-view.ts";

interface Props {
  readonly paths: readonly SeriesPath[];
  readonly series: ReadonlyMap<string, Series>;
  /** The same of the ghosts, at the times of what is played. */
  readonly ghosts: readonly ReadonlyMap<string, Series>[];
  readonly range: Range;
  readonly width: number;
  readonly height: number;
  readonly onZoom: PlotEvents["zoom"];
  readonly onPan: PlotEvents["pan"];
  readonly onRange: PlotEvents["range"];
  readonly onRemove: (path: SeriesPath) => void;
  readonly onAdd: () => void;
}

/** The end of a number's name: of what, and which; the whole one is its title. */
function shortOf(path: SeriesPath): string {
  if ("value" in path) return pathText(path).split("/").slice(-2).join("/");
  return `${String(path.id).split("/").at(-1)} ${pathText(path).split("/").at(-1)}`;
}

/** Several numbers over the same time, with what they are now, or under the pointer. */
export function Chart({ paths, series, ghosts, range, width, height, onZoom, onPan, onRange, onRemove, onAdd }: Props) {
  const session = useSession();
  const shownScheme = useObservable(scheme, (value) => value);
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<PlotView | null>(null);
  const names = useRef<HTMLUListElement>(null);
  const events = useRef<PlotEvents | null>(null);
  const lines = useMemo(() => paths.flatMap((path) => series.get(pathText(path)) ?? []), [paths, series]);
  const curves = useMemo(() => {
    const of = (found: ReadonlyMap<string, Series>, isGhost: boolean): Curve[] =>
      paths.flatMap((path, color) => {
        const line = found.get(pathText(path));
        return line === undefined ? [] : [{ line, color, isGhost }];
      });
    return [...of(series, false), ...ghosts.flatMap((found) => of(found, true))];
  }, [paths, series, ghosts]);

  const tell = (): void => {
    const { frame } = session;
    if (frame === null) return;
    view.current?.setNow(frame.time);
    const outputs = names.current?.querySelectorAll("output") ?? [];
    paths.forEach((path, i) => {
      const line = lines.findIndex((found) => found.path === path || pathText(found.path) === pathText(path));
      const now =
        "set" in path && path.item === "speed" ? view.current?.drawn(line, frame.time) : numberAt(frame.recorded, path);
      const number = (line < 0 ? null : view.current?.hovered(line)) ?? now ?? Number.NaN;
      const text = Number.isNaN(number) ? "–" : String(Number(number.toPrecision(7)));
      if (outputs[i] !== undefined && outputs[i].textContent !== text) outputs[i].textContent = text;
    });
  };
  useFrames(tell);
  useEffect(() => {
    view.current ??= new PlotView(place.current!, () => events.current!);
    events.current = { seek: (time) => void session.seek(time), zoom: onZoom, pan: onPan, range: onRange, hover: tell };
    view.current.show({ curves, range, width, height, scheme: shownScheme });
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
            const unit = series.get(label)?.unit ?? null;
            return (
              <li key={label} className="plot-line">
                <span className="plot-swatch" style={{ background: colorOf(i, shownScheme) }} />
                <span className="plot-name" title={label}>
                  <bdi dir="ltr">{shortOf(path)}</bdi>
                </span>
                <output aria-label={`${label} now`} aria-live="off">
                  –
                </output>
                {unit !== null && <span className="plot-unit">{unit}</span>}
                <button
                  type="button"
                  className="plot-remove"
                  aria-label={`Take ${label} out of this plot`}
                  onClick={() => onRemove(path)}
                >
                  ×
                </button>
              </li>
            );
          })}
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
