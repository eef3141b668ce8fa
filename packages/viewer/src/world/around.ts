import { PoseColumns, type State } from "simtape";
import type { Session } from "../session.ts";
import { wholeOf } from "./whole.ts";

/** Times of a recording that are looked at, and things of a set. */
const TIMES = 12;
const MOST = 12;

/**
 * Where a recording is on the earth, degrees north and east, at some times from its beginning to its end; none: it has no such
 * places. Of what was recorded, where it has others beside that.
 */
export async function placesAround(session: Session, signal: AbortSignal): Promise<(readonly [number, number])[]> {
  const main = await wholeOf(session, signal);
  if (main === undefined) return [];
  const { recording, timeline } = main.opened;
  const { start, end } = timeline;
  const places: (readonly [number, number])[] = [];
  for (let i = 0; i < TIMES; i++) {
    const time = Math.round(start + ((end - start) * i) / (TIMES - 1));
    const state = await session.query("state", { recording, time, interpolate: false }, { signal });
    const found = placesIn(state);
    // a recording without them has none later
    if (found.length === 0 && i > 1 && places.length === 0) break;
    places.push(...found);
  }
  return places;
}

function placesIn({ sets }: Pick<State, "sets">): (readonly [number, number])[] {
  const out = new Float64Array(3);
  return [...sets.values()].flatMap((set) => {
    const columns = new PoseColumns();
    if (!columns.use(set) || !columns.isGeodetic) return [];
    const own = set.ids.indexOf("self");
    const rows = own >= 0 ? [own] : set.ids.slice(0, MOST).map((_, row) => row);
    return rows.flatMap((row) => {
      columns.geodetic(row, out, 0);
      return Number.isFinite(out[0]! + out[1]!) ? [[out[0]!, out[1]!] as const] : [];
    });
  });
}
