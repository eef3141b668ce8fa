import type { Recording } from "../model/recording.ts";
import { after, type Time, type Timeline } from "../model/values/time.ts";
import type { ChannelInfo, Value } from "../model/values/value.ts";
import type { StepUnit } from "./transport.ts";

/**
 * The time `count` steps from `time`, back when it is negative; at most the first or last message. Steps whose unit the
 * recording has not are by the next smaller one: ticks, messages of motion, messages.
 */
export async function stepFrom(
  recording: Recording,
  timeline: Timeline,
  time: Time,
  count: number,
  by: StepUnit | null,
  signal: AbortSignal,
): Promise<Time> {
  const tick = timeline.tick?.duration ?? null;
  const { start, end } = timeline;
  if (tick !== null && (by === null || by === "tick")) {
    const here = count > 0 ? Math.floor(time / tick) : Math.ceil(time / tick);
    return Math.min(end, Math.max(start, (here + count) * tick));
  }
  const channels = recording.motion === null || by === "message" ? undefined : [recording.motion];
  return (await momentFrom(recording, time, count, channels, signal)) ?? (count > 0 ? end : start);
}

/** The `count`th moment behind `time` at which there is a message; before it when negative. Null: there are not so many. */
async function momentFrom(
  recording: Recording,
  time: Time,
  count: number,
  channels: readonly ChannelInfo[] | undefined,
  signal: AbortSignal,
): Promise<Time | null> {
  const isBack = count < 0;
  const query = isBack ? { end: time, reverse: true } : { start: after(time) };
  let left = Math.abs(count);
  let moment = time;
  for await (const { length, time: times } of recording.batches({ ...query, channels, signal })) {
    for (let n = 0; n < length; n++) {
      const at = times[isBack ? length - 1 - n : n]!;
      if (at === moment) continue;
      moment = at;
      if (--left === 0) return moment;
    }
  }
  return null;
}

/** What happened, to lay recordings upon each other by it. */
export interface EventSearch {
  readonly channel: string;
  /** Which message it is; absent: any. */
  readonly where?: ((value: Value) => boolean) | undefined;
  /** Which of those, from 0; negative counts from the last. Default 0. */
  readonly nth?: number | undefined;
}

/** When it happened; null: never, or not so often. Throws `RangeError` when there is no such channel. */
export async function findEvent(recording: Recording, event: EventSearch, signal?: AbortSignal): Promise<Time | null> {
  const { where, nth = 0 } = event;
  let left = nth < 0 ? -nth - 1 : nth;
  for await (const message of recording.messages(recording.channel(event.channel), { reverse: nth < 0, signal })) {
    if (where !== undefined && !where(message.value)) continue;
    if (left-- === 0) return message.time;
  }
  return null;
}
