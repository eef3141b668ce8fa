import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Unzip, UnzipInflate, type UnzipFile } from "fflate";
import { RecordingError } from "simtape";
import { unreadable } from "./error.ts";

/** Bytes of one of the small files, at most. */
const MOST_SMALL = 8 << 20;
const RECORDING = "recording.tmcpr";

/** The small files of a `.mcpr` by name, and how large all of it is. */
export interface Archive {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly bytes: number;
}

/** Reads the small files of an archive. Throws `RecordingError` for what is no `.mcpr`. */
export async function archiveAt(path: string): Promise<Archive> {
  const parts = new Map<string, Uint8Array[]>();
  let isThere = false;
  await unzip(path, (name) => {
    isThere ||= name === RECORDING;
    if (!/^[\w./-]+\.json$/.test(name)) return null;
    const pieces: Uint8Array[] = [];
    parts.set(name, pieces);
    let bytes = 0;
    return (piece) => {
      bytes += piece.length;
      if (bytes > MOST_SMALL) throw unreadable("malformed", `${path}: ${name} has more than ${MOST_SMALL} bytes`);
      pieces.push(piece);
    };
  });
  if (!isThere) throw unreadable("unknown-format", `${path}: no ${RECORDING} in it: it is no .mcpr`);
  return {
    files: new Map([...parts].map(([name, pieces]) => [name, Buffer.concat(pieces)])),
    bytes: (await stat(path)).size,
  };
}

/** Hands out the bytes of the recording as they come. Throws `RecordingError` where the archive is damaged. */
export async function readRecording(path: string, take: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  let waiting: Promise<void> = Promise.resolve();
  await unzip(
    path,
    (name) =>
      name === RECORDING
        ? (piece) => {
            waiting = waiting.then(() => take(piece));
          }
        : null,
    () => waiting,
  );
}

/** Goes through an archive; `wanted` says who takes a file's bytes, or null. */
async function unzip(
  path: string,
  wanted: (name: string) => ((piece: Uint8Array) => void) | null,
  settled: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  let [isFirst, open, failure] = [true, 0, null as unknown];
  const reader = new Unzip((file: UnzipFile) => {
    const take = wanted(file.name);
    if (take === null) return;
    open++;
    file.ondata = (error, data, isLast) => {
      if (error !== null) failure ??= error;
      else if (failure === null) {
        try {
          take(data);
        } catch (thrown) {
          failure = thrown;
        }
      }
      if (isLast) open--;
    };
    file.start();
  });
  reader.register(UnzipInflate);
  for await (const chunk of createReadStream(path, { highWaterMark: 64 << 10 }) as AsyncIterable<Buffer>) {
    if (isFirst && chunk.subarray(0, 2).toString() !== "PK")
      throw unreadable("unknown-format", `${path}: no zip archive, so no .mcpr`);
    isFirst = false;
    pushTo(reader, chunk, false, path);
    await settled();
    if (failure !== null) throw asUnreadable(path, failure);
  }
  if (isFirst) throw unreadable("truncated", `${path}: an empty file`);
  pushTo(reader, new Uint8Array(0), true, path);
  await settled();
  if (failure !== null) throw asUnreadable(path, failure);
  if (open > 0) throw unreadable("truncated", `${path}: the archive ends within a file`);
}

function pushTo(reader: Unzip, chunk: Uint8Array, isLast: boolean, path: string): void {
  try {
    reader.push(chunk, isLast);
  } catch (error) {
    throw asUnreadable(path, error);
  }
}

function asUnreadable(path: string, error: unknown): Error {
  if (RecordingError.is(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return unreadable("malformed", `${path}: a damaged archive: ${reason}`, error);
}
