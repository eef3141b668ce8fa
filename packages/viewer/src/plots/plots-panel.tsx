import "./plots.css";
import { pathText, type SeriesPath, type Time } from "simtape";
import { type RefObject, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { isTooFar } from "../afar.ts";
import { PanelContext, useObservable, useSession, useValues, useViewer } from "../hooks.ts";
import type { Opened } from "../protocol.ts";
import { sizeText } from "../size.ts";
import { sidesOf, timelineBox } from "../timeline/plot-box.ts";
import { useWindow } from "../timeline/use-window.ts";
import { panned, wholeOf, zoomed } from "../timeline/window.ts";
import { Button } from "../ui/button.tsx";
import { Chart } from "./chart.tsx";
import { expressionOf } from "./derived.ts";
import { PathPicker } from "./path-picker.tsx";
import { FIRST, type Shown, toggled, useShown } from "./shared.ts";
import { useGhostSeries } from "./use-ghost-series.ts";
import { useSeries } from "./use-series.ts";

/** Least height of a chart with its names, pixels; the names take the second of it. */
const CHART_HEIGHT = 120;
const NAMES_HEIGHT = 28;
const NOTHING: readonly SeriesPath[] = [];

/** Numbers of the recording over time. */
export function PlotsPanel() {
  const opened = useViewer(({ decks }) => decks[0]?.opened);
  return opened === undefined ? null : <Plots opened={opened} />;
}

function Plots({ opened }: { readonly opened: Opened }) {
  const session = useSession();
  const panel = useContext(PanelContext) ?? FIRST;
  const [shown, setShown, chosen] = useShown(panel);
  const [picking, setPicking] = useState<{ readonly chart: number | null } | null>(null);
  const [place, size] = useSize();
  useFirstChart(opened, panel === FIRST, chosen, setShown);
  const all = useMemo(() => wholeOf(opened.timeline), [opened]);
  const [range, setRange] = useWindow(all);
  const isAll = range.start <= all.start && range.end >= all.end;
  const paths = shown.charts.flat();
  useValues(paths.flatMap((path) => ("value" in path && expressionOf(path) === null ? path.value.split("/", 1) : [])));
  const far = useFar();
  // What the player has sent need not be sent again.
  const hasFailed = useViewer(({ status }) => status.phase === "failed");
  const read = far.bytes === 0 ? paths : NOTHING;
  const loaded = useSeries(opened.recording, read, range, Math.max(0, Math.round(size.width - 130)));
  const ghosts = useGhostSeries(read, range, Math.max(0, Math.round(size.width - 130)));
  const height = Math.max(CHART_HEIGHT, Math.floor(size.height / Math.max(1, shown.charts.length)));

  const box = useObservable(timelineBox, (value) => value);
  const sides = useMemo(() => sidesOf({ left: size.left, right: size.left + size.width }, box), [size, box]);

  const zoom = (factor: number, about: Time): void => setRange(zoomed(range, about, factor, all));

  const now = (): Time => {
    const time = session.frame?.time ?? range.start;
    return time >= range.start && time <= range.end ? time : (range.start + range.end) / 2;
  };
  const element = useRef<HTMLDivElement>(null);
  const press = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") zoom(0.5, now());
    else if (event.key === "-") zoom(2, now());
    else if (event.key === "0") setRange(all);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  useEffect(() => {
    const target = element.current!;
    target.addEventListener("keydown", press);
    return () => target.removeEventListener("keydown", press);
  });
  const toggle = (path: SeriesPath, chart: number | null): void => setShown(toggled(shown, path, chart));

  return (
    <div ref={element} className="plots" tabIndex={-1}>
      <div className="plots-bar" role="toolbar" aria-label="Plots and zoom">
        <Button kind={shown.charts.length === 0 ? "main" : "plain"} onClick={() => setPicking({ chart: null })}>
          Add a plot …
        </Button>
        {far.bytes > 0 && paths.length > 0 && (
          <Button label="Read the whole recording over the network" onClick={far.allow}>
            {`Draw: reads ${sizeText(far.bytes)}`}
          </Button>
        )}
        {loaded.progress !== null && <progress max={1} value={loaded.progress} aria-label="Reading the recording" />}
        {loaded.error !== null && !hasFailed && <span role="alert">{loaded.error}</span>}
        <Button label="Zoom in (+)" onClick={() => zoom(0.5, now())}>
          +
        </Button>
        <Button label="Zoom out (-)" onClick={() => zoom(2, now())}>
          −
        </Button>
        <Button label="Show the whole recording (0)" disabled={isAll} onClick={() => setRange(all)}>
          All
        </Button>
        <SaveTable recording={opened.recording} name={session.state.value.decks[0]!.place.name} {...{ paths, range }} />
      </div>
      <div ref={place} className="plots-charts">
        {shown.charts.length === 0 && (
          <p className="panel-note">
            Any number of the recording over time: energies, positions, speeds, signals. Click in a plot to go there,
            drag to scrub, shift and drag or turn the wheel to zoom.
          </p>
        )}
        {size.width > 0 &&
          shown.charts.map((chart, i) => (
            <Chart
              key={chart.map(pathText)[0]}
              paths={chart}
              series={loaded.series}
              ghosts={ghosts}
              range={range}
              width={size.width}
              sides={sides}
              height={height - NAMES_HEIGHT}
              onZoom={zoom}
              onPan={(parts) => setRange(panned(range, parts, all))}
              onRange={setRange}
              onRemove={(path) => toggle(path, i)}
              onAdd={() => setPicking({ chart: i })}
            />
          ))}
      </div>
      {picking !== null && (
        <PathPicker
          chosen={picking.chart === null ? [] : (shown.charts[picking.chart] ?? [])}
          onClose={() => setPicking(null)}
          onToggle={(path) => {
            toggle(path, picking.chart);
            if (picking.chart === null) setPicking({ chart: shown.charts.length });
          }}
        />
      )}
    </div>
  );
}

/**
 * Draws what is worth a first look, unless a chart is chosen, or was chosen for another recording of the format; a second
 * panel begins empty.
 */
function useFirstChart(
  opened: Opened,
  isFirst: boolean,
  chosen: () => Shown | null,
  show: (shown: Shown) => void,
): void {
  const session = useSession();
  const first = useRef<Shown | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each recording
  useEffect(() => {
    const isChosen = (): boolean => chosen() !== null && chosen() !== first.current;
    if (!isFirst || isChosen()) return;
    const controller = new AbortController();
    const deck = session.state.value.decks.find((one) => one.opened === opened);
    const isReading = deck !== undefined && !isTooFar(deck);
    const from = opened.placed ?? opened.timeline.start;
    session
      .query("charts", { recording: opened.recording, from, isReading }, { signal: controller.signal })
      .then((paths) => {
        if (paths.length === 0 || isChosen()) return;
        const found: Shown = { charts: [paths], isOfSubject: true };
        first.current = found;
        show(found);
      })
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, opened]);
}

/**
 * Bytes that a plot would read from far away, unless the user has allowed it: then, and where little is to be read,
 * none.
 */
function useFar(): { readonly bytes: number; readonly allow: () => void } {
  const decks = useViewer((state) => state.decks);
  const [allowed, allow] = useState<ReadonlySet<number>>(new Set());
  const far = decks.filter((deck) => isTooFar(deck) && !allowed.has(deck.opened.recording));
  return {
    bytes: far.reduce((sum, { opened }) => sum + (opened.info.bytes ?? 0), 0),
    allow: () => allow(new Set([...allowed, ...far.map(({ opened }) => opened.recording)])),
  };
}

/** Saves all moments of what is shown as CSV, not only those that are drawn. */
function SaveTable({
  recording,
  name,
  paths,
  range,
}: {
  readonly recording: number;
  readonly name: string;
  readonly paths: readonly SeriesPath[];
  readonly range: { readonly start: Time; readonly end: Time };
}) {
  const session = useSession();
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const end = Math.floor(range.end) + 1;
      const csv = await session.query("table", { recording, paths, start: range.start, end });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(csv);
      link.download = `${name}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button label="Save the plotted numbers as CSV" disabled={isBusy || paths.length === 0} onClick={() => void save()}>
      CSV
    </Button>
  );
}

interface Size {
  /** Pixels of the page. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

function useSize(): readonly [RefObject<HTMLDivElement | null>, Size] {
  const place = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<Size>({ left: 0, width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = place.current!;
    const measure = (): void =>
      setSize({
        left: element.getBoundingClientRect().left,
        width: element.clientWidth,
        height: element.clientHeight,
      });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [place, size];
}
