/** Where numbers are written to, from an index on. */
export type Numbers = Float32Array | Float64Array | number[];

/**
 * Quaternion x, y, z, w of three turns by the right hand, radians: about x, then about y, then about z, each a fixed
 * axis. `out` gets 4 numbers from `at` on. Nothing here allocates.
 */
export function fromEuler(roll: number, pitch: number, yaw: number, out: Numbers, at: number): void {
  const sr = Math.sin(roll / 2);
  const cr = Math.cos(roll / 2);
  const sp = Math.sin(pitch / 2);
  const cp = Math.cos(pitch / 2);
  const sy = Math.sin(yaw / 2);
  const cy = Math.cos(yaw / 2);
  out[at] = sr * cp * cy - cr * sp * sy;
  out[at + 1] = cr * sp * cy + sr * cp * sy;
  out[at + 2] = cr * cp * sy - sr * sp * cy;
  out[at + 3] = cr * cp * cy + sr * sp * sy;
}

/**
 * The turns that `fromEuler` makes this unit quaternion of: `out` gets roll, pitch, yaw, radians, pitch within ±π/2. With
 * a pitch of ±π/2 roll and yaw are about one axis, and what each gets of them is rounding.
 */
export function toEuler(x: number, y: number, z: number, w: number, out: Numbers, at: number): void {
  out[at] = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  out[at + 1] = Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))));
  out[at + 2] = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

/** Turn b, then turn a: `out` gets the quaternion x, y, z, w from `at` on. */
export function multiply(
  ax: number,
  ay: number,
  az: number,
  aw: number,
  bx: number,
  by: number,
  bz: number,
  bw: number,
  out: Numbers,
  at: number,
): void {
  out[at] = aw * bx + ax * bw + ay * bz - az * by;
  out[at + 1] = aw * by - ax * bz + ay * bw + az * bx;
  out[at + 2] = aw * bz + ax * by - ay * bx + az * bw;
  out[at + 3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** Turns the vector at `at` of `out` by a unit quaternion. */
export function rotate(qx: number, qy: number, qz: number, qw: number, out: Numbers, at: number): void {
  const x = out[at]!;
  const y = out[at + 1]!;
  const z = out[at + 2]!;
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  out[at] = x + qw * tx + qy * tz - qz * ty;
  out[at + 1] = y + qw * ty + qz * tx - qx * tz;
  out[at + 2] = z + qw * tz + qx * ty - qy * tx;
}
