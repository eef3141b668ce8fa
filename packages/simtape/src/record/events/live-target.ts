import type { Recorder } from "../live/recorder.ts";

/** Where events go: a recorder, or what takes as much of it as it can. */
export type LiveTarget = Pick<
  Recorder,
  | "tick"
  | "goTo"
  | "world"
  | "state"
  | "ready"
  | "commit"
  | "poll"
  | "snapshot"
  | "session"
  | "subject"
  | "epoch"
  | "channel"
  | "write"
  | "status"
>;
