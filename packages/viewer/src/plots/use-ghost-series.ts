import { pathText, type Series, type SeriesPath } from "simtape";
import { useEffect, useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { ghostTime, mainTime } from "../placement.ts";
import type { Deck } from "../session.ts";
import type { Range } from "./shared.ts";

/** Lines of the ghosts by label, each ghost's in a map of its own. */
type GhostLines = readonly ReadonlyMap<string, Series>[];

const NOTHING: GhostLines = [];

/** The same numbers of all ghosts over a range, at the times of what is played. */
export function useGhostSeries(paths: readonly SeriesPath[], { start, end }: Range, columns: number): GhostLines {
  const session = useSession();
  const decks = useViewer((state) => state.decks);
  const [lines, setLines] = useState(NOTHING);
  const asked = JSON.stringify(paths);
  useEffect(() => {
    const wanted = JSON.parse(asked) as readonly SeriesPath[];
    const [main, ...ghosts] = decks;
    if (main === undefined || ghosts.length === 0 || wanted.length === 0 || columns <= 0) {
      setLines(NOTHING);
      return;
    }
    const controller = new AbortController();
    const load = async (ghost: Deck): Promise<ReadonlyMap<string, Series>> => {
      const { recording, timeline } = ghost.opened;
      const from = Math.max(timeline.start, ghostTime(start, ghost, main));
      const to = Math.min(timeline.end, ghostTime(end, ghost, main));
      if (to <= from) return new Map();
      const ask = { recording, paths: wanted, start: from, end: to, columns };
      const found = await session.query("series", ask, { signal: controller.signal });
      return new Map(
        found.map((line) => [
          pathText(line.path),
          { ...line, time: line.time.map((time) => mainTime(time, ghost, main)) },
        ]),
      );
    };
    Promise.all(ghosts.map(load))
      .then(setLines)
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, decks, asked, start, end, columns]);
  return lines;
}
