import type { Recording } from "../../model/recording.ts";
import type { RecordingEvent } from "../../model/query/event.ts";
import type { Lost } from "../../model/writer.ts";
import type { ExportOptions } from "../exporter.ts";

/** Events that a track carries at most. */
const MOST = 10_000;
/** Kinds that happen all the time, and that a track shows anyway. */
const QUIET: ReadonlySet<string> = new Set(
  "flag property traffic-light scene-light door weather spawn removal attach effect clear-blocks".split(" "),
);

/** An event on the map. */
export interface Landmark {
  readonly event: RecordingEvent;
  /** Of wheels: the aircraft has taken off, or landed; null: neither, or not of wheels. */
  readonly flight: "takeoff" | "landing" | null;
}

/** The events of a range that a map shows, ascending by time: at most 10000, some hundred bytes each. */
export class Landmarks {
  readonly list: readonly Landmark[];
  readonly lost: readonly Lost[];
  /** How many were passed over, by kind. */
  readonly quiet: ReadonlyMap<string, number>;

  private constructor(list: readonly Landmark[], lost: readonly Lost[], quiet: ReadonlyMap<string, number>) {
    this.list = list;
    this.lost = lost;
    this.quiet = quiet;
  }

  static async of(recording: Recording, { start, end, signal }: ExportOptions): Promise<Landmarks> {
    const events: RecordingEvent[] = [];
    const quiet = new Map<string, number>();
    let left = 0;
    for await (const some of recording.events({ start, end, signal })) {
      for (const event of some) {
        if (QUIET.has(event.kind)) quiet.set(event.kind, (quiet.get(event.kind) ?? 0) + 1);
        else if (events.length === MOST) left++;
        // the value can be large, and no track has it
        else events.push({ ...event, value: null });
      }
    }
    const lost = left === 0 ? [] : [{ path: "events", count: left, reason: `a track carries the first ${MOST}` }];
    return new Landmarks(withFlight(events), lost, quiet);
  }

  /** A sentence for the report; null: none was passed over. */
  get note(): string | null {
    if (this.quiet.size === 0) return null;
    const kinds = [...this.quiet].map(([kind, count]) => `${count} ${kind}`).join(", ");
    return `events that happen all the time are left out: ${kinds}`;
  }
}

/** Tells from the events of wheels when an aircraft leaves the ground with its last and touches it with its first. */
function withFlight(events: readonly RecordingEvent[]): Landmark[] {
  const grounded = new Map<string, Set<string>>();
  const met = new Set<string>();
  // A wheel whose first event is to leave the ground was on it before.
  for (const event of events) {
    const wheel = wheelOf(event);
    if (wheel === null || met.has(`${wheel.thing} ${wheel.name}`)) continue;
    met.add(`${wheel.thing} ${wheel.name}`);
    const wheels = grounded.get(wheel.thing) ?? new Set();
    grounded.set(wheel.thing, wheels);
    if (event.kind === "liftoff") wheels.add(wheel.name);
  }
  return events.map((event) => {
    const wheel = wheelOf(event);
    if (wheel === null) return { event, flight: null };
    const wheels = grounded.get(wheel.thing)!;
    const before = wheels.size;
    if (event.kind === "touchdown") wheels.add(wheel.name);
    else wheels.delete(wheel.name);
    const flight = before === 0 && wheels.size > 0 ? "landing" : before > 0 && wheels.size === 0 ? "takeoff" : null;
    return { event, flight };
  });
}

/** The wheel is the first word of the text. */
function wheelOf({ kind, text, who }: RecordingEvent): { thing: string; name: string } | null {
  if ((kind !== "touchdown" && kind !== "liftoff") || who[0] === undefined) return null;
  return { thing: `${who[0].set}/${who[0].id}`, name: text.split(" ", 1)[0]! };
}
