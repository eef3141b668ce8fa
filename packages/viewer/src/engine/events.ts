import type { RecordingEvent } from "simtape";
import type { EventRow, Events } from "../protocol.ts";
import type { Query } from "./query.ts";
import { Breather } from "./breather.ts";

/** Characters of an event's text. */
const TEXT = 400;
/** Between two reports of what was found, milliseconds. */
const REPORT_EVERY = 200;

/** Events from the start on, until there are `limit` of them. */
export const events: Query<"events"> = async (engine, { recording: id, limit, isReading }, signal, report) => {
  const breather = new Breather(signal);
  let some: EventRow[] = [];
  let count = 0;
  let reported = performance.now();
  const give = (isEnd: boolean): Events => {
    const events = some;
    some = [];
    return { events, isEnd };
  };
  for await (const found of engine.recording(id).events({ listed: !isReading, signal })) {
    for (const event of found) {
      if (count++ === limit) return give(false);
      some.push(rowOf(event));
    }
    await breather.breathe();
    if (some.length === 0 || performance.now() - reported < REPORT_EVERY) continue;
    reported = performance.now();
    report({ done: count, total: null, partial: give(false) });
  }
  return give(true);
};

function rowOf({ time, kind, text, who }: RecordingEvent): EventRow {
  const thing = who.find(({ set }) => set !== null);
  return {
    time,
    kind,
    text: text.length > TEXT ? `${text.slice(0, TEXT - 1)}…` : text,
    who: who.map(({ set, id: its, label }) => (label === "" ? `${set ?? ""} ${its}`.trim() : label)).join(", "),
    thing: thing === undefined ? null : { set: thing.set!, id: thing.id },
  };
}
