import type { Time, Timeline } from "simtape";
import { clock, parseTime, tickAt } from "./time.ts";

/** As what times are shown: since the start, by the clock on the wall, or as the format's own steps. */
export type TimeMode = "start" | "wall" | "tick";

/** How times of a recording are shown and read. */
export interface TimeScale {
  readonly mode: TimeMode;
  /** A time that has a round name, and how long the steps are that all have one; null: seconds. */
  readonly origin: Time;
  readonly step: Time | null;
  /** With `digits` behind the point, where there is one. */
  text(time: Time, digits?: number): string;
  /** A time as people type it; null: it is none. */
  parse(text: string, now: Time): Time | null;
}

const DAY = 86_400e9;

/** Those that a recording can have. */
export function modesOf({ epoch, tick }: Timeline): readonly TimeMode[] {
  return ["start", ...(epoch === null ? [] : (["wall"] as const)), ...(hasTicks(tick) ? (["tick"] as const) : [])];
}

export function timeScale(timeline: Timeline, wanted: unknown): TimeScale {
  const mode = modesOf(timeline).find((one) => one === wanted) ?? "start";
  const parse = (text: string, now: Time): Time | null => parseTime(text, timeline, now);
  if (mode === "tick") {
    const text = (time: Time): string => `t${tickAt(time, timeline)}`;
    return { mode, origin: 0, step: timeline.tick!.duration, text, parse };
  }
  if (mode === "start") return { mode, origin: 0, step: null, text: clock, parse };
  const midnight = midnightOf(timeline);
  return {
    mode,
    origin: midnight,
    step: null,
    text: (time, digits) => timeOfDay((((time - midnight) % DAY) + DAY) % DAY, digits),
    parse: (text, now) => {
      const typed = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?$/.exec(text.trim());
      if (typed === null) return parse(text, now);
      const [, hours, minutes, seconds = "0"] = typed;
      const time = midnight + (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1e9;
      // A recording that begins before midnight may end behind it.
      return time < timeline.start - DAY / 2 ? time + DAY : time;
    },
  };
}

function hasTicks(tick: Timeline["tick"]): boolean {
  return tick !== null && tick.duration !== null && tick.duration > 0;
}

/** The time of the recording at which its first day began here, where the user is. */
function midnightOf({ epoch }: Timeline): Time {
  const milliseconds = Number(epoch! / 1_000_000n);
  const midnight = new Date(milliseconds).setHours(0, 0, 0, 0);
  return (midnight - milliseconds) * 1e6 - Number(epoch! % 1_000_000n);
}

/** `09:05:00.000` */
function timeOfDay(sinceMidnight: Time, digits?: number): string {
  const text = clock(sinceMidnight, digits);
  const parts = text.split(":");
  return [...Array<string>(3 - parts.length).fill("00"), ...parts]
    .map((part) => part.replace(/^(\d)(?=\.|$)/, "0$1"))
    .join(":");
}
