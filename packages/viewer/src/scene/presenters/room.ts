import { Matrix4, Quaternion, Vector3 } from "three";
import type { Value } from "simtape";

/**
 * NanoVer's `scene`: where the simulation is in the room of its users, as px, py, pz, qx, qy, qz, qw, sx, sy, sz
 * (NanoVer spec §3.4). The room is left-handed with y up, in metres, and the simulation's x is mirrored in it. Sets
 * `out` to what takes simulation nm, turned to y up like all else, into the scene; false when the value is none.
 */
export function roomPose(value: Value | undefined, out: Matrix4): boolean {
  const numbers = value as ArrayLike<unknown> | undefined;
  if (typeof numbers !== "object" || numbers === null || !(numbers.length >= 10)) return false;
  for (let i = 0; i < 10; i++) {
    const number = numbers[i];
    if (typeof number !== "number" || !Number.isFinite(number)) return false;
    POSE[i] = number;
  }
  POSITION.fromArray(POSE, 0);
  TURN.fromArray(POSE, 3).normalize();
  SCALE.fromArray(POSE, 7);
  out.compose(POSITION, TURN, SCALE).premultiply(ROOM_TO_SCENE).multiply(MIRROR).multiply(BACK);
  return true;
}

const ROOM_TO_SCENE = new Matrix4().makeScale(1, 1, -1);
const MIRROR = new Matrix4().makeScale(-1, 1, 1);
/** From y up to the simulation's z up. */
const BACK = new Matrix4().set(1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1);
const POSE: number[] = [];
const POSITION = new Vector3();
const TURN = new Quaternion();
const SCALE = new Vector3();
