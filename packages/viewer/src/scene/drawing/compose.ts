/** Matrices of instances, straight into the array that goes to the graphics card. Column-major, as WebGL has them. */

/** Position, quaternion and scale as a matrix; `out` gets 16 numbers from `at` on. */
export function compose(
  px: number,
  py: number,
  pz: number,
  x: number,
  y: number,
  z: number,
  w: number,
  sx: number,
  sy: number,
  sz: number,
  out: Float32Array,
  at: number,
): void {
  out[at] = (1 - 2 * (y * y + z * z)) * sx;
  out[at + 1] = 2 * (x * y + w * z) * sx;
  out[at + 2] = 2 * (x * z - w * y) * sx;
  out[at + 3] = 0;
  out[at + 4] = 2 * (x * y - w * z) * sy;
  out[at + 5] = (1 - 2 * (x * x + z * z)) * sy;
  out[at + 6] = 2 * (y * z + w * x) * sy;
  out[at + 7] = 0;
  out[at + 8] = 2 * (x * z + w * y) * sz;
  out[at + 9] = 2 * (y * z - w * x) * sz;
  out[at + 10] = (1 - 2 * (x * x + y * y)) * sz;
  out[at + 11] = 0;
  out[at + 12] = px;
  out[at + 13] = py;
  out[at + 14] = pz;
  out[at + 15] = 1;
}

/** A rod of the unit cylinder (length 1 along y, middle at 0) from one point to another. */
export function composeRod(
  ax: number,
  ay: number,
  az: number,
  bx: number,
  by: number,
  bz: number,
  radius: number,
  out: Float32Array,
  at: number,
): void {
  const dx = bx - ax;
  const dy = by - ay;
  const dz = bz - az;
  // Not Math.hypot, which takes four times as long: nothing here comes near to where squares overflow.
  const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
  // Half-way between y and the direction: the axis of the turn that takes one to the other.
  let x = dx / (length || 1);
  let y = dy / (length || 1) + 1;
  let z = dz / (length || 1);
  const half = Math.sqrt(x * x + y * y + z * z);
  if (half < 1e-6) {
    x = 1;
    y = z = 0;
  } else {
    x /= half;
    y /= half;
    z /= half;
  }
  compose((ax + bx) / 2, (ay + by) / 2, (az + bz) / 2, z, 0, -x, y, radius, length, radius, out, at);
}

/** The vector `v` of a thing's own axes in the scene: `out` gets 3 numbers. */
export function rotate(
  orientations: Float32Array,
  from: number,
  vx: number,
  vy: number,
  vz: number,
  out: Float32Array | Float64Array,
  at: number,
): void {
  const x = orientations[from]!;
  const y = orientations[from + 1]!;
  const z = orientations[from + 2]!;
  const w = orientations[from + 3]!;
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  out[at] = vx + w * tx + y * tz - z * ty;
  out[at + 1] = vy + w * ty + z * tx - x * tz;
  out[at + 2] = vz + w * tz + x * ty - y * tx;
}
