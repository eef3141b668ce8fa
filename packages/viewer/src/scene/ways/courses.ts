import { type EntitySet, type Frame, pathText } from "simtape";
import type { Deck, Session } from "../../session.ts";
import { coursePaths, courseOf, type Going } from "./course.ts";
import type { SceneView } from "../scene-view.ts";

/** Ways that are drawn of one set, and points asked for. */
const MOST = 12;
const COLUMNS = 1500;
/** A recording larger than this is not gone through for them. */
const BYTES = 64 << 20;
/** Columns that say where things are. */
const PLACES = ["geodetic", "position"];

/** Asks for the ways of the first few things of every recording, and draws them as they come. */
export async function drawCourses(session: Session, view: SceneView, frame: Frame, signal: AbortSignal): Promise<void> {
  const { decks } = session.state.value;
  for (const [i, deck] of decks.entries()) {
    if ((deck.opened.info.bytes ?? BYTES) >= BYTES) continue;
    await drawOne(session, view, i, deck, i === 0 ? frame.state : frame.ghosts[i - 1], signal);
  }
}

async function drawOne(
  session: Session,
  view: SceneView,
  cast: number,
  { opened }: Deck,
  state: Frame["state"] | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (state === undefined) return;
  const { start, end } = opened.timeline;
  const wanted = view.travellers(cast).flatMap(({ set, ids: all }) => {
    const entities = state.sets.get(set);
    const column = PLACES.find((name) => entities?.columns.has(name));
    if (entities === undefined || column === undefined) return [];
    // The recorded aircraft has a way in time; those that others sent are where they were heard.
    const ids = all.includes("self") ? ["self"] : someOfEach(all);
    return ids.map((id) => ({ set, id, column, axes: entities.axes }));
  });
  if (wanted.length === 0) return;
  const lines = await session.query(
    "series",
    {
      recording: opened.recording,
      paths: wanted.flatMap(({ set, id, column }) => coursePaths(set, id, column)),
      start,
      end,
      columns: COLUMNS,
    },
    { signal },
  );
  // They come in any order.
  const byLabel = new Map(lines.map((line) => [pathText(line.path), line]));
  const courses: Going[] = [];
  for (const { set, id, column, axes } of wanted) {
    const [a, b, c] = coursePaths(set, id, column).map((path) => byLabel.get(pathText(path)));
    const course =
      a === undefined || b === undefined || c === undefined ? null : courseOf([a, b, c], axes, view.origin);
    if (course !== null) courses.push({ set, id, course });
  }
  view.setCourses(cast, courses);
}

/** As many as are drawn: of things whose names differ in figures only, the first, then the second of each sort, and so on. */
function someOfEach(ids: EntitySet["ids"]): EntitySet["ids"] {
  const counts = new Map<string, number>();
  const ranked = ids.map((id) => {
    const sort = String(id).replace(/\d+/g, "");
    const rank = counts.get(sort) ?? 0;
    counts.set(sort, rank + 1);
    return { id, rank };
  });
  return ranked
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MOST)
    .map(({ id }) => id);
}
