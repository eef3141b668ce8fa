import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Reader } from "../../../model/reader.ts";
import { after, type Time } from "../../../model/values/time.ts";
import type { Channel } from "../../../model/values/value.ts";
import type { MadeMessage } from "../../../model/writer.ts";
import { framesIn } from "../meaning/frames.ts";
import { isHeld, isReplacing, type Kind, kindOfChannel } from "../meaning/kinds.ts";
import { membersIn, textIn } from "../meaning/members.ts";
import { mentionedInScene } from "../meaning/scene.ts";
import { PayloadSchema } from "../meaning/schema.ts";

interface Found {
  readonly batch: MessageBatch;
  readonly row: number;
}

/** What is still looked for in the messages of one channel, backwards. */
interface Search {
  readonly channel: Channel;
  readonly kind: Kind;
  /** What later messages spoke of. */
  readonly mentioned: Set<string>;
  isDone: boolean;
}

/**
 * Messages at or before `time` that, folded in their order, give the state: of each channel the last; where messages say
 * a part only, as transforms and scenes, all that are the last to speak of something.
 */
export async function restate(from: Reader, time: Time): Promise<readonly MadeMessage[]> {
  const searches = new Map<number, Search>();
  for (const channel of from.channels) {
    const kind = kindOfChannel(channel);
    if (isHeld(kind)) searches.set(channel.id, { channel, kind, mentioned: new Set(), isDone: false });
  }
  for (const [id, { first }] of (await from.statistics()).entries()) {
    if (first === null || first > time) searches.delete(id);
  }
  const found: Found[] = [];
  let open = searches.size;
  if (open === 0) return [];
  // when entities were looked at last, whether their lifetime has ended
  let now: Time | null = null;
  const channels = [...searches.values()].map(({ channel }) => channel);
  for await (const batch of from.batches({ end: after(time), channels, reverse: true })) {
    for (let row = batch.length - 1; row >= 0 && open > 0; row--) {
      const search = searches.get(batch.channel[row]!)!;
      if (!isReplacing(search.kind)) now ??= batch.time[row]!;
      if (search.isDone) continue;
      if (isLast(search, batch.payload(row), batch.time[row]!, now ?? time)) found.push({ batch, row });
      if (search.isDone) open--;
    }
    if (open === 0) break;
  }
  return found.reverse().map(({ batch, row }) => ({
    channel: from.channels[batch.channel[row]!]!,
    payload: batch.payload(row),
    keyframe: false,
    context: batch.context,
    sequence: batch.sequence[row]! - batch.shifted,
  }));
}

/** Whether a message is the last to speak of anything. */
function isLast(search: Search, payload: Uint8Array, time: Time, now: Time): boolean {
  const { kind, mentioned, channel } = search;
  if (isReplacing(kind)) {
    search.isDone = true;
    return true;
  }
  const value = membersIn(channel.schema instanceof PayloadSchema ? channel.schema.value(payload) : undefined);
  const { ids, hasLiving } =
    kind === "scene"
      ? mentionedInScene(value, time, now)
      : { ids: framesIn(value).map(({ child_frame_id }) => textIn(child_frame_id)), hasLiving: true };
  if (ids === null) {
    search.isDone = true;
    return true;
  }
  const before = mentioned.size;
  for (const id of ids) mentioned.add(id);
  return hasLiving && mentioned.size > before;
}
