import { LayoutError } from "../bytes/error.ts";
import type { SinkBundle } from "../io/sink/sink.ts";
import type { Format } from "../model/format.ts";
import { RecordingError, unwritable } from "../model/error.ts";
import type { Time } from "../model/values/time.ts";
import type { Recording } from "../model/recording.ts";
import type { ChannelInfo } from "../model/values/value.ts";
import type { Lost, MadeMessage, Writer } from "../model/writer.ts";
import type { FeedChannel } from "./feed.ts";
import type { Gap, JournalReader } from "./journal.ts";

/** What a finished take holds. */
export interface FinishReport {
  readonly messages: number;
  readonly gaps: readonly Gap[];
  /** What arrived and is not in the recording. */
  readonly lost: readonly Lost[];
}

/** What holds at the end of a piece of a take, as messages: the next piece begins with them. */
export async function openingFrom(before: Recording, format: Format): Promise<readonly MadeMessage[]> {
  const { restate } = await format.writing!();
  const { end } = await before.timeline();
  return restate(before.reader, end);
}

/**
 * Makes a recording of the feed's own format of a journal, with `opening` in front. Rejects with `RecordingError`;
 * nothing is left then.
 */
export async function finishTake(
  journal: JournalReader,
  format: Format,
  to: SinkBundle,
  opening: readonly MadeMessage[] = [],
): Promise<FinishReport> {
  if (format.id !== journal.head.format || format.writing === undefined)
    throw new RecordingError("unsupported", `a take of ${journal.head.format}, and not of ${format.id}`);
  const writing = await format.writing();
  const writer: Writer = await writing.create(to, { ...journal.create, epoch: journal.create.epoch ?? journal.epoch });
  const gaps: Gap[] = [];
  const lost: Lost[] = [];
  const channels: ChannelInfo[] = [];
  /** What this version of the format cannot hold, by the reason. */
  const refused = new Map<string, number>();
  const named = new Map<string, ChannelInfo>();
  const channelOf = (channel: FeedChannel): ChannelInfo => {
    const made = named.get(channel.name) ?? writer.channel(channel);
    named.set(channel.name, made);
    return made;
  };
  let messages = 0;
  try {
    for (const { channel, payload, keyframe } of opening) {
      const kept = journal.channel(channel.name);
      if (writer.writeWhole !== undefined) writer.writeWhole(0, payload);
      else if (kept !== null) writer.write(channelOf(kept), 0, payload, keyframe);
    }
    await journal.visit({
      channel: (id, channel) => {
        if (writer.writeWhole === undefined) channels[id] = channelOf(channel);
      },
      message: (id: number, time: Time, payload: Uint8Array) => {
        try {
          if (writer.writeWhole === undefined) writer.write(channels[id]!, time, payload);
          else writer.writeWhole(time, payload);
          messages++;
        } catch (error) {
          if (!(error instanceof RangeError || error instanceof LayoutError)) throw error;
          refused.set(error.message, (refused.get(error.message) ?? 0) + 1);
        }
      },
      gap: (gap) => gaps.push(gap),
      lost: ({ reason, count }) => lost.push({ path: "messages", count, reason }),
      get ready() {
        return writer.ready;
      },
    });
    await writer.close();
    for (const [reason, count] of refused) lost.push({ path: "messages", count, reason });
    return { messages, gaps, lost: [...lost, ...(writer.lost ?? [])] };
  } catch (error) {
    await writer.abort();
    throw unwritable(error, format.id);
  }
}
