import type { ExportOptions, ExportReport } from "../../../src/export/exporter.ts";
import { targetCalled } from "../../../src/export/targets.ts";
import { KEYFRAME, MemoryFiles, open, type Recording } from "../../../src/index.ts";
import { REAL, SOUND, type SoundRecording } from "../../specimens.ts";

/** Recordings of molecules: small ones of the project, and real ones if they exist. */
export const MOLECULES: readonly SoundRecording[] = [...SOUND, ...REAL].filter(({ format }) => format === "nanover");

export interface Exported {
  readonly report: ExportReport;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export async function exported(
  { bundle }: Pick<SoundRecording, "bundle">,
  to: string,
  options: ExportOptions = {},
  name = `run.${to}`,
): Promise<Exported> {
  await using recording = await open(bundle());
  const target = (await targetCalled(to)?.load())!;
  const sinks = new MemoryFiles(name);
  const report = await target.write(recording, sinks, options);
  return { report, files: sinks.files };
}

export interface ExpectedFrame {
  readonly time: number;
  /** Å. */
  readonly positions: number[];
}

/** Frames by the messages themselves, without states: positions of the last message at each time. */
export async function expectedFrames({ bundle }: Pick<SoundRecording, "bundle">): Promise<ExpectedFrame[]> {
  await using recording = (await open(bundle())) as Recording;
  const frames: ExpectedFrame[] = [];
  let positions: number[] = [];
  for await (const batch of recording.batches({ channels: [recording.channel("frame")] })) {
    for (let i = 0; i < batch.length; i++) {
      const schema = recording.channel("frame").schema;
      const frame = schema.decode(batch.payload(i), batch.context) as Record<string, Float32Array | undefined>;
      if ((batch.flags[i]! & KEYFRAME) !== 0) positions = [];
      const found = frame["particle.positions"];
      if (found !== undefined) positions = Array.from(found, (nm) => nm * 10);
      const time = batch.time[i]!;
      if (frames.at(-1)?.time === time) frames.pop();
      if (positions.length > 0) frames.push({ time, positions });
    }
  }
  return frames;
}

/** Files of the parts of an export in their order: `run.dcd`, `run-2.dcd` ... */
export function partsOf(files: ReadonlyMap<string, Uint8Array>, ending: string): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let n = 1; ; n++) {
    const bytes = files.get(n === 1 ? `run.${ending}` : `run-${n}.${ending}`);
    if (bytes === undefined) return parts;
    parts.push(bytes);
  }
}

/** The largest difference of two lists of numbers; infinite when one is longer. */
export function furthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let most = 0;
  for (let k = 0; k < a.length; k++) {
    const difference = Math.abs(a[k]! - b[k]!);
    if (!(difference <= most)) most = difference;
  }
  return most;
}
