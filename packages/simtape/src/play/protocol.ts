import type { Time, TimeRange } from "../model/values/time.ts";
import type { PlayerStatus } from "./player.ts";
import type { StatePatch } from "./patch.ts";
import type { Cause, StepUnit } from "./transport.ts";

/** What a remote player sends to the player; numbers and texts only. */
export type PlayerCommand =
  | { readonly type: "play" }
  | { readonly type: "pause" }
  /** Answered by `moved` with the same `id`, as `step` is. */
  | { readonly type: "seek"; readonly id: number; readonly time: Time }
  | { readonly type: "step"; readonly id: number; readonly count: number; readonly by: StepUnit | null }
  | { readonly type: "rate"; readonly rate: number }
  | { readonly type: "loop"; readonly range: TimeRange | null }
  /**
   * Values of these groups, `bones` for those whose names begin with `bones/`, are not sent from now on: a state says
   * that they are there, and undefined. The frame is sent again when this changes it.
   */
  | { readonly type: "omit-values"; readonly groups: readonly string[] }
  /** The last frame was taken: the next may come. */
  | { readonly type: "taken" }
  | { readonly type: "leave" };

/** What the player sends to a remote player. The first is always a status. */
export type PlayerMessage =
  | { readonly type: "status"; readonly status: PlayerStatus }
  | {
      readonly type: "frame";
      readonly time: Time;
      readonly cause: Cause;
      /** Each against that of the frame sent before. */
      readonly recorded: StatePatch;
      readonly ghosts: readonly StatePatch[];
      /** Against what is recorded in this frame; null: it is that. */
      readonly state: StatePatch | null;
    }
  | { readonly type: "moved"; readonly id: number; readonly isShown: boolean }
  /** A command that cannot be done; nothing changed. */
  | { readonly type: "refused"; readonly reason: string };

/**
 * One end of a channel for structured clones: a `MessagePort` of a page or of Node, a `Worker`, or a worker's global
 * scope.
 */
export interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  addEventListener(type: "message", listener: (event: Event) => void): void;
  removeEventListener(type: "message", listener: (event: Event) => void): void;
  /** Of ports that hold messages back until they are started. */
  start?(): void;
}
