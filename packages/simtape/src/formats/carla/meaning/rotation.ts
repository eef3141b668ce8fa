/** Nine numbers: in rows the directions of an actor's X, Y and Z in what it is in. */
type Matrix = Float64Array;

const DEGREE = Math.PI / 180;
const PARENT: Matrix = new Float64Array(9);
const CHILD: Matrix = new Float64Array(9);

/**
 * World place of something that sits at `relative` in its parent's frame, written into `world`. Each is a position and a
 * rotation: roll, pitch, yaw in degrees.
 */
export function attach(parent: Float64Array, relative: Float64Array, world: Float64Array): void {
  setMatrix(PARENT, parent[3]!, parent[4]!, parent[5]!);
  setMatrix(CHILD, relative[3]!, relative[4]!, relative[5]!);
  for (let k = 0; k < 3; k++) {
    world[k] = parent[k]! + turned(PARENT, k, relative[0]!, relative[1]!, relative[2]!);
  }
  // the child's axes in the world: what of them makes its rotation
  const [x0, x1, x2] = [turnedAxis(0, 0), turnedAxis(0, 1), turnedAxis(0, 2)];
  const pitch = Math.atan2(x2, Math.hypot(x0, x1));
  const yaw = Math.atan2(x1, x0);
  // Y of the same heading without roll lies in the plane: what is left of it in Y and Z is the roll.
  const [sin, cos] = [-Math.sin(yaw), Math.cos(yaw)];
  const z = turnedAxis(2, 0) * sin + turnedAxis(2, 1) * cos;
  const y = turnedAxis(1, 0) * sin + turnedAxis(1, 1) * cos;
  world[3] = Math.atan2(z, y) / DEGREE;
  world[4] = pitch / DEGREE;
  world[5] = yaw / DEGREE;
}

/** Coordinate `k` in the world of an axis of the child. */
function turnedAxis(axis: number, k: number): number {
  return turned(PARENT, k, CHILD[3 * axis]!, CHILD[3 * axis + 1]!, CHILD[3 * axis + 2]!);
}

/** Coordinate `k` of a vector that was in the frame of `matrix`. */
function turned(matrix: Matrix, k: number, x: number, y: number, z: number): number {
  return x * matrix[k]! + y * matrix[3 + k]! + z * matrix[6 + k]!;
}

/** Unreal's rotation: roll about X, then pitch about Y, then yaw about Z, left-handed; pitch up is positive. */
function setMatrix(to: Matrix, roll: number, pitch: number, yaw: number): void {
  const sr = Math.sin(roll * DEGREE);
  const cr = Math.cos(roll * DEGREE);
  const sp = Math.sin(pitch * DEGREE);
  const cp = Math.cos(pitch * DEGREE);
  const sy = Math.sin(yaw * DEGREE);
  const cy = Math.cos(yaw * DEGREE);
  to[0] = cp * cy;
  to[1] = cp * sy;
  to[2] = sp;
  to[3] = sr * sp * cy - cr * sy;
  to[4] = sr * sp * sy + cr * cy;
  to[5] = -sr * cp;
  to[6] = -(cr * sp * cy + sr * sy);
  to[7] = cy * sr - cr * sp * sy;
  to[8] = cr * cp;
}
