import { numericPaths, type SeriesPath, type State } from "simtape";
import { LongQueries } from "../long-query.ts";
import type { Deck, Session } from "../session.ts";
import type { Thing } from "../subject.ts";
import type { PathStatistics, RecordingStatistics } from "simtape/stats";

/** What the numbers are of what a deck plays. */
export const numbers: LongQueries<RecordingStatistics> = new LongQueries<RecordingStatistics>();

/** Reads the recording for them, once. */
export function startCounting(session: Session, { opened }: Deck): void {
  const { recording } = opened;
  void numbers.of({ opened }).ask("", (options) => session.query("stats", { recording }, options));
}

/** The number of a state that a path of all things names: that of the subject, else of the first thing; null: there is none. */
export function pathFor(
  { path }: Pick<PathStatistics, "path">,
  state: State,
  subject: Thing | null,
): SeriesPath | null {
  const [set, rest] = [path.slice(0, path.indexOf("/*/")), path.slice(path.indexOf("/*/") + 3)];
  const isOfSet = path.includes("/*/");
  const ids = state.sets.get(set)?.ids ?? [];
  const id = subject?.set === set && ids.some((one) => one === subject.id) ? subject.id : ids[0];
  const wanted = isOfSet ? `${set}/${id}/${rest}` : path;
  for (const { text, path: found } of numericPaths(state)) if (text === wanted) return found;
  return null;
}

/** Where a number lies between the least and the most, 0 to 1. */
export function shareOf(value: number, { least, most }: Pick<PathStatistics, "least" | "most">): number {
  return most > least ? (value - least) / (most - least) : 0.5;
}
