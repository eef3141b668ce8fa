import type { Value } from "simtape";

/**
 * Joints of a walker, each behind the one above it: their names, in lower case and without what all begin with (CARLA's
 * tutorial "Walker Bone Control"). Fingers, eyes and the ends of toes are left out.
 */
const ABOVE: Readonly<Record<string, string>> = {
  root: "",
  hips__c: "root",
  spine__c: "hips__c",
  spine01__c: "spine__c",
  neck__c: "spine01__c",
  head__c: "neck__c",
  ...limbs("l"),
  ...limbs("r"),
};
const NAMES: readonly string[] = Object.keys(ABOVE);
const PARENTS: readonly number[] = NAMES.map((name) => NAMES.indexOf(ABOVE[name]!));

/** How many joints there are. */
export const JOINTS: number = NAMES.length;
/** By name: the place of a joint among them. */
export const jointOf = (name: string): number => NAMES.indexOf(name);

/** Without one of these there is no body to draw. */
const NEEDED: readonly number[] = NAMES.flatMap((name, i) => (/^(root|spine__c|shoulder|toe)/.test(name) ? [] : [i]));
const [LEFT, RIGHT] = [jointOf("thigh__l"), jointOf("thigh__r")];
const QUARTER = Math.PI / 2;

/** Of each joint its place and how it is turned, in the axes of the skeleton: x, y, z of Unreal, metres. */
const PLACES = new Float64Array(3 * JOINTS);
const TURNS = new Float64Array(4 * JOINTS);

/**
 * Where the joints of a recorded skeleton are (CARLA spec §4.19), in the axes of its walker: metres ahead, up and to the right
 * of the feet, three numbers for each, in `out`. False: it lacks some that a body needs.
 */
export function placeJoints(bones: Value | undefined, out: Float64Array): boolean {
  if (!Array.isArray(bones)) return false;
  const known = new Uint8Array(JOINTS);
  const found = new Map(bones.map((bone) => [/^c(?:t)?rl_(.*)$/i.exec(String(bone?.name))?.[1]?.toLowerCase(), bone]));
  for (let joint = 0; joint < JOINTS; joint++) {
    const bone = found.get(NAMES[joint]!) as Bone | undefined;
    let above = PARENTS[joint]!;
    while (above >= 0 && known[above] === 0) above = PARENTS[above]!;
    if (bone !== undefined && [...bone.location, ...bone.rotation].every(Number.isFinite)) {
      hang(joint, above, bone);
      known[joint] = 1;
    }
  }
  if (NEEDED.some((joint) => known[joint] === 0)) return false;
  // a joint that is missing is where the one above it is
  for (let joint = 0; joint < JOINTS; joint++) {
    let from = joint;
    while (from > 0 && known[from] === 0) from = PARENTS[from]!;
    for (let k = 0; k < 3; k++) out[3 * joint + k] = known[from] === 1 ? PLACES[3 * from + ORDER[k]!]! : 0;
  }
  face(out.subarray(0, 3 * JOINTS));
  return true;
}

interface Bone {
  /** cm, of the bone above it. */
  readonly location: readonly [number, number, number];
  /** Degrees: roll, pitch, yaw. */
  readonly rotation: readonly [number, number, number];
}

/** Of ahead, up, right: Unreal has ahead, right, up. */
const ORDER = [0, 2, 1] as const;

/** Places a joint below another; -1: below none. */
function hang(joint: number, above: number, { location, rotation }: Bone): void {
  const [px, py, pz, pw] = above < 0 ? [0, 0, 0, 1] : (TURNS.subarray(4 * above, 4 * above + 4) as unknown as Turn);
  const [x, y, z] = location.map((value) => value / 100) as [number, number, number];
  // turned by the one above: v + 2w (u × v) + 2 u × (u × v)
  const [cx, cy, cz] = [py * z - pz * y, pz * x - px * z, px * y - py * x];
  const [dx, dy, dz] = [py * cz - pz * cy, pz * cx - px * cz, px * cy - py * cx];
  const from = (k: number): number => (above < 0 ? 0 : PLACES[3 * above + k]!);
  PLACES[3 * joint] = from(0) + x + 2 * (pw * cx + dx);
  PLACES[3 * joint + 1] = from(1) + y + 2 * (pw * cy + dy);
  PLACES[3 * joint + 2] = from(2) + z + 2 * (pw * cz + dz);
  const [qx, qy, qz, qw] = turnOf(rotation);
  TURNS[4 * joint] = pw * qx + px * qw + py * qz - pz * qy;
  TURNS[4 * joint + 1] = pw * qy - px * qz + py * qw + pz * qx;
  TURNS[4 * joint + 2] = pw * qz + px * qy - py * qx + pz * qw;
  TURNS[4 * joint + 3] = pw * qw - px * qx - py * qy - pz * qz;
}

type Turn = readonly [x: number, y: number, z: number, w: number];

/** Of Unreal's angles: about x by the roll, then about y by the pitch, then about z by the yaw, as Unreal counts them. */
function turnOf(degrees: readonly number[]): Turn {
  const half = Math.PI / 360;
  const [sr, sp, sy] = degrees.map((angle) => Math.sin(angle * half)) as [number, number, number];
  const [cr, cp, cy] = degrees.map((angle) => Math.cos(angle * half)) as [number, number, number];
  return [
    cr * sp * sy - sr * cp * cy,
    -cr * sp * cy - sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];
}

/**
 * Turns all joints about the vertical by the quarter turns after which the hips look ahead most: which way a skeleton looks
 * in its own axes is not recorded.
 */
function face(out: Float64Array): void {
  const ahead = out[3 * RIGHT]! - out[3 * LEFT]!;
  const right = out[3 * RIGHT + 2]! - out[3 * LEFT + 2]!;
  const angle = QUARTER * Math.round(Math.atan2(ahead, right) / QUARTER);
  const [sine, cosine] = [Math.round(Math.sin(angle)), Math.round(Math.cos(angle))];
  for (let at = 0; at < out.length; at += 3) {
    const [x, z] = [out[at]!, out[at + 2]!];
    out[at] = x * cosine - z * sine;
    out[at + 2] = x * sine + z * cosine;
  }
}

function limbs(side: "l" | "r"): Readonly<Record<string, string>> {
  const chain = (first: string, names: readonly string[]): [string, string][] =>
    names.map((name, i) => [`${name}__${side}`, i === 0 ? first : `${names[i - 1]!}__${side}`]);
  return Object.fromEntries([
    ...chain("spine01__c", ["shoulder", "arm", "forearm", "hand"]),
    ...chain("hips__c", ["thigh", "leg", "foot", "toe"]),
  ]);
}
