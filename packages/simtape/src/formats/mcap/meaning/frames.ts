import type { MutableColumn } from "../../../model/state/column.ts";
import type { MutableEntitySet, MutableState } from "../../../model/state/state.ts";
import { AXES, ORIENTATION, POSITION, putQuaternion, putVector, TEXT } from "./columns.ts";
import { frameIn, itemsIn, type Members, membersIn, textIn } from "./members.ts";

/** Name of the set. */
export const FRAMES = "frames";
/** Columns of the fold's own: the transform to the parent as the message has it. */
const TRANSLATION = ".translation";
const TURN = ".turn";
/** The longest way to a root: one that is longer goes in circles. */
const MOST = 64;

/**
 * Folds transforms. A frame is a thing whose place is that in the frame at the root of its tree, by the transforms that
 * hold at that time.
 */
export function applyFrames(state: MutableState, transforms: readonly Members[]): void {
  if (transforms.length === 0) return;
  const set = state.set(FRAMES, AXES);
  for (const one of transforms) {
    const child = textIn(one["child_frame_id"]);
    const row = set.row(child);
    // ROS has both in a member, Foxglove beside the names
    const transform = membersIn(one["transform"] ?? one);
    putVector(set, TRANSLATION, POSITION, row, membersIn(transform["translation"]));
    putQuaternion(set, TURN, row, membersIn(transform["rotation"]));
    set.column("parent", TEXT).putText(row, textIn(one["parent_frame_id"]) || frameIn(one));
  }
  place(set);
}

/** Columns of the fold's own: a pose as its message has it, in the frame that it names. */
const OWN_POSITION = ".position";
export const OWN_ORIENTATION = ".orientation";

/** Keeps the pose of a row as the message has it, for `placePoses`. */
export function putOwnPose(set: MutableEntitySet, row: number, pose: Members): void {
  putVector(set, OWN_POSITION, POSITION, row, membersIn(pose["position"]));
  putQuaternion(set, OWN_ORIENTATION, row, membersIn(pose["orientation"]));
}

/**
 * Puts rows `[from, to)` of poses to their places in the root of the tree that their frames are in, by the transforms that
 * hold now. A pose whose frame is in no tree stays in its frame, as does one whose frame goes in circles.
 */
export function placePoses(state: MutableState, poses: MutableEntitySet, from: number, to: number): void {
  const frames = state.sets.get(FRAMES);
  const position = poses.column("position", POSITION);
  const orientation = poses.column("orientation", ORIENTATION);
  const [ownPosition, ownOrientation] = [
    poses.column(OWN_POSITION, POSITION),
    poses.column(OWN_ORIENTATION, ORIENTATION),
  ];
  const frame = poses.column("frame", TEXT);
  for (let row = from; row < to; row++) {
    for (let k = 0; k < 3; k++) there[k] = ownPosition.number(row, k);
    for (let k = 0; k < 4; k++) there[3 + k] = ownOrientation.number(row, k);
    const isPlaced = frames !== undefined && frames.size > 0 && climbOn(frames, frames.find(frame.text(row)));
    const at = (k: number): number =>
      isPlaced ? there[k]! : k < 3 ? ownPosition.number(row, k) : ownOrientation.number(row, k - 3);
    position.put3(row, at(0), at(1), at(2));
    for (let k = 0; k < 4; k++) orientation.put(row, at(3 + k), k);
  }
}

/** The frames that a message says something of. */
export function framesIn(value: Members): readonly Members[] {
  const list = value["transforms"];
  return list === undefined ? [value] : itemsIn(list).map(membersIn);
}

const there = [0, 0, 0, 0, 0, 0, 1];

/** Puts every frame to its place in the root of its tree. */
function place(set: MutableEntitySet): void {
  const translation = set.column(TRANSLATION, POSITION);
  const turn = set.column(TURN, ORIENTATION);
  const parent = set.column("parent", TEXT);
  const position = set.column("position", POSITION);
  const orientation = set.column("orientation", ORIENTATION);
  for (let row = 0; row < set.size; row++) {
    const isRooted = climb(set, row, translation, turn, parent);
    const at = (k: number): number => (isRooted ? there[k]! : Number.NaN);
    position.put3(row, at(0), at(1), at(2));
    for (let k = 0; k < 4; k++) orientation.put(row, at(3 + k), k);
  }
}

/** Follows the parents of a frame and adds up their transforms in `there`; false where they go in circles. */
function climb(
  set: MutableEntitySet,
  row: number,
  translation: MutableColumn,
  turn: MutableColumn,
  parent: MutableColumn,
): boolean {
  there.fill(0);
  there[6] = 1;
  return climbFrom(set, row, translation, turn, parent);
}

/** As `climb`, for what is in `there` already, in the frame of a row; -1: that of no row. */
function climbOn(set: MutableEntitySet, row: number): boolean {
  const translation = set.column(TRANSLATION, POSITION);
  return climbFrom(set, row, translation, set.column(TURN, ORIENTATION), set.column("parent", TEXT));
}

function climbFrom(
  set: MutableEntitySet,
  row: number,
  translation: MutableColumn,
  turn: MutableColumn,
  parent: MutableColumn,
): boolean {
  for (let at = row, step = 0; at >= 0; at = set.find(parent.text(at)), step++) {
    if (step === MOST) return false;
    rotate(there, turn.number(at, 0), turn.number(at, 1), turn.number(at, 2), turn.number(at, 3));
    for (let k = 0; k < 3; k++) there[k]! += translation.number(at, k);
  }
  return true;
}

/** Turns position and orientation by a unit quaternion. */
function rotate(pose: number[], qx: number, qy: number, qz: number, qw: number): void {
  const [x, y, z, ax, ay, az, aw] = pose as [number, number, number, number, number, number, number];
  const tx = 2 * (qy * z - qz * y);
  const ty = 2 * (qz * x - qx * z);
  const tz = 2 * (qx * y - qy * x);
  pose[0] = x + qw * tx + (qy * tz - qz * ty);
  pose[1] = y + qw * ty + (qz * tx - qx * tz);
  pose[2] = z + qw * tz + (qx * ty - qy * tx);
  pose[3] = qw * ax + qx * aw + qy * az - qz * ay;
  pose[4] = qw * ay - qx * az + qy * aw + qz * ax;
  pose[5] = qw * az + qx * ay - qy * ax + qz * aw;
  pose[6] = qw * aw - qx * ax - qy * ay - qz * az;
}
