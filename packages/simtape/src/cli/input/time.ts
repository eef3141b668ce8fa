import type { Recording } from "../../model/recording.ts";
import type { Time, TimeRange, Timeline } from "../../model/values/time.ts";
import { UsageError } from "../run/failure.ts";

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
  "Times: 12.5s  1m30s  0:03.400 (as printed)  250ms  2h  90 (seconds)  50% (of the recording)  t1200 (tick or frame, from 0)\n       2026-02-01T12:00:00Z (with a zone)";

/** Half of what `clock` rounds to: a printed time may be so far behind the end, or before the start. */
const ROUNDED: Time = 500_000;

/**
 * A time in a recording, in nanoseconds since its start. Throws `UsageError` for what is no time, and for a time at which
 * there is nothing of the recording: the message says from when to when it goes.
 */
export async function parseTime(text: string, recording: Recording): Promise<Time> {
  const timeline = await recording.timeline();
  return within(await instantOf(text, recording), text, timeline);
}

/**
 * The range of `--from` and `--until`. `until` may lie behind the end. Throws `UsageError` where nothing of the recording
 * is in the range.
 */
export async function parseRange(
  { from, until }: { readonly from?: string | undefined; readonly until?: string | undefined },
  recording: Recording,
): Promise<TimeRange> {
  const timeline = await recording.timeline();
  const start = from === undefined ? undefined : await parseTime(from, recording);
  if (until === undefined) return { start };
  const end = await instantOf(until, recording);
  if (end < firstOf(timeline)) throw outside(until, timeline);
  if (end <= (start ?? firstOf(timeline)))
    throw new UsageError(
      from === undefined
        ? `nothing is before --until ${until}: ${extent(timeline)}`
        : `--until ${until} is not behind --from ${from}: ${extent(timeline)}`,
    );
  return { start, end };
}

/** A time since the start of a recording, whether or not the recording has come so far. Throws `UsageError`. */
export async function instantOf(text: string, recording: Recording): Promise<Time> {
  const duration = parseDuration(text);
  if (duration !== null) return duration;
  const percent = /^(-?\d+(?:\.\d+)?)%$/.exec(text);
  if (percent !== null) return timeOfShare(Number(percent[1]), text, await recording.timeline());
  const tick = /^t(\d+)$/.exec(text);
  if (tick !== null) return timeOfTick(Number(tick[1]), recording);
  if (isDate(text)) return timeOfDate(text, recording);
  throw new UsageError(`not a time: ${JSON.stringify(text)}. ${TIME_HELP}`);
}

/** `1m30s`, `250ms`, `12.5`, and the printed form `1:02:03.456`; null when it is none. */
export function parseDuration(text: string): Time | null {
  const [, sign, body] = /^(-?)(.+)$/s.exec(text) ?? [];
  const time = body === undefined ? null : (withUnits(body) ?? printed(body));
  return time === null ? null : (sign === "-" ? -1 : 1) * Math.round(time);
}

function withUnits(text: string): Time | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1e9;
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d))+$/.test(text)) return null;
  let time = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)/g))
    time += Number(number) * UNITS[unit!]!;
  return time;
}

/** As `clock` writes it. */
function printed(text: string): Time | null {
  const [, hours, minutes, seconds] = /^(?:(\d+):(?=[0-5]\d:))?(\d+):([0-5]\d(?:\.\d+)?)$/.exec(text) ?? [];
  return minutes === undefined ? null : (Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1e9;
}

/** What a recording may be asked for begins at 0, even where its first message comes later. */
function firstOf({ start }: Timeline): Time {
  return Math.min(0, start);
}

function within(time: Time, text: string, timeline: Timeline): Time {
  const first = firstOf(timeline);
  if (time < first - ROUNDED || time > timeline.end + ROUNDED) throw outside(text, timeline);
  return Math.min(Math.max(time, first), timeline.end);
}

function outside(text: string, timeline: Timeline): UsageError {
  const { end, epoch } = timeline;
  const dates = epoch === null || !isDate(text) ? [] : [firstOf(timeline), end].map((time) => dateOf(epoch, time));
  const wall = dates.length === 0 || dates.includes(null) ? "" : ` (${dates.join(" to ")})`;
  return new UsageError(`${text} is not in the recording: ${extent(timeline)}${wall}`);
}

/** For messages: from when to when a recording goes. */
function extent(timeline: Timeline): string {
  return `it goes from ${clock(firstOf(timeline))} to ${clock(timeline.end)}`;
}

/** Null for a date that cannot be written. */
function dateOf(epoch: bigint, time: Time): string | null {
  const date = new Date(Number((epoch + BigInt(Math.round(time))) / 1_000_000n));
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function timeOfShare(share: number, text: string, timeline: Timeline): Time {
  if (share < 0 || share > 100) throw new UsageError(`a share is from 0% to 100%, not ${text}: ${extent(timeline)}`);
  const { start, end } = timeline;
  return Math.round(start + ((end - start) * share) / 100);
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

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}/.test(text);
}

const DATE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

async function timeOfDate(text: string, recording: Recording): Promise<Time> {
  const { epoch } = await recording.timeline();
  if (!DATE.test(text))
    throw new UsageError(
      `a date needs a time and a zone, as 2026-02-01T12:00:00Z or 2026-02-01T13:00:00+01:00, not ${text}`,
    );
  if (epoch === null)
    throw new UsageError(
      `this ${recording.info.format} recording does not tell when it began; give a time since its start`,
    );
  const fraction = /\.(\d{1,9})/.exec(text);
  const milliseconds = Date.parse(text.replace(/\.\d+/, "").replace(" ", "T"));
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
