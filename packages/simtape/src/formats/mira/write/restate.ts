import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Reader } from "../../../model/reader.ts";
import { after, type Time } from "../../../model/values/time.ts";
import type { MadeMessage } from "../../../model/writer.ts";

interface Found {
  readonly batch: MessageBatch;
  readonly row: number;
}

/** The last message of each channel at or before `time`, with its frame id and sequence id: state needs no more. */
export async function restate(from: Reader, time: Time): Promise<readonly MadeMessage[]> {
  const missing = new Set<number>();
  (await from.statistics()).forEach(({ first }, id) => {
    if (first !== null && first <= time) missing.add(id);
  });
  const found: Found[] = [];
  const channels = from.channels.filter(({ id }) => missing.has(id));
  if (missing.size > 0) {
    for await (const batch of from.batches({ end: after(time), channels, reverse: true })) {
      for (let row = batch.length - 1; row >= 0 && missing.size > 0; row--) {
        if (missing.delete(batch.channel[row]!)) found.push({ batch, row });
      }
      if (missing.size === 0) break;
    }
  }
  return found.reverse().map(({ batch, row }) => ({
    channel: from.channels[batch.channel[row]!]!,
    payload: batch.payload(row),
    keyframe: false,
    context: batch.context,
    sequence: batch.sequence[row]! - batch.shifted,
  }));
}
