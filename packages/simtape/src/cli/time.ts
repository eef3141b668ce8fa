import type { Recording } from "../model/recording.ts";
import type { Time } from "../model/time.ts";
import { UsageError } from "./failure.ts";

const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
  d: 86400e9,
};

/** For help texts: every form of time that commands take. */
export const TIME_HELP =
  "Times: 12.5s  1m30s  250ms  2h  90 (seconds)  50% (of the recording)  t1200 (tick or frame, from 0)  2026-02-01T12:00:00Z";

/**
 * A time given on the command line, in nanoseconds since the start of the recording. Dates need a recording that knows
 * when it began, ticks one that has them. Throws `UsageError` otherwise.
 */
export async function parseTime(text: string, recording: Recording): Promise<Time> {
  const duration = parseDuration(text);
  if (duration !== null) return duration;
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text);
  if (percent !== null) {
    const { start, end } = await recording.timeline();
    return Math.round(start + ((end - start) * Number(percent[1])) / 100);
  }
  const tick = /^t(\d+)$/.exec(text);
  if (tick !== null) return timeOfTick(Number(tick[1]), recording);
  if (/^\d{4}-\d{2}-\d{2}/.test(text)) return timeOfDate(text, recording);
  throw new UsageError(`not a time: ${JSON.stringify(text)}. ${TIME_HELP}`);
}

/** `1m30s`, `250ms`, `12.5`; null when it is none. */
export function parseDuration(text: string): Time | null {
  const match = /^(-?)((?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))+|\d+(?:\.\d+)?)$/.exec(text);
  if (match === null) return null;
  const [, sign, body] = match;
  let time = 0;
  if (/\d$/.test(body!)) time = Number(body) * 1e9;
  else
    for (const [, number, unit] of body!.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)/g))
      time += Number(number) * UNITS[unit!]!;
  return (sign === "-" ? -1 : 1) * Math.round(time);
}

async function timeOfTick(count: number, recording: Recording): Promise<Time> {
  const { tick } = await recording.timeline();
  if (tick === null) throw new UsageError(`a ${recording.info.format} recording has no ticks; give a time`);
  if (tick.duration !== null) return count * tick.duration;
  if (count >= tick.count) throw new UsageError(`there is no ${tick.name} ${count}: the last is ${tick.count - 1}`);
  const channel = recording.channels.find(({ name }) => name === "frame-start") ?? recording.motion;
  let seen = 0;
  for await (const batch of recording.batches(channel === null ? {} : { channels: [channel] })) {
    if (count < seen + batch.length) return batch.time[count - seen]!;
    seen += batch.length;
  }
  throw new UsageError(`there is no ${tick.name} ${count}`);
}

async function timeOfDate(text: string, recording: Recording): Promise<Time> {
  const { epoch } = await recording.timeline();
  if (epoch === null)
    throw new UsageError(
      `this ${recording.info.format} recording does not tell when it began; give a time since its start`,
    );
  const fraction = /\.(\d{1,9})/.exec(text);
  const milliseconds = Date.parse(text.replace(/\.\d+/, ""));
  if (Number.isNaN(milliseconds)) throw new UsageError(`not a date: ${JSON.stringify(text)}`);
  const nanoseconds = BigInt(milliseconds) * 1_000_000n + BigInt((fraction?.[1] ?? "0").padEnd(9, "0"));
  return Number(nanoseconds - epoch);
}

/** `1:02:03.456`: for people. */
export function clock(time: Time): string {
  const sign = time < 0 ? "-" : "";
  const milliseconds = Math.round(Math.abs(time) / 1e6);
  const rest = (milliseconds % 60_000) / 1000;
  const minutes = Math.floor(milliseconds / 60_000);
  const hours = Math.floor(minutes / 60);
  const seconds = rest.toFixed(3).padStart(6, "0");
  return hours > 0
    ? `${sign}${hours}:${String(minutes % 60).padStart(2, "0")}:${seconds}`
    : `${sign}${minutes}:${seconds}`;
}
