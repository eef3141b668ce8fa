import { mcap } from "../../../src/export/mcap/exporter.ts";
import type { ExportOptions, ExportReport } from "../../../src/export/exporter.ts";
import { MemoryFiles } from "../../../src/io/sink.ts";
import { openBundle } from "../../../src/model/open.ts";
import type { Recording } from "../../../src/model/recording.ts";
import { FORMATS } from "../../formats.ts";
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
  return openBundle(of.bundle(), FORMATS);
}
