import type { Vector } from "./layout.ts";

/** Rows are the directions of an actor's X, Y and Z in the world. */
type Matrix = readonly [Vector, Vector, Vector];

const DEGREE = Math.PI / 180;

/** World place of something that sits at `relative` in its parent's frame. Rotations are roll, pitch, yaw in degrees. */
export function attach(
  position: Vector,
  rotation: Vector,
  relativePosition: Vector,
  relativeRotation: Vector,
): { position: Vector; rotation: Vector } {
  const parent = matrix(rotation);
  const offset = transform(relativePosition, parent);
  const child = matrix(relativeRotation);
  const world: Matrix = [transform(child[0], parent), transform(child[1], parent), transform(child[2], parent)];
  return {
    position: [position[0] + offset[0], position[1] + offset[1], position[2] + offset[2]],
    rotation: angles(world),
  };
}

/** Unreal's rotation: roll about X, then pitch about Y, then yaw about Z, left-handed; pitch up is positive. */
function matrix([roll, pitch, yaw]: Vector): Matrix {
  const sr = Math.sin(roll * DEGREE);
  const cr = Math.cos(roll * DEGREE);
  const sp = Math.sin(pitch * DEGREE);
  const cp = Math.cos(pitch * DEGREE);
  const sy = Math.sin(yaw * DEGREE);
  const cy = Math.cos(yaw * DEGREE);
  return [
    [cp * cy, cp * sy, sp],
    [sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, -sr * cp],
    [-(cr * sp * cy + sr * sy), cy * sr - cr * sp * sy, cr * cp],
  ];
}

function transform([x, y, z]: Vector, [a, b, c]: Matrix): Vector {
  return [x * a[0] + y * b[0] + z * c[0], x * a[1] + y * b[1] + z * c[1], x * a[2] + y * b[2] + z * c[2]];
}

function angles([x, y, z]: Matrix): Vector {
  const pitch = Math.atan2(x[2], Math.hypot(x[0], x[1]));
  const yaw = Math.atan2(x[1], x[0]);
  // Y of the same heading without roll lies in the plane: what is left of it in Y and Z is the roll.
  const level: Vector = [-Math.sin(yaw), Math.cos(yaw), 0];
  const roll = Math.atan2(dot(z, level), dot(y, level));
  return [roll / DEGREE, pitch / DEGREE, yaw / DEGREE];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
