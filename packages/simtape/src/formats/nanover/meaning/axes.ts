import type { Axes } from "../../../model/axes/axes.ts";

/** Coordinates of the simulation: right-handed, z up, nm (spec §3.3). */
export const SIMULATION_AXES: Axes = { handed: "right", up: "z", kind: "local", velocities: "set" };
/**
 * Coordinates of the room: Unity's, left-handed, y up, m (spec §3.4). The quaternions take the axes of a device to those of
 * the room; which of them it looks along is not stated. Unity's own look along z.
 */
export const ROOM_AXES: Axes = { handed: "left", up: "y", kind: "local" };
