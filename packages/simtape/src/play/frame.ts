import type { State } from "../model/state/state.ts";
import type { Time } from "../model/values/time.ts";
import type { MovingState } from "./ground-speeds.ts";
import type { Cause } from "./transport.ts";

/** What a player shows. */
export interface Frame {
  readonly time: Time;
  /**
   * The time of the frame this listener got before, when everything between the two was passed: the messages of
   * `(since, time]`, or backwards of `(time, since]`. Null behind a jump.
   */
  readonly since: Time | null;
  readonly cause: Cause;
  /** What moves is interpolated between two moments of motion, unless `PlayOptions.interpolate` is false: for pictures. */
  readonly state: MovingState;
  /** What was recorded at or before the time, nothing interpolated: for numbers. Where `state` is that, the same object. */
  readonly recorded: State;
  /** As `state`, in the order of `PlayOptions.ghosts`. */
  readonly ghosts: readonly MovingState[];
}

/** The next frame waits until the promise given back settles; of what happens meanwhile only the newest is kept. */
export type FrameListener = (frame: Frame) => void | Promise<void>;
