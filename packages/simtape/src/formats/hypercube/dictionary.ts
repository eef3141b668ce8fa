import { zstdDictionaryId } from "../../codec/zstd.ts";
import { RecordingError } from "../../model/error.ts";
import { DICTIONARY_IDS, FORMAT_ID, hexText } from "./layout.ts";

/**
 * Gives the bytes of a zstd dictionary, or null when it is not to be had. `sha256` is what the recording says of it, in
 * lower-case hexadecimal digits; null when it says nothing.
 */
export type DictionaryLookup = (id: number, sha256: string | null) => Promise<Uint8Array | null>;

/**
 * The dictionary a recording was compressed with; null when it names none. Throws `RecordingError`: `unsupported` when it
 * is not to be had, `malformed` when what was given is another one (spec §7.3).
 */
export async function findDictionary(
  id: number,
  sha256: string | null,
  lookup: DictionaryLookup | null,
): Promise<Uint8Array | null> {
  if (id < DICTIONARY_IDS.first) return null;
  const dictionary = (await lookup?.(id, sha256)) ?? null;
  const told = sha256 === null ? "" : ` (sha256 ${sha256})`;
  if (dictionary === null) {
    const why = lookup === null ? "no dictionaries were given" : "it was not found";
    const message = `the recording is compressed with zstd dictionary ${id}${told}: ${why}`;
    throw new RecordingError("unsupported", message, { format: FORMAT_ID, offset: 47 });
  }
  const found = zstdDictionaryId(dictionary);
  if (found !== id) {
    const message = `zstd dictionary: expected id ${id}, found ${found} in what was given`;
    throw new RecordingError("malformed", message, { format: FORMAT_ID });
  }
  if (sha256 !== null) {
    const digest = hexText(new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(dictionary))));
    if (digest !== sha256) {
      const message = `zstd dictionary ${id}: expected sha256 ${sha256}, found ${digest} in what was given`;
      throw new RecordingError("malformed", message, { format: FORMAT_ID });
    }
  }
  return dictionary;
}
