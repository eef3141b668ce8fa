import { LayoutError } from "../../bytes/error.ts";
import { FORMAT_ID } from "../../formats/hcrp/layout/framing.ts";
import type { SinkBundle } from "../../io/sink/sink.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import { Findings, RecordingError } from "../../model/error.ts";
import { type CompactReport, compactMasked } from "./compact.ts";
import { Mask, type MaskedSubject } from "./mask.ts";
import { openReader, type StrictOptions } from "./source.ts";

/** Whom to erase, and how the recording is read. */
export interface EraseOptions extends MaskedSubject, Pick<StrictOptions, "dictionaries" | "budget" | "signal"> {}

/** What came of it. */
export type EraseReport = Pick<CompactReport, "recordingId" | "generation" | "bytesBefore" | "bytesAfter">;

/**
 * Writes a finished recording of several as one compacted file in which one of them is unknown: asterisks for the names,
 * other UUIDs in place of theirs, in snapshots, events, texts and metadata. Where they went and what they did stays.
 * Throws `RecordingError`: `unsupported` for what is not finished or not of version 1, `malformed` for a damaged one.
 */
export async function eraseSubject(from: SourceBundle, to: SinkBundle, options: EraseOptions): Promise<EraseReport> {
  const { names, uuids, ...reading } = options;
  const reader = await openReader(from, new Findings(), reading);
  const others = reader.preamble.reserved.subjects
    .filter(({ uuid }) => !uuids.some((one) => one.toLowerCase() === uuid))
    .map(({ name }) => name);
  await reader.close();
  try {
    const { recordingId, generation, bytesBefore, bytesAfter } = await compactMasked(
      from,
      to,
      new Mask({ names, uuids }, others),
      reading,
    );
    return { recordingId, generation, bytesBefore, bytesAfter };
  } catch (error) {
    throw error instanceof LayoutError ? RecordingError.from(error, FORMAT_ID) : error;
  }
}
