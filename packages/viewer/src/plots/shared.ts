import { pathText, type SeriesPath, type State, type Time } from "simtape";
import { useMemo } from "react";
import { useSession, useShared, useViewer } from "../hooks.ts";
import type { Thing } from "../subject.ts";

export interface Range {
  readonly start: Time;
  readonly end: Time;
}

/** What the plots show; kept in the address. */
export interface Shown {
  /** The paths of each chart, from the top. */
  readonly charts: readonly (readonly SeriesPath[])[];
  /** Nothing of it was chosen: numbers of a thing are those of the subject. */
  readonly isOfSubject?: boolean;
}

/** Id of the first panel with plots. */
export const FIRST = "plots";
const NOTHING: Shown = { charts: [] };

/**
 * What the plots of a panel show of recordings of this format, how to show something else, and what is chosen at this
 * moment. Other panels, which add to plots, mean the first.
 */
export function useShown(panel = FIRST): readonly [Shown, (next: Shown) => void, () => Shown | null] {
  const session = useSession();
  const format = useViewer(({ decks }) => decks[0]?.opened.info.format);
  const key = `${panel}-${format}`;
  const [shown, setShown] = useShared<Shown | null>(key, null);
  const subject = useViewer((state) => state.subject);
  const charts = useMemo(
    () => (shown === null ? NOTHING : ofSubject(shown, subject, session.frame?.state)),
    [session, shown, subject],
  );
  return [charts, setShown, () => (session.state.value.shared[key] as Shown | undefined) ?? null];
}

/** A thing of another set has the numbers that are called so there. */
function ofSubject(shown: Shown, subject: Thing | null, state: State | undefined): Shown {
  if (shown.isOfSubject !== true || subject === null) return shown;
  const { set, id } = subject;
  const columns = state?.sets.get(set)?.columns;
  const charts = shown.charts.map((paths) =>
    paths.map((path) =>
      "set" in path && (path.set === set || columns?.has(path.column) === true) ? { ...path, set, id } : path,
    ),
  );
  return { ...shown, charts };
}

/** With a path in a chart, or out of it when it is there; `null`: in a chart of its own. A chart without paths goes. */
export function toggled(shown: Shown, path: SeriesPath, chart: number | null): Shown {
  const label = pathText(path);
  if (chart === null || shown.charts[chart] === undefined) return { charts: [...shown.charts, [path]] };
  const charts = shown.charts.map((paths, i) => {
    if (i !== chart) return paths;
    const others = paths.filter((other) => pathText(other) !== label);
    return others.length < paths.length ? others : [...paths, path];
  });
  return { charts: charts.filter((paths) => paths.length > 0) };
}
