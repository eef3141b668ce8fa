import type { Query } from "../../../model/messages/batch-query.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Channel } from "../../../model/values/value.ts";
import { framesIn } from "./frames.ts";
import { type Kind, kindOfChannel } from "./kinds.ts";
import { frameIn, itemsIn, membersIn, textIn } from "./members.ts";
import { PayloadSchema } from "./schema.ts";

const POSES: ReadonlySet<Kind> = new Set(["pose", "poses", "odometry"]);
/** Frames that are remembered at most. */
const MOST = 10_000;

/** Frames of poses that no transform has as a child or as a parent, with a channel that names each. */
export async function strayFrames(
  channels: readonly Channel[],
  batches: (query: Query) => AsyncIterable<MessageBatch>,
  signal: AbortSignal | undefined,
): Promise<readonly { readonly frame: string; readonly channel: string }[]> {
  const kinds = channels.map(kindOfChannel);
  const wanted = channels.filter(({ id }) => POSES.has(kinds[id]!) || isTransform(kinds[id]!));
  if (!wanted.some(({ id }) => isTransform(kinds[id]!)) || !wanted.some(({ id }) => POSES.has(kinds[id]!))) return [];
  const known = new Set<string>();
  const used = new Map<string, string>();
  for await (const batch of batches({ channels: wanted, signal })) {
    for (let i = 0; i < batch.length; i++) {
      const { id, name, schema } = channels[batch.channel[i]!]!;
      const value = membersIn(schema instanceof PayloadSchema ? schema.value(batch.payload(i)) : undefined);
      if (isTransform(kinds[id]!)) {
        for (const one of framesIn(value)) {
          if (known.size >= MOST) break;
          known.add(textIn(one["child_frame_id"])).add(textIn(one["parent_frame_id"]) || frameIn(one));
        }
        continue;
      }
      const frames = kinds[id] === "poses" ? itemsIn(value["poses"]).map((pose) => frameIn(membersIn(pose))) : [];
      for (const frame of [frameIn(value), ...frames]) {
        if (frame !== "" && used.size < MOST && !used.has(frame)) used.set(frame, name);
      }
    }
  }
  return [...used].filter(([frame]) => !known.has(frame)).map(([frame, channel]) => ({ frame, channel }));
}

function isTransform(kind: Kind): boolean {
  return kind === "frame" || kind === "frames";
}
