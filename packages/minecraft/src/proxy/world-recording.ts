import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { directoryStore } from "simtape/node";
import { type LiveEvents, type Outcome, type Recorder, record } from "simtape/record";
import { type HeaderOptions, JOURNAL, journalFile } from "simtape/serving";
import { reportText } from "../stored/report.ts";
import type { Known } from "./people.ts";
import { TimedEvents } from "./timed-events.ts";
import { Turns } from "./turns.ts";
import type { Person } from "./world-ring.ts";

/** The result of a recording. */
export interface Ended {
  readonly id: string;
  readonly ticks: number;
  readonly bytes: number;
  readonly outcome: Outcome;
}

/** One recording of a dimension and all its players, in a folder of its own with a journal beside it. */
export class WorldRecording {
  readonly id: string;
  readonly events: TimedEvents<Recorder>;
  readonly #turns = new Turns();

  /** `failed` is called when the recording cannot be opened. */
  constructor(store: string, id: string, header: HeaderOptions, failed: (error: unknown) => void) {
    this.id = id;
    this.events = new TimedEvents(header, (options) => open(store, id, options), failed);
  }

  /**
   * Adds a report as a mark at this moment, on the reported player if that player is present. Returns a text when it
   * cannot be added: the reason.
   */
  report(subject: Known, reason: string, reporter: Person): string | null {
    const waits = this.#turns.take(reporter.uuid);
    if (waits !== null) return waits;
    const mark: LiveEvents["mark"] = { kind: "report", label: reportText(subject.name, reason) };
    this.events.give({ kind: "mark", value: subject.id === null ? mark : { ...mark, id: subject.id } });
    return null;
  }

  /** Null: nothing is being recorded. */
  async close(): Promise<Ended | null> {
    const { events } = this;
    const recorder = await events.finish();
    if (recorder === null) return null;
    await recorder.close({ outcome: "completed" });
    const { tick: ticks, bytes, dropped } = recorder.status;
    for (const [channel, count] of Object.entries(dropped))
      events.losses.add(`${channel}: the store does not keep up`, count);
    if (events.refused > 0) events.losses.add("the world holds as many things as it can", events.refused);
    return { id: this.id, ticks, bytes, outcome: "completed" };
  }
}

async function open(store: string, id: string, header: HeaderOptions): Promise<Recorder> {
  await mkdir(join(store, id), { recursive: true });
  const journal = journalFile(join(store, id, JOURNAL));
  // with sounds
  return record(directoryStore(store), { ...header, id, journal, keepsPrevious: true, profile: "cinema" });
}
