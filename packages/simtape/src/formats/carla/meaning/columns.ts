import type { Axes } from "../../../model/axes/axes.ts";
import type { ColumnSpec, MutableColumn } from "../../../model/state/column.ts";
import type { MutableEntitySet } from "../../../model/state/state.ts";

/**
 * Unreal's world: left-handed, X forward, Y right, Z up; yaw turns from X towards Y, a nose that goes up pitches
 * positively, roll lowers the right side (spec §1). Velocities are along the world's axes.
 */
export const AXES: Axes = {
  handed: "left",
  up: "z",
  kind: "local",
  angles: { order: "yaw-pitch-roll", roll: "right", pitch: "up", yaw: "right", zero: "x" },
  velocities: "set",
};

/** Set of each actor type (spec §4.2). */
export const SETS: readonly string[] = [
  "other",
  "vehicles",
  "walkers",
  "traffic-lights",
  "traffic-signs",
  "sensors",
  "other",
];

/** Sets that users see; they have axes. */
export const SHOWN_SETS: readonly string[] = [
  "vehicles",
  "walkers",
  "traffic-lights",
  "traffic-signs",
  "sensors",
  "other",
  "scene-lights",
];

/** Every live actor's type. */
export const ACTORS = ".actors";

/** Sets of the fold's own: actors, what goes along with what, who was added in this frame. */
export const OWN_SETS: readonly string[] = [ACTORS, ".attached", ".fresh"];

const TEXT: ColumnSpec = { kind: "string", width: 1, unit: null };
const FLAG: ColumnSpec = { kind: "u8", width: 1, unit: null };
const BITS: ColumnSpec = { kind: "u32", width: 1, unit: null };
const ID: ColumnSpec = { kind: "f64", width: 1, unit: null };
const SECONDS: ColumnSpec = { kind: "f32", width: 1, unit: "s" };
const RATIO: ColumnSpec = { kind: "f32", width: 1, unit: null, interpolation: "linear" };
const SPEED: ColumnSpec = { kind: "f32", width: 1, unit: "cm/s", interpolation: "linear" };

function wide(unit: string, interpolation?: ColumnSpec["interpolation"]): ColumnSpec {
  return { kind: "f64", width: 3, unit, interpolation };
}

export type ColumnName =
  | "kind"
  | "label"
  | "parent"
  | "position"
  | "rotation"
  | "box-center"
  | "box-extent"
  | "trigger-center"
  | "trigger-extent"
  | "velocity"
  | "angular-velocity"
  | "steering"
  | "throttle"
  | "brake"
  | "handbrake"
  | "gear"
  | "lights"
  | "open-doors"
  | "forward-speed"
  | "rpm-ratio"
  | "speed"
  | "state"
  | "frozen"
  | "state-time"
  | "green-time"
  | "yellow-time"
  | "red-time"
  | "intensity"
  | "color"
  | "on"
  | "type"
  | "relative";

/** Every column that the fold makes, in whichever set. */
export const COLUMNS: Readonly<Record<ColumnName, ColumnSpec>> = {
  kind: TEXT,
  label: TEXT,
  parent: ID,
  position: wide("cm", "linear"),
  rotation: wide("deg", "angle-deg"),
  "box-center": wide("cm"),
  "box-extent": wide("cm"),
  "trigger-center": wide("cm"),
  "trigger-extent": wide("cm"),
  velocity: wide("m/s"),
  "angular-velocity": wide("deg/s"),
  steering: RATIO,
  throttle: RATIO,
  brake: RATIO,
  handbrake: FLAG,
  gear: { kind: "i32", width: 1, unit: null },
  lights: BITS,
  "open-doors": BITS,
  "forward-speed": SPEED,
  "rpm-ratio": RATIO,
  speed: SPEED,
  state: FLAG,
  frozen: FLAG,
  "state-time": SECONDS,
  "green-time": SECONDS,
  "yellow-time": SECONDS,
  "red-time": SECONDS,
  intensity: { kind: "f32", width: 1, unit: null },
  color: { kind: "f32", width: 4, unit: null },
  on: FLAG,
  /** Of a scene light, and in `.actors` of an actor. */
  type: FLAG,
  /** Place and rotation in the parent's frame, in `.attached`. */
  relative: { kind: "f64", width: 6, unit: null },
};

export function isColumnName(name: string): name is ColumnName {
  return Object.hasOwn(COLUMNS, name);
}

export function column(set: MutableEntitySet, name: ColumnName): MutableColumn {
  return set.column(name, COLUMNS[name]);
}
