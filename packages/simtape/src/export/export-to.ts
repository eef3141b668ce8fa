import { held } from "../io/sink/held.ts";
import type { SinkBundle } from "../io/sink/sink.ts";
import { RecordingError } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import type { Exporter, ExportOptions, ExportReport, ExportTarget } from "./exporter.ts";
import { EXPORT_TARGETS, targetCalled } from "./targets.ts";

/**
 * Writes a recording for other programs. The files take their names when all are whole; when this rejects, nothing is left
 * of them. Rejects with `RecordingError`, code `unsupported`, when the target has nothing to carry of this recording; with
 * `RangeError` or `TypeError` for a target that there is not, and for options that do not fit.
 */
export async function exportTo(
  recording: Recording,
  target: ExportTarget | string,
  to: SinkBundle,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const exporter = await exporterFor(recording, target);
  return held(to, (files) => exporter.write(recording, files, options));
}

/** The exporter of a target, which has something to carry of the recording. Throws as `exportTo` does. */
export async function exporterFor(recording: Recording, target: ExportTarget | string): Promise<Exporter> {
  const found = typeof target === "string" ? targetCalled(target) : target;
  if (found === null) throw new RangeError(`no target ${JSON.stringify(target)}; there are: ${idsOf(EXPORT_TARGETS)}`);
  const exporter = await found.load();
  // what takes a channel carries any: nothing has to be read to know that
  if (found.takes.includes("channel") && recording.channels.length > 0) return exporter;
  if ((await exporter.fitting(recording)).length > 0) return exporter;
  const { format } = recording.info;
  const others = (await fittingTargets(recording)).filter(({ fits }) => fits.length > 0);
  throw new RecordingError(
    "unsupported",
    `${found.id} carries ${found.carries}, and this recording has none; targets that fit it: ${idsOf(others.map((one) => one.target)) || "none"}`,
    { format },
  );
}

/** What of a recording a target can carry. */
export interface FittingTarget {
  readonly target: ExportTarget;
  /** Sets, and channels where the target takes them; none: the target does not fit. */
  readonly fits: readonly string[];
}

/** Of every target, in the order of `EXPORT_TARGETS`, what of the recording it can carry. */
export async function fittingTargets(recording: Recording): Promise<readonly FittingTarget[]> {
  const found: FittingTarget[] = [];
  // several targets carry the same: they are asked once
  const known = new Map<Exporter["fitting"], readonly string[]>();
  for (const target of EXPORT_TARGETS) {
    const { fitting } = await target.load();
    const fits = known.get(fitting) ?? (await fitting(recording));
    known.set(fitting, fits);
    found.push({ target, fits });
  }
  return found;
}

function idsOf(targets: readonly ExportTarget[]): string {
  return targets.map(({ id }) => id).join(", ");
}
