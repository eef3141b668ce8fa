import { pathText, type Series, type SeriesPath, type Time } from "simtape";
import { useEffect, useState } from "react";
import { useSession } from "../hooks.ts";

export interface Loaded {
  /** By label. */
  readonly series: ReadonlyMap<string, Series>;
  /** From 0 to 1 while they are made; else null. */
  readonly progress: number | null;
  readonly error: string | null;
}

const NOTHING: Loaded = { series: new Map(), progress: null, error: null };

/** Lines of numbers over a range, as they become known. Those of before stay until then. */
export function useSeries(
  recording: number,
  paths: readonly SeriesPath[],
  { start, end }: { readonly start: Time; readonly end: Time },
  columns: number,
): Loaded {
  const session = useSession();
  const [loaded, setLoaded] = useState(NOTHING);
  // Paths are plain JSON, and equal ones need not be asked for again.
  const asked = JSON.stringify(paths);
  useEffect(() => {
    const wanted = JSON.parse(asked) as readonly SeriesPath[];
    if (wanted.length === 0 || columns <= 0) {
      setLoaded(NOTHING);
      return;
    }
    const controller = new AbortController();
    const show = (lines: readonly Series[], progress: number | null): void =>
      setLoaded({ series: new Map(lines.map((line) => [pathText(line.path), line])), progress, error: null });
    session
      .query(
        "series",
        { recording, paths: wanted, start, end, columns },
        {
          signal: controller.signal,
          onProgress: ({ done, total, partial }) =>
            show(partial as readonly Series[], total === null || total === 0 ? 0 : done / total),
        },
      )
      .then((lines) => show(lines, null))
      .catch((error: unknown) => {
        if (controller.signal.aborted) return;
        setLoaded((before) => ({ ...before, progress: null, error: error instanceof Error ? error.message : "" }));
      });
    return () => controller.abort();
  }, [session, recording, asked, start, end, columns]);
  return loaded;
}
