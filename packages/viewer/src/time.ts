import type { Time, Timeline } from "simtape";

/** `1:02.500`, `-0:03.000`, `2:00:01.000`; with `digits` behind the point. */
export function clock(time: Time, digits = 3): string {
  const sign = time < 0 ? "-" : "";
  const unit = 10 ** digits;
  const parts = Math.round((Math.abs(time) / 1e9) * unit);
  const seconds = Math.floor(parts / unit);
  const fraction = digits === 0 ? "" : `.${String(parts % unit).padStart(digits, "0")}`;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const tail = `${String(seconds % 60).padStart(2, "0")}${fraction}`;
  return hours > 0 ? `${sign}${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${sign}${minutes}:${tail}`;
}

/** The number of the tick that shows at `time`; null where ticks have no fixed length. */
export function tickAt(time: Time, { tick }: Timeline): number | null {
  return tick === null || tick.duration === null ? null : Math.floor(time / tick.duration);
}

const UNITS: Readonly<Record<string, number>> = { h: 3600e9, m: 60e9, s: 1e9, ms: 1e6, us: 1e3, ns: 1 };

/**
 * A time as people type it: `12.5` (seconds), `12.5s`, `1m30s`, `1:30`, `t1200` (a tick), `50%` (of the recording),
 * `+2s` or `-2s` (from `now`). Null: it is none.
 */
export function parseTime(text: string, timeline: Timeline, now: Time): Time | null {
  const typed = text.trim().toLowerCase();
  const relative = /^[+-](?![+-])/.exec(typed)?.[0];
  if (relative !== undefined) {
    const by = parseTime(typed.slice(1), timeline, now);
    return by === null ? null : now + (relative === "-" ? -by : by);
  }
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(typed)?.[1];
  if (percent !== undefined) return timeline.start + ((timeline.end - timeline.start) * Number(percent)) / 100;
  const tick = /^t(\d+)$/.exec(typed)?.[1];
  if (tick !== undefined) {
    const duration = timeline.tick?.duration ?? null;
    return duration === null ? null : Number(tick) * duration;
  }
  if (/^\d+(:\d{1,2}){1,2}(\.\d+)?$/.test(typed)) {
    return typed.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1e9;
  }
  if (/^\d+(\.\d+)?$/.test(typed)) return Number(typed) * 1e9;
  if (!/^(\d+(\.\d+)?(h|ms|m|us|ns|s))+$/.test(typed)) return null;
  let sum = 0;
  for (const [, number, unit] of typed.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|us|ns|s)/g))
    sum += Number(number) * UNITS[unit!]!;
  return sum;
}
