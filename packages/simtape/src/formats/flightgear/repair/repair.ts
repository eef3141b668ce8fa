import { memory } from "../../../io/source/memory.ts";
import { MemoryFiles, type SinkBundle } from "../../../io/sink/sink.ts";
import { type Finding, Findings } from "../../../model/error.ts";
import type { Reader } from "../../../model/reader.ts";
import type { RepairNote } from "../../../model/writer.ts";
import type { TapeHeader } from "../layout/header.ts";
import { CONTAINER_HEADER_BYTES } from "../layout/layout.ts";
import { FrameRepair, type RepairedFrame } from "./frames.ts";
import { repairHeader } from "./header.ts";
import { Output } from "../write/output.ts";
import { FlightGearReader } from "../read/reader.ts";
import { tapeUnder } from "../write/tape-plan.ts";
import { FlightGearWriter } from "../write/writer.ts";

/**
 * Every frame that can be read, in a sound tape: frames that are damaged inside keep the items that are whole, a broken
 * header is written again, and so are the counts and the gzip stream of a Normal tape.
 */
export async function repair(from: Reader, to: SinkBundle, note: RepairNote): Promise<void> {
  const tape = tapeUnder(from);
  if (tape === null) throw new TypeError("not a FlightGear tape");
  const header = repairHeader(tape, note);
  if (tape.header.layout === "normal") await repairNormal(tape, header, to, note);
  else await repairFrames(tape, header, to, note, new Set());
}

/** What one pass finds, kept until it is known to be the last. */
class PassNote implements RepairNote {
  readonly #lost: Finding[] = [];
  readonly #rebuilt: Finding[] = [];

  lost(finding: Finding): void {
    this.#lost.push(finding);
  }

  rebuilt(finding: Finding): void {
    this.#rebuilt.push(finding);
  }

  tell(note: RepairNote): void {
    for (const finding of this.#lost) note.lost(finding);
    for (const finding of this.#rebuilt) note.rebuilt(finding);
  }
}

/**
 * Behind a fault in a gzip stream there is much that looks like a frame where it stands and like none beside others. A
 * Normal tape is written from memory anyway: it is read again, and repaired once more without what is not found in it.
 */
async function repairNormal(
  tape: FlightGearReader,
  header: TapeHeader,
  to: SinkBundle,
  note: RepairNote,
): Promise<void> {
  const without = new Set<number>();
  for (;;) {
    const files = new MemoryFiles();
    const pass = new PassNote();
    const frames = await repairFrames(tape, header, files, pass, without);
    const vanished = await notIn(files.bytes, frames);
    for (const { offset } of vanished) without.add(offset);
    if (vanished.length > 0) continue;
    pass.tell(note);
    note.rebuilt({
      code: "counts",
      severity: "note",
      message: `the three buffers and their counts, ${frames.length} frames in all`,
    });
    if (tape.info.metadata["compression"] === "gzip") {
      note.rebuilt({ code: "gzip", severity: "note", message: "the gzip stream around everything" });
    }
    const sink = await to.open();
    try {
      await sink.write(files.bytes);
    } catch (error) {
      await sink.abort();
      throw error;
    }
    await sink.close();
    return;
  }
}

/** Writes what is left of a tape without the frames at these offsets. */
async function repairFrames(
  tape: FlightGearReader,
  header: TapeHeader,
  to: SinkBundle,
  note: RepairNote,
  without: ReadonlySet<number>,
): Promise<readonly RepairedFrame[]> {
  const writer = new FlightGearWriter({ like: tape }, header);
  writer.begin(new Output(await to.open()));
  try {
    const repair = new FrameRepair(tape, writer.frames(), note, without);
    for await (const records of tape.records()) {
      for (const record of records) repair.take(record);
      if (writer.ready !== null) await writer.ready;
    }
    repair.end();
    await writer.close();
    return repair.frames;
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Which of the frames written into a Normal tape are not found in it, or not as sound ones. */
async function notIn(bytes: Uint8Array, frames: readonly RepairedFrame[]): Promise<RepairedFrame[]> {
  const findings = new Findings();
  const tape = await FlightGearReader.open(memory(bytes), findings, {});
  const faults = findings.list().filter(({ severity }) => severity === "damage" || severity === "loss");
  if (faults.length === 0) return [];
  const found = new Map<number, number>();
  for await (const records of tape.records()) {
    for (const { kind, offset, bytes: frame } of records) if (kind === "frame") found.set(offset, frame.length);
  }
  for (const { offset } of faults) if (offset !== undefined) found.delete(offset);
  let place = tape.header.bytes.length;
  const missing: RepairedFrame[] = [];
  // A tape without short-term frames is written with the next buffer in their place.
  const least = Math.min(...new Set(frames.map(({ buffer }) => buffer)));
  for (const buffer of [0, 1, 2]) {
    place += CONTAINER_HEADER_BYTES;
    for (const frame of frames) {
      if (frame.buffer - least !== buffer) continue;
      if (found.get(place) !== frame.length) missing.push(frame);
      place += frame.length;
    }
  }
  return missing;
}
