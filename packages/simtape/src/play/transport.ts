import type { Time } from "../model/values/time.ts";
import { farEdge, isAtEdge, nearEdge, type Passage, positionAt, wrapped } from "./passage.ts";
import { type Signal, type Stage, STAGES } from "./stages.ts";

/** Steps go by the recording's own step, by messages that carry motion, or by messages of any kind. */
export type StepUnit = "tick" | "frame" | "message";

/** Why a frame was shown. */
export type Cause = "play" | "seek" | "step" | "loop";

/** The place a load is for: a time, and steps from there. */
export interface Target {
  /** Where to begin; where a command wants to go; what a tick did not find in memory. */
  readonly kind: "start" | "move" | "starved";
  /** Null: the start of the recording, wherever that is. */
  readonly from: Time | null;
  readonly steps: number;
  readonly by: StepUnit | null;
  readonly cause: Cause;
}

/** All that decides what a player does next. Immutable; `transition` makes the next one. */
export interface Transport extends Passage {
  readonly stage: Stage;
  /** Counts activities and loads: whatever was begun under another number is stale. */
  readonly generation: number;
  readonly target: Target;
  /** Why the next frame will be shown, while that is not simply playing on. */
  readonly cause: Cause;
  readonly error: unknown;
}

export type PlayEvent =
  | { readonly type: "play" }
  | { readonly type: "pause" }
  | { readonly type: "seek"; readonly time: Time }
  | { readonly type: "step"; readonly count: number; readonly by: StepUnit | null }
  | { readonly type: "rate"; readonly rate: number }
  | { readonly type: "loop"; readonly loop: Passage["loop"] }
  /** The bounds of the recording are known. */
  | { readonly type: "opened"; readonly start: Time; readonly end: Time }
  /** A load has come to its place, which is shown: the target, or one that was overtaken meanwhile. */
  | { readonly type: "arrived"; readonly target: Target; readonly time: Time }
  /** A load that was overtaken takes too long. */
  | { readonly type: "overdue" }
  /** A tick has shown `time`, and has forgone so much wall time. */
  | { readonly type: "shown"; readonly time: Time; readonly lost: Time }
  /** A tick wants `time`, which is not in memory. */
  | { readonly type: "starved"; readonly time: Time }
  /** Starved for so long that listeners should know. */
  | { readonly type: "delayed" }
  /** A tick has shown the far edge of the loop or of the recording. */
  | { readonly type: "edge" }
  | { readonly type: "failed"; readonly error: unknown }
  | { readonly type: "close" };

/** The transport behind an event at `now`; the same object when nothing changes. */
export function transition(transport: Transport, event: PlayEvent, now: Time): Transport {
  switch (event.type) {
    case "play":
      return play(transport, now);
    case "pause":
      return signalled(transport, "pause");
    case "seek":
      return signalled(transport, "move", {
        target: { kind: "move", from: event.time, steps: 0, by: null, cause: "seek" },
      });
    case "step":
      return signalled(transition(transport, { type: "pause" }, now), "move", {
        target: stepped(transport, event.count, event.by),
      });
    case "rate":
      return turned(transport, { rate: event.rate }, now);
    case "loop":
      return turned(transport, { loop: event.loop }, now);
    case "opened":
      return { ...transport, bounds: { start: event.start, end: event.end } };
    case "arrived": {
      const anchor = { clock: now, time: event.time };
      const shown = { time: event.time, shownAt: now, anchor };
      if (event.target !== transport.target) return again(transport, shown);
      return signalled(transport, "arrived", { ...shown, cause: "play" });
    }
    case "overdue":
      return again(transport);
    case "shown": {
      const { clock, time } = transport.anchor;
      const anchor = { clock: clock + event.lost, time };
      return { ...transport, time: event.time, shownAt: now, anchor, cause: "play" };
    }
    case "starved":
      return signalled(transport, "starved", {
        target: { kind: "starved", from: event.time, steps: 0, by: null, cause: transport.cause },
      });
    case "delayed":
      return signalled(transport, "delayed");
    case "edge":
      return atEdge(transport, now);
    case "failed": {
      const { stage, target, time } = transport;
      const retried: Target =
        STAGES[stage].activity === "load" ? target : { kind: "move", from: time, steps: 0, by: null, cause: "seek" };
      return signalled(transport, "failed", { error: event.error, target: retried });
    }
    case "close":
      return signalled(transport, "close");
    default:
      return event satisfies never;
  }
}

/**
 * Where the table leads, with `changes` when it leads anywhere. Another activity is a new generation, and a move is;
 * but one that overtakes another waits until that has come to its place, so that there is something to see of many.
 */
function signalled(transport: Transport, signal: Signal, changes: Partial<Transport> = {}): Transport {
  const stage = STAGES[transport.stage].on[signal];
  if (stage === undefined) return transport;
  const isOther = STAGES[stage].activity !== STAGES[transport.stage].activity;
  const isNew = isOther || (signal === "move" && transport.target.kind !== "move");
  const error = stage === "failed" ? transport.error : null;
  return { ...transport, error, ...changes, stage, generation: transport.generation + (isNew ? 1 : 0) };
}

/** A load from the beginning, for the present target. */
function again(transport: Transport, changes: Partial<Transport> = {}): Transport {
  if (STAGES[transport.stage].activity !== "load") return transport;
  return { ...transport, ...changes, generation: transport.generation + 1 };
}

/** From the far edge, playing starts over at the other one. */
function play(transport: Transport, now: Time): Transport {
  const { stage } = transport;
  const isResting = stage === "resting" || stage === "ended";
  if (isResting && isAtEdge(transport)) {
    const moved = transition(transport, { type: "seek", time: nearEdge(transport) }, now);
    return signalled(moved, "play");
  }
  const changes = isResting ? { anchor: { clock: now, time: transport.time }, shownAt: now } : {};
  return signalled(transport, "play", changes);
}

/** Another rate or loop from where the player is now, to the nanosecond. */
function turned(transport: Transport, changes: Partial<Passage>, now: Time): Transport {
  const isRunning = transport.stage === "running";
  const time = isRunning ? positionAt(transport, now).time : transport.time;
  return signalled({ ...transport, ...changes, anchor: { clock: now, time }, shownAt: now }, "turn");
}

function stepped({ stage, target, time }: Transport, count: number, by: StepUnit | null): Target {
  const isMoving = stage === "settling" || stage === "resuming";
  const from = isMoving ? target.from : time;
  const before = isMoving && target.by === by ? target.steps : 0;
  return { kind: "move", from, steps: before + count, by, cause: "step" };
}

function atEdge(transport: Transport, now: Time): Transport {
  const anchor = wrapped(transport, now);
  if (anchor === null) return signalled(transport, "finished", { time: farEdge(transport) });
  return { ...transport, anchor, time: nearEdge(transport), cause: "loop" };
}
