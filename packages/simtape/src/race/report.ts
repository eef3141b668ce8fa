import type { Time } from "../model/values/time.ts";

/** Where the common course is from: a lap, a path that was given, or the checkpoints. */
export type CourseKind = "lap" | "path" | "checkpoints";

/** The way along which all laps are timed, and the places at which they are. */
export interface RaceCourse {
  /** What it was made of. */
  readonly from: CourseKind;
  /** Place of the lap in `laps`; null: it is from none. */
  readonly lap: number | null;
  /** Metres. */
  readonly length: number;
  /** Metres along it, from 0 to `length`, evenly: the rows of all curves. */
  readonly along: readonly number[];
  /** Three for each of `along`: metres, z up. */
  readonly places: readonly number[];
  /** Where geodetic places were laid on a plane: degrees and metres; null: places are local. */
  readonly origin: { readonly latitude: number; readonly longitude: number; readonly altitude: number } | null;
  /** In their order; at least the end. */
  readonly splits: readonly RaceSplit[];
}

/** A place at which times are taken; the last one is the end of the course. */
export interface RaceSplit {
  /** `checkpoint 1`, `1/3`, `finish`. */
  readonly name: string;
  /** Metres along the course; null: not known, as no lap of a mark came by. */
  readonly along: number | null;
}

/** A time at a split. Seconds; null: the lap did not come there. */
export interface SplitTime {
  /** Since the lap began. */
  readonly seconds: number | null;
  /** Since the split before it, or the beginning. */
  readonly sector: number | null;
  /** What the lap that leads took less; negative: more. */
  readonly gap: number | null;
}

/** A part of the course in which the gap grew, or shrank. */
export interface Stretch {
  /** Metres along the course. */
  readonly from: number;
  readonly to: number;
  /** By how much the gap grew, seconds; negative: it shrank. */
  readonly seconds: number;
}

/** One way of one thing around the course. */
export interface RaceLap {
  /** Its place among the recordings. */
  readonly recording: number;
  /** The thing: its set, its id in it. */
  readonly set: string;
  readonly id: number | string;
  /** "" where it has none. */
  readonly label: string;
  /** Which lap of the thing in the recording, from 1 on. */
  readonly number: number;
  /** Nanoseconds since the start of the recording: when it begins, and when it ends. */
  readonly start: Time;
  readonly end: Time;
  /** From its beginning to the end of the course; null: it did not come there. */
  readonly seconds: number | null;
  /** Metres of its own way. */
  readonly distance: number;
  /** Metres along the course that it came. */
  readonly reached: number;
  /** Metres that it was away from the course at most. */
  readonly strayed: number;
  /** At the end: seconds behind the lap that leads, and metres when that one finished; null: it did not come there. */
  readonly gap: { readonly seconds: number | null; readonly metres: number | null };
  /** One for each split of the course. */
  readonly splits: readonly SplitTime[];
  /**
   * For each place of the course: `elapsed` seconds since the lap began; `seconds` behind the lap that leads (negative:
   * ahead of it); `metres` that the leading lap was farther after the same time. Null: it did not come there.
   */
  readonly curve: {
    readonly elapsed: readonly (number | null)[];
    readonly seconds: readonly (number | null)[];
    readonly metres: readonly (number | null)[];
  };
  /** Where most time was lost, and won, most first. */
  readonly lost: readonly Stretch[];
  readonly won: readonly Stretch[];
}

/** The best sectors of several laps, put together. */
export interface TheoreticalBest {
  /** Their sum. */
  readonly seconds: number;
  /** For each split, the time from the one before it, and the place in `laps` of the lap that had it. */
  readonly sectors: readonly { readonly seconds: number; readonly lap: number }[];
}

/** What `race` found. */
export interface Race {
  /** The way along which all laps were timed. */
  readonly course: RaceCourse;
  /** The fastest first; those that did not finish last, the farthest of them first. Gaps are to the first. */
  readonly laps: readonly RaceLap[];
  /** Of all laps; null: in some sector none has a time. */
  readonly theoretical: TheoreticalBest | null;
  /** Of each thing that has several laps. */
  readonly own: readonly {
    readonly recording: number;
    readonly set: string;
    readonly id: number | string;
    readonly theoretical: TheoreticalBest;
  }[];
  /** One sentence each: what was left out, and what looks wrong. */
  readonly notes: readonly string[];
}
