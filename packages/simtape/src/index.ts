/** simtape: opens simulation recordings of any format it knows. */
import { open as openWith, type OpenWithOptions } from "./core.ts";
import { FORMATS } from "./formats.ts";
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

export * from "./core.ts";
export { FORMATS };
