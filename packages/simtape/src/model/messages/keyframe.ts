import type { Time } from "../values/time.ts";

/** A position from which state can be built without what is before it. */
export interface Keyframe {
  readonly time: Time;
  readonly sequence: number;
  /** Ids of the channels for which this is so; null: all. State of other channels needs everything from the start. */
  readonly channels: readonly number[] | null;
}
