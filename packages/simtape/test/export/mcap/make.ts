import type { ExportOptions, ExportReport } from "../../../src/export/exporter.ts";
import { mcap } from "../../../src/export/mcap/exporter.ts";
import { MemoryFiles, open, type Recording } from "../../../src/index.ts";
import type { SoundRecording } from "../../specimens.ts";

export interface Exported {
  readonly bytes: Uint8Array;
  readonly report: ExportReport;
}

export async function exported(recording: Recording, options: ExportOptions = {}): Promise<Exported> {
  const files = new MemoryFiles("x.mcap");
  const report = await mcap.write(recording, files, options);
  return { bytes: files.bytes, report };
}

export function opened(of: SoundRecording): Promise<Recording> {
  return open(of.bundle());
}
