/** A way along an axis of a set. */
export type Direction = "x" | "-x" | "y" | "-y" | "z" | "-z";

/** A direction on the earth. */
/** Where a thing looks in a geodetic set. */
export type Compass = "north" | "east" | "south" | "west";

/**
 * What the numbers of a set mean: where its axes point, what its angles turn and where the things in it look. What is not
 * stated is as `standardAxes` has it for the same `handed`, `up` and `kind`; a set without axes is right-handed, z up,
 * local. `transformOf` turns any of it to standard axes and back. The table of all formats is in docs/state.md.
 */
export interface Axes {
  /** Whose hand: thumb, first and middle finger along x, y and z. */
  readonly handed: "right" | "left";
  /** Away from the ground. */
  readonly up: Direction;
  /** `geodetic`: where things are is a `geodetic` column. The axes lie on the ground where each thing is, x to the east. */
  readonly kind: "local" | "geodetic";
  /** Of a `rotation` column. */
  readonly angles?: Angles;
  /** Of an `orientation` column, and of velocities that are along them. */
  readonly own?: OwnAxes;
  /** Along which axes velocities, accelerations and angular velocities are: the set's, or the thing's own. */
  readonly velocities?: "set" | "own";
  /** Ticks a second, of a velocity a tick. Not stated: it is not known how long one is. */
  readonly tickRate?: number;
}

/**
 * What a `rotation` column means: roll, pitch and yaw (or heading), always in these three places. Its unit is the
 * column's. With all of them 0 a thing stands upright and looks to `zero`.
 */
export interface Angles {
  /** Each turn is about the thing's own axis as the ones before have left it. Where the set is geodetic, yaw is first. */
  readonly order:
    | "yaw-pitch-roll"
    | "yaw-roll-pitch"
    | "pitch-yaw-roll"
    | "pitch-roll-yaw"
    | "roll-yaw-pitch"
    | "roll-pitch-yaw";
  /** The side that goes down as roll grows. */
  readonly roll: "right" | "left";
  /** Where the nose goes as pitch grows. */
  readonly pitch: "up" | "down";
  /** Where the nose goes as yaw grows: to the right is clockwise, seen from above. */
  readonly yaw: "left" | "right";
  /** Level: along an axis of a local set, to a quarter of the compass in a geodetic one. */
  readonly zero: Direction | Compass;
}

/**
 * A thing's own axes, as handed as the set's: what quaternions turn, and what `velocities: "own"` are along. Not stated:
 * a thing that is not turned has the axes of the set, and looks along x (where x is up, along y).
 */
export interface OwnAxes {
  readonly forward: Direction;
  readonly up: Direction;
}
