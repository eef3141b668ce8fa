/** simtape: opens simulation recordings of any format it knows. */
import {
  exportTo as exportWith,
  type ExportOptions,
  type ExportReport,
  type ExportTarget,
  open as openWith,
  type OpenWithOptions,
} from "./core.ts";
import { FORMATS } from "./formats.ts";
import type { SinkBundle } from "./io/sink/sink.ts";
import type { Location } from "./location.ts";
import type { ChannelsOf, Format } from "./model/format.ts";
import type { Recording } from "./model/recording.ts";

/**
 * Opens a recording, whatever its format, by its content. Files without an index are scanned once. With `formats`,
 * channels have the types of the format; of several formats, those that all of them have.
 * Rejects with `TypeError` for what is no location, with `RecordingError` when it is none or cannot be read; damage that leaves it readable is in `findings`.
 */
export function open<F extends Format = Format>(
  location: Location,
  options: Partial<OpenWithOptions<F>> = {},
): Promise<Recording<ChannelsOf<F>, F["id"]>> {
  const formats = options.formats ?? (FORMATS as readonly F[]);
  return openWith(location, { ...options, formats });
}

/**
 * Writes a recording for other programs: `exportTo(recording, "parquet", to)`. The files take their names when all are
 * whole; when this rejects, nothing is left of them. A recording that was converted is about what recordings of the format
 * that it came from are about. Rejects with `RecordingError`, code `unsupported`, when the target has nothing to carry of
 * this recording; with `RangeError` or `TypeError` for a target that there is not, and for options that do not fit.
 */
export function exportTo(
  recording: Recording,
  target: ExportTarget | string,
  to: SinkBundle,
  options: ExportOptions = {},
): Promise<ExportReport> {
  return exportWith(recording, target, to, { things: thingsOfAll, ...options });
}

async function thingsOfAll(): Promise<readonly string[]> {
  const all = await Promise.all(FORMATS.map(async ({ traits }) => (await traits?.())?.showing?.things ?? []));
  return all.flat();
}

export * from "./core.ts";
export { FORMATS };
