import { open, type Recording } from "simtape";
import { fileSpool } from "simtape/node";
import type { Library } from "../library/library.ts";
import { isUnreadable } from "../library/unreadable.ts";
import type { Traces } from "./traces.ts";

/** Bytes that are searched at once, and the overlap of two such parts. */
const PIECE = 1 << 20;
const OVERLAP = 1024;

/**
 * Whether a recording names a subject: in its metadata, in its decoded messages, in the state at its start and its end,
 * or by UUID in the bytes of its files. Null: the recording cannot be read.
 */
export async function isInRecording(
  library: Library,
  key: string,
  traces: Traces,
  signal: AbortSignal,
): Promise<boolean | null> {
  try {
    await using recording = await open(library.bundle(key), { spool: fileSpool(), signal });
    return await isIn(recording, traces, signal);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return null;
  }
}

async function isIn(recording: Recording, traces: Traces, signal: AbortSignal): Promise<boolean> {
  const { channels, info, findings } = recording;
  if (traces.isInValue(info.metadata) || channels.some(({ name }) => traces.isIn(name))) return true;
  for await (const batch of recording.batches({ signal }))
    for (let i = 0; i < batch.length; i++) {
      const payload = batch.payload(i);
      if (traces.isInBytes(payload)) return true;
      let value: unknown;
      try {
        value = channels[batch.channel[i]!]!.schema.decode(payload, batch.context);
      } catch {
        // the recording is damaged: search its text as it is
        value = Buffer.from(payload).toString();
      }
      if (traces.isInValue(value)) return true;
    }
  const { start, end } = await recording.timeline();
  for (const time of [start, end]) {
    const { values, sets } = await recording.state(time, { signal });
    const shown = [...sets.values()].map(({ ids, columns }) => [ids, ...[...columns.values()].map(({ data }) => data)]);
    if (traces.isInValue(values) || traces.isInValue(shown)) return true;
  }
  return traces.isInValue(findings.map(({ message }) => message));
}

/** Whether the bytes of a file name a subject: text by name or UUID, all other bytes by UUID. */
export async function isInFile(library: Library, key: string, traces: Traces, signal: AbortSignal): Promise<boolean> {
  const opened = await library.open(key);
  if (opened === null) return false;
  try {
    const { bytes } = opened.file;
    if (bytes === 0) return false;
    let before: Buffer = Buffer.alloc(0);
    let isText: boolean | null = null;
    for await (const piece of opened.stream(0, bytes)) {
      signal.throwIfAborted();
      const all = Buffer.concat([before, piece as Buffer]);
      isText ??= !all.subarray(0, PIECE).includes(0);
      if (traces.isInBytes(all) || (isText && traces.isIn(all.toString()))) return true;
      before = all.subarray(Math.max(0, all.length - OVERLAP));
    }
    return false;
  } finally {
    await opened.close();
  }
}
