import type { Numbers } from "simtape";

/*
 * From the library's standard axes, z up, to the scene's, y up: x stays, what is left of it becomes away from the viewer.
 * A thing's own axes in the scene are x forward, y up, z to its right.
 */

/** The vector at `at`. */
export function turnVectorUp(out: Numbers, at: number): void {
  const y = out[at + 1]!;
  out[at + 1] = out[at + 2]!;
  out[at + 2] = -y;
}

/** Back from `turnVectorUp`. */
export function turnVectorDown(out: Numbers, at: number): void {
  const y = out[at + 1]!;
  out[at + 1] = -out[at + 2]!;
  out[at + 2] = y;
}

/** The quaternion x, y, z, w at `at`. */
export function turnQuaternionUp(out: Numbers, at: number): void {
  turnVectorUp(out, at);
}
