import type { EventQuery, RecordingEvent } from "simtape";
import type { Mark, Marks as Found } from "../protocol.ts";
import type { Query } from "./query.ts";
import { Breather } from "./breather.ts";

/** Kinds of events at most: what a file calls them is its own affair. */
const KINDS = 24;
const LABEL = 80;
/** Between two reports of what was found, milliseconds. */
const REPORT_EVERY = 500;

/** Of each kind at most one in a column of time, so that there are never more than can be drawn. */
export const marks: Query<"marks"> = async (engine, ask, signal, report) => {
  const recording = engine.recording(ask.recording);
  const { start, end } = ask;
  const lists = (await (await recording.traits()).events?.(recording, signal))?.lists ?? [];
  const found = new Marks(ask, [...lists]);
  const breather = new Breather(signal, engine);
  let reported = performance.now();
  let reached = start;
  const add = async (query: EventQuery): Promise<void> => {
    for await (const events of recording.events({ ...query, start, end, signal })) {
      for (const event of events) found.add(event);
      await breather.breathe();
      if (performance.now() - reported < REPORT_EVERY) continue;
      reported = performance.now();
      report({ done: reached - start, total: end - start, partial: found.result() });
    }
  };
  await add({ listed: true });
  // What is read takes a while.
  report({ done: 0, total: end - start, partial: found.result() });
  const onProgress = (time: number): void => {
    reached = time;
  };
  if (ask.isReading) await add({ onProgress });
  return found.result();
};

/** Keeps the first of each kind in each column, and one of those that come twice. */
class Marks {
  readonly #start: number;
  readonly #scale: number;
  readonly #kinds = new Set<string>();
  readonly #columns = new Set<string>();
  readonly #marks: Mark[] = [];
  readonly #labels = new Set<string>();
  #isThinned = false;
  readonly #lists: readonly number[];

  constructor(
    { start, end, columns }: { readonly start: number; readonly end: number; readonly columns: number },
    lists: readonly number[],
  ) {
    this.#lists = lists;
    this.#start = start;
    this.#scale = columns / Math.max(1, end - start);
  }

  add({ time, kind: its, text }: RecordingEvent): void {
    const label = text.length > LABEL ? `${text.slice(0, LABEL - 1)}…` : text;
    const kind = this.#kinds.has(its) || this.#kinds.size < KINDS ? its : "others";
    this.#kinds.add(kind);
    if (this.#labels.has(`${time} ${label}`)) return;
    const column = `${kind} ${Math.floor((time - this.#start) * this.#scale)}`;
    if (this.#columns.has(column)) {
      this.#isThinned = true;
      return;
    }
    this.#columns.add(column);
    this.#labels.add(`${time} ${label}`);
    this.#marks.push({ time, kind, label });
  }

  result(): Found {
    return { marks: this.#marks.toSorted((a, b) => a.time - b.time), isThinned: this.#isThinned, lists: this.#lists };
  }
}
