import { Sha256 } from "../../../bytes/sha256.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { loadZstd, zstdDictionaryId } from "../../../codec/zstd.ts";
import type { SourceBundle } from "../../../io/source/source.ts";
import { RecordingError } from "../../../model/error.ts";
import type { NeededFile } from "../../../model/reader.ts";
import { DICTIONARY_IDS, FORMAT_ID } from "../layout/framing.ts";

/**
 * Gives the bytes of a zstd dictionary, or null when it is not to be had. `sha256` is what the recording says of it, in
 * lower-case hexadecimal digits; null when it says nothing.
 */
export type DictionaryLookup = (id: number, sha256: string | null) => Promise<Uint8Array | null>;

/** The name of a dictionary beside a recording; null for what is no trained dictionary. */
export function dictionaryName(content: Uint8Array): string | null {
  const id = zstdDictionaryId(content);
  return id === 0 ? null : nameOf(id);
}

function nameOf(id: number): string {
  return `${id}.dict`;
}

/** Longer files beside a recording are no dictionaries: 4 KiB is usual (spec §7.3). */
const MAX_BYTES = 16 << 20;

/**
 * The dictionary a recording was compressed with: what `lookup` gives, else `<id>.dict` beside the recording; null when it
 * names none. Throws `RecordingError`: `unsupported` when it is not to be had, `malformed` when what was given is another
 * one or damaged (spec §7.3).
 */
export async function findDictionary(
  id: number,
  sha256: string | null,
  lookup: DictionaryLookup | null,
  bundle: SourceBundle,
): Promise<Uint8Array | null> {
  if (id < DICTIONARY_IDS.first || id > DICTIONARY_IDS.last) return null;
  const given = (await lookup?.(id, sha256)) ?? null;
  const dictionary = given ?? (await besideIn(bundle, id));
  const place = given === null ? nameOf(id) : "the given file";
  if (dictionary === null) {
    const withDigest = sha256 === null ? "" : ` (sha256 ${sha256})`;
    const message = `the recording is compressed with zstd dictionary ${id}${withDigest}: it was not given, and there is no ${nameOf(id)} beside it`;
    throw new RecordingError("unsupported", message, { format: FORMAT_ID, offset: 47 });
  }
  const found = zstdDictionaryId(dictionary);
  if (found !== id) {
    const message = `zstd dictionary: expected id ${id}, found ${found} in ${place}`;
    throw new RecordingError("malformed", message, { format: FORMAT_ID });
  }
  const digest = sha256 === null ? null : new Sha256().update(dictionary).digest();
  if (digest !== sha256) {
    const message = `zstd dictionary ${id}: expected sha256 ${sha256}, found ${digest} in ${place}`;
    throw new RecordingError("malformed", message, { format: FORMAT_ID });
  }
  try {
    (await loadZstd()).compress(new Uint8Array(0), { dictionary });
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    const message = `zstd dictionary ${id} is damaged: ${place}`;
    throw new RecordingError("malformed", message, { format: FORMAT_ID, cause: error });
  }
  return dictionary;
}

/** The file that readers look for beside a recording. */
export function dictionaryFile(dictionary: Uint8Array): NeededFile {
  return { name: nameOf(zstdDictionaryId(dictionary)), what: "dictionary", bytes: dictionary };
}

async function besideIn(bundle: SourceBundle, id: number): Promise<Uint8Array | null> {
  const source = await bundle.open(nameOf(id));
  if (source === null) return null;
  try {
    return await source.read(0, MAX_BYTES);
  } finally {
    await source.close();
  }
}
