import type { Value } from "simtape";
import type { Mark } from "../protocol.ts";
import type { Query } from "../worker.ts";
import { Breather } from "./breather.ts";
import { preview } from "./preview.ts";

/** Channels whose messages are events, by format; those of a frame in which nothing happened are left out. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  carla: ["event-add", "event-del", "collision"],
  hypercube: ["mark", "chat", "join", "leave", "hurt"],
};

/** A channel with fewer messages than this, in a format without channels of fixed meaning, tells of events. */
const FEW = 64;

export const marks: Query<"marks"> = async (engine, { recording: id, limit }, signal) => {
  const recording = engine.recording(id);
  const names = EVENTS[recording.info.format];
  const statistics = names === undefined ? await recording.statistics(signal) : null;
  const channels = recording.channels.filter((channel) => {
    if (names !== undefined) return names.includes(channel.name);
    const { messages } = statistics![channel.id]!;
    return recording.channels.length > 2 && channel.id !== recording.motion?.id && messages > 0 && messages <= FEW;
  });
  const found: Mark[] = [];
  if (channels.length === 0) return found;
  const breather = new Breather(signal);
  for await (const batch of recording.batches({ channels, signal })) {
    for (let i = 0; i < batch.length; i++) {
      const channel = recording.channels[batch.channel[i]!]!;
      const value = decoded(() => channel.schema.decode(batch.payload(i), batch.context));
      if (value === undefined || isNothing(value)) continue;
      found.push({ time: batch.time[i]!, channel: channel.id, label: `${channel.name}: ${preview(value, 80)}` });
      if (found.length >= limit) return found;
    }
    await breather.breathe();
  }
  return found;
};

/** Undefined: the payload does not fit its schema, which is a finding and no event. */
function decoded(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

function isNothing(value: Value): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== "object" || ArrayBuffer.isView(value)) return false;
  const lists = Object.values(value).filter((part) => Array.isArray(part));
  return lists.length > 0 && lists.every((list) => list.length === 0);
}
