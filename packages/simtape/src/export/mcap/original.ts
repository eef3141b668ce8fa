import { Sha256 } from "../../bytes/sha256.ts";
import type { ByteSource, SourceBundle } from "../../io/source/source.ts";
import { attachmentName, ORIGINAL } from "../../model/original.ts";
import type { Recording } from "../../model/recording.ts";
import type { Time } from "../../model/values/time.ts";
import type { McapWriter } from "./writer.ts";

/** Bytes of one attachment at most: readers hold a whole attachment in memory. */
const PIECE = 64 << 20;
/** Bytes read at a time. */
const STEP = 1 << 20;

/** What became of the files. */
export interface Carried {
  readonly files: readonly string[];
  /** Bytes of them all; of those that are too large, too. Null: a file's size is not known. */
  readonly bytes: number | null;
}

/**
 * Carries the files of a recording as attachments `original/NAME`, or `original/NAME.1-of-3` and so on where one has more
 * than 64 MiB, and says of each in a metadata record what it is. Nothing is carried when they have more than `limit`
 * bytes, or a size is not known. Rejects with `RangeError` when a file changes meanwhile.
 */
export async function carryOriginals(
  writer: McapWriter,
  recording: Recording,
  bundle: SourceBundle,
  limit: number,
  time: Time,
): Promise<Carried> {
  const main = bundle.name ?? `recording.${recording.info.format}`;
  const sources: { readonly name: string; readonly source: ByteSource; readonly isMain: boolean }[] = [];
  try {
    const first = await bundle.open();
    if (first !== null) sources.push({ name: main, source: first, isMain: true });
    for (const name of recording.reader.siblings ?? []) {
      const source = await bundle.open(name);
      if (source !== null) sources.push({ name, source, isMain: false });
    }
    let bytes = 0;
    const sizes: number[] = [];
    for (const { source } of sources) {
      const size = await source.size();
      if (size === null) return { files: [], bytes: null };
      sizes.push(size);
      bytes += size;
    }
    if (bytes > limit) return { files: [], bytes };
    for (const [i, { name, source, isMain }] of sources.entries()) {
      await carry(writer, name, source, sizes[i]!, isMain ? recording.info.format : null, time);
    }
    return { files: sources.map(({ name }) => name), bytes };
  } finally {
    for (const { source } of sources) await source.close();
  }
}

async function carry(
  writer: McapWriter,
  name: string,
  source: ByteSource,
  size: number,
  format: string | null,
  time: Time,
): Promise<void> {
  const hash = new Sha256();
  const pieces = Math.max(1, Math.ceil(size / PIECE));
  for (let piece = 0; piece < pieces; piece++) {
    const from = piece * PIECE;
    const byteLength = Math.min(PIECE, size - from);
    const spec = { name: attachmentName(name, piece, pieces), mediaType: "application/octet-stream", time, byteLength };
    await writer.attachment(spec, read(source, from, byteLength, hash));
  }
  await writer.metadata(ORIGINAL, {
    name,
    ...(format === null ? {} : { format }),
    bytes: String(size),
    sha256: hash.digest(),
    pieces: String(pieces),
  });
}

async function* read(source: ByteSource, from: number, length: number, hash: Sha256): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; ) {
    const bytes = await source.read(from + at, Math.min(STEP, length - at));
    if (bytes.length === 0) return;
    hash.update(bytes);
    yield bytes;
    at += bytes.length;
  }
}
