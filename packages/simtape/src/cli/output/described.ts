import type { Recording } from "../../model/recording.ts";
import { provenanceOf } from "../input/provenance.ts";
import { findingToPlain } from "./findings.ts";

/** The shape of `simtape info --json`; times in nanoseconds since the start. */
export async function describe(recording: Recording, file: string): Promise<Record<string, unknown>> {
  const statistics = await recording.statistics();
  const { start, end, epoch, tick } = await recording.timeline();
  const { format, version, bytes, seekIndex, metadata } = recording.info;
  return {
    file,
    format,
    version,
    bytes,
    seekIndex,
    sideCar: sideCarFacts(recording),
    metadata,
    provenance: await provenanceOf(recording, file),
    timeline: { start, end, epoch: epoch === null ? null : epochText(epoch), tick },
    channels: recording.channels.map(({ id, name, schema }) => ({ id, name, schema: schema.name, ...statistics[id]! })),
    findings: recording.findings.map(findingToPlain),
  };
}

/** What was used of the side-car; null: there was none. */
function sideCarFacts({ sideCar }: Recording): Record<string, unknown> | null {
  if (sideCar === null) return null;
  return { bytes: sideCar.bytes, states: sideCar.states.count, hasEvents: sideCar.hasEvents };
}

/** Always a string in JSON, whatever its size. */
function epochText(epoch: bigint): string {
  return epoch.toString();
}
