import type { Time } from "../model/values/time.ts";

/** Parts of all numbers whose quantiles are given. */
export const QUANTILES = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99] as const;

/** The numbers that a path was, each time it was recorded, over all things of its set. */
export interface PathStatistics {
  /** `vehicles/*` + `/position.x`; a value `/position/altitude-ft`. */
  readonly path: string;
  readonly unit: string | null;
  /** Numbers that were recorded; those that are not finite do not count. */
  readonly count: number;
  readonly least: number;
  readonly most: number;
  readonly mean: number;
  /** Standard deviation. */
  readonly deviation: number;
  /** By `QUANTILES`: within one percent of the rank. */
  readonly quantiles: readonly number[];
}

/** The messages of a channel. */
export interface ChannelRates {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
  /** Messages a second from the first to the last; null: there are not two times. */
  readonly rate: number | null;
  /** The longest time without a message between two, nanoseconds, and when it began; null likewise. */
  readonly gap: { readonly length: Time; readonly from: Time } | null;
}

/** A thing that has a place. */
export interface Travel {
  readonly set: string;
  readonly id: number | string;
  /** "" where it has none. */
  readonly label: string;
  /** Metres from place to place, at each recorded moment. */
  readonly distance: number;
  /** Nanoseconds that it was there. */
  readonly time: Time;
  /** Metres a second: the distance by the time; null: it was there at one moment. */
  readonly speed: number | null;
  readonly first: Time;
  readonly last: Time;
}

/** What `statistics` finds in a recording. Times are nanoseconds since its start. */
export interface RecordingStatistics {
  readonly format: string;
  readonly start: Time;
  readonly end: Time;
  /** Times with messages. */
  readonly moments: number;
  readonly channels: readonly ChannelRates[];
  readonly paths: readonly PathStatistics[];
  /** More paths and things than are listed. */
  readonly morePaths: number;
  readonly travels: readonly Travel[];
  readonly moreTravels: number;
  readonly events: readonly { readonly kind: string; readonly count: number; readonly perMinute: number | null }[];
}
