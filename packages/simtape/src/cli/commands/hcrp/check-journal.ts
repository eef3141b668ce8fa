import { dirname, join } from "node:path";
import { TICK } from "../../../formats/hcrp/layout/framing.ts";
import { HcrpReader } from "../../../formats/hcrp/read/reader.ts";
import { journalFile } from "../../../io/node/journal-file.ts";
import type { Finding } from "../../../model/error.ts";
import type { Recording } from "../../../model/recording.ts";
import { readJournal } from "../../../record/live/journal.ts";
import { ticksBehind } from "../../../record/live/journal-ticks.ts";
import { commandPath } from "../../input/command-path.ts";

/** What the journal in the folder of a recording holds that the recording does not; null: nothing. */
export async function checkJournal(name: string, recording: Recording): Promise<Finding | null> {
  const reader = recording.reader.base ?? recording.reader;
  if (!(reader instanceof HcrpReader) || name === "-" || name.includes("://")) return null;
  const folder = (await commandPath(name).kind()) === "folder" ? name : dirname(name);
  const bytes = await journalFile(join(folder, "journal.hcj")).read();
  const journal = bytes === null ? null : readJournal(bytes);
  if (journal === null || journal.recordingId !== reader.preamble.head.extension?.recordingId) return null;
  const { end } = await recording.timeline();
  const ticks = ticksBehind(journal, Math.round(end / TICK));
  if (ticks === 0) return null;
  const message = `journal.hcj holds ${ticks} ticks behind these: unless it is still being recorded, simtape recover ${folder} takes them in`;
  return { code: "journal", severity: "loss", message, time: end };
}
