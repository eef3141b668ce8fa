import type { EventTeller, RecordingEvent } from "../../../model/query/events.ts";
import { tellRows } from "../../../model/query/events.ts";
import type { Recording } from "../../../model/recording.ts";
import type { Time } from "../../../model/time.ts";

/** Has a teller learn what was before `start`: from the last snapshot before it on, as nothing earlier matters then. */
export async function passOver(
  teller: EventTeller,
  recording: Recording,
  start: Time,
  signal: AbortSignal | undefined,
): Promise<void> {
  const keyframe = await recording.keyframe(Math.ceil(start) - 1, signal);
  const channels = recording.channels.filter(({ id }) => teller.channels.has(id));
  const told: RecordingEvent[] = [];
  for await (const batch of recording.batches({ start: keyframe?.time, end: start, channels, signal })) {
    tellRows(teller, batch, told);
    told.length = 0;
  }
}
