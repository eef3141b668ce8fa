import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { directoryStore } from "simtape/node";
import { type Outcome, type Recorder, record } from "simtape/record";
import { JOURNAL, journalFile } from "simtape/serving";
import type { Line } from "../capture/capture.ts";
import { TimedLines } from "./timed-lines.ts";

/** How a recording ended. */
export interface Ended {
  readonly id: string;
  readonly ticks: number;
  readonly bytes: number;
  readonly outcome: Outcome;
}

/** One recording of a dimension and all players in it, in a folder of its own with a journal beside it. */
export class WorldRecording {
  readonly id: string;
  readonly lines: TimedLines<Recorder>;

  /** `failed` is called when the recording cannot be opened. */
  constructor(store: string, id: string, header: Line, failed: (error: unknown) => void) {
    this.id = id;
    this.lines = new TimedLines(header, (told) => open(store, id, told), failed);
  }

  /** Null: there is no recording. */
  async close(): Promise<Ended | null> {
    const { lines } = this;
    lines.goToNow();
    await lines.opened;
    const recorder = lines.target;
    if (recorder === null) return null;
    lines.settle();
    await recorder.close({ outcome: "completed" });
    const { tick: ticks, bytes, dropped } = recorder.status;
    lines.skipped += Object.values(dropped).reduce((all, some) => all + some, lines.refused);
    return { id: this.id, ticks, bytes, outcome: "completed" };
  }
}

async function open(store: string, id: string, header: object): Promise<Recorder> {
  await mkdir(join(store, id), { recursive: true });
  const journal = journalFile(join(store, id, JOURNAL));
  // with sounds
  return record(directoryStore(store), { ...header, id, journal, keepsPrevious: true, profile: "cinema" });
}
