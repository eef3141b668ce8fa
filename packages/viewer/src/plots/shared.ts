import { pathText, type SeriesPath, type Time } from "simtape";
import { useSession, useShared, useViewer } from "../hooks.ts";

export interface Range {
  readonly start: Time;
  readonly end: Time;
}

/** What the plots show; kept in the address. */
export interface Shown {
  /** The paths of each chart, from the top. */
  readonly charts: readonly (readonly SeriesPath[])[];
  /** Null: all of the recording. */
  readonly range: Range | null;
}

const NOTHING: Shown = { charts: [], range: null };

/** What the plots show of recordings of this format, how to show something else, and what is chosen at this moment. */
export function useShown(): readonly [Shown, (next: Shown) => void, () => Shown | null] {
  const session = useSession();
  const format = useViewer(({ decks }) => decks[0]?.opened.info.format);
  const key = `plots-${format}`;
  const [shown, setShown] = useShared<Shown | null>(key, null);
  return [shown ?? NOTHING, setShown, () => (session.state.value.shared[key] as Shown | undefined) ?? null];
}

/** With a path in a chart, or out of it when it is there; `null`: in a chart of its own. A chart without paths goes. */
export function toggled(shown: Shown, path: SeriesPath, chart: number | null): Shown {
  const label = pathText(path);
  if (chart === null || shown.charts[chart] === undefined) return { ...shown, charts: [...shown.charts, [path]] };
  const charts = shown.charts.map((paths, i) => {
    if (i !== chart) return paths;
    const others = paths.filter((other) => pathText(other) !== label);
    return others.length < paths.length ? others : [...paths, path];
  });
  return { ...shown, charts: charts.filter((paths) => paths.length > 0) };
}

/** A range zoomed by `factor` (below 1: closer) about a time, within bounds; null when it is all of them. */
export function zoomed(range: Range, factor: number, about: Time, bounds: Range): Shown["range"] {
  const least = Math.min(1e3, bounds.end - bounds.start);
  const length = Math.max(least, (range.end - range.start) * factor);
  if (length >= bounds.end - bounds.start) return null;
  const part = (about - range.start) / Math.max(1, range.end - range.start);
  return within({ start: about - part * length, end: about + (1 - part) * length }, bounds);
}

/** Moved as little as possible to lie within bounds that are longer. */
export function within({ start, end }: Range, bounds: Range): Range {
  const by = Math.max(bounds.start - start, Math.min(0, bounds.end - end));
  return { start: start + by, end: end + by };
}
