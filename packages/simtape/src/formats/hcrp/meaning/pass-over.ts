import type { EventReader, RecordingEvent } from "../../../model/query/event.ts";
import { readRows } from "../../../model/query/events.ts";
import type { Recorded } from "../../../model/traits.ts";
import type { Time } from "../../../model/values/time.ts";

/** Reads what was before `start`, from the last snapshot on: nothing earlier matters then. */
export async function passOver(
  reader: EventReader,
  recording: Recorded,
  start: Time,
  signal: AbortSignal | undefined,
): Promise<void> {
  const keyframe = await recording.keyframe(Math.ceil(start) - 1, signal);
  const channels = recording.channels.filter(({ id }) => reader.channels.has(id));
  const found: RecordingEvent[] = [];
  for await (const batch of recording.batches({ start: keyframe?.time, end: start, channels, signal })) {
    readRows(reader, batch, found);
    found.length = 0;
  }
}
