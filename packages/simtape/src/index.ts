/** simtape: opens simulation recordings of any format it knows. */
import { open as openWith, type OpenWithOptions } from "./core.ts";
import { FORMATS } from "./formats.ts";
import type { Location } from "./location.ts";
import type { Recording } from "./model/recording.ts";

/**
 * Opens a recording, whatever its format, by its content. Files without an index are scanned once. With one format in
 * `formats`, `recording.channel(name)` and `recording.messages(name)` have its types.
 * Rejects with `TypeError` for what is no location, with `RecordingError` when it is none or cannot be read; damage that leaves it readable is in `findings`.
 */
export function open<Channels extends object = object, Id extends string = string>(
  location: Location,
  options: Partial<OpenWithOptions<Channels, Id>> = {},
): Promise<Recording<Channels, Id>> {
  const formats = options.formats ?? (FORMATS as OpenWithOptions<Channels, Id>["formats"]);
  return openWith(location, { ...options, formats });
}

export * from "./core.ts";
export { FORMATS };
