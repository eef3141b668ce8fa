import type { Axes } from "../../../model/axes/axes.ts";

/** Robots stand on the ground: x forward, y left, z up. Every angle is by the right hand. */
export const AXES: Axes = {
  handed: "right",
  up: "z",
  kind: "local",
  angles: { order: "yaw-pitch-roll", roll: "right", pitch: "down", yaw: "left", zero: "x" },
  velocities: "set",
};
