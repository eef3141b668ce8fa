/** Where a player stands. */
export type Stage =
  /** On its way to a place, to rest there. */
  | "settling"
  /** On its way to a place, to play on from there. */
  | "resuming"
  | "resting"
  | "running"
  /** Playing, but what comes next is not there yet; for too short a time to report. */
  | "waiting"
  /** The same for longer. */
  | "starving"
  | "ended"
  | "failed"
  | "closed";

/** What happens to a player: the first four are asked of it, the others come from what it does. */
export type Signal =
  | "play"
  | "pause"
  | "move"
  | "turn"
  | "arrived"
  | "starved"
  | "delayed"
  | "finished"
  | "failed"
  | "close";

/** What users see of a stage. */
export type Phase = "loading" | "paused" | "playing" | "buffering" | "ended" | "failed" | "closed";

/** The one thing a player does at a time: fetching a place, or going on tick by tick. */
export type ActivityKind = "load" | "run" | null;

interface StageRow {
  readonly phase: Phase;
  readonly activity: ActivityKind;
  /** Signals that lead elsewhere, or that are answered; any other leaves everything as it is. */
  readonly on: Readonly<Partial<Record<Signal, Stage>>>;
}

/** Every transition there is. `move` goes to another place, `turn` changes how time passes (rate, loop). */
export const STAGES: Readonly<Record<Stage, StageRow>> = {
  settling: {
    phase: "loading",
    activity: "load",
    on: { play: "resuming", move: "settling", arrived: "resting", failed: "failed", close: "closed" },
  },
  resuming: {
    phase: "loading",
    activity: "load",
    on: { pause: "settling", move: "resuming", arrived: "running", failed: "failed", close: "closed" },
  },
  resting: {
    phase: "paused",
    activity: null,
    on: { play: "running", move: "settling", close: "closed" },
  },
  running: {
    phase: "playing",
    activity: "run",
    on: {
      pause: "resting",
      move: "resuming",
      turn: "running",
      starved: "waiting",
      finished: "ended",
      failed: "failed",
      close: "closed",
    },
  },
  waiting: {
    phase: "playing",
    activity: "load",
    on: {
      pause: "resting",
      move: "resuming",
      turn: "running",
      arrived: "running",
      delayed: "starving",
      failed: "failed",
      close: "closed",
    },
  },
  starving: {
    phase: "buffering",
    activity: "load",
    on: {
      pause: "resting",
      move: "resuming",
      turn: "running",
      arrived: "running",
      failed: "failed",
      close: "closed",
    },
  },
  ended: {
    phase: "ended",
    activity: null,
    on: { play: "running", move: "settling", close: "closed" },
  },
  failed: {
    phase: "failed",
    activity: null,
    on: { play: "resuming", move: "settling", close: "closed" },
  },
  closed: { phase: "closed", activity: null, on: {} },
};
