import type { Quaternion, Vector3 } from "three";
import type { Value } from "simtape";

const DEGREE = Math.PI / 180;

/** A laser scan: beams in one plane, counted counter-clockwise. */
export interface RangeScan {
  /** Of the first beam from ahead, and from each to the next; radians, counter-clockwise. */
  readonly startAngle: number;
  readonly deltaAngle: number;
  /** What is nearer or as far met nothing; metres, infinite where it is not known. */
  readonly minimumRange: number;
  readonly maximumRange: number;
  /** Metres. */
  readonly range: ArrayLike<number>;
  /** How strongly each beam came back, in units of the scanner's own; null: it is not given. */
  readonly intensity: ArrayLike<number> | null;
  /** In which it was made; null: that is not given, the scanner rides on a robot. */
  readonly frame: string | null;
  /** Of the scanner in that frame: metres, and a quaternion x, y, z, w; null: it is there. */
  readonly pose: readonly [at: readonly number[], turn: readonly number[]] | null;
}

/** Where a scanner is, in the scene. */
export interface ScanPlace {
  readonly position: Vector3;
  readonly turn: Quaternion;
}

type Members = Readonly<Record<string, Value | undefined>>;

/**
 * The value as a scan: MIRA's `RangeScan` (angles in degrees), `sensor_msgs/LaserScan`, `foxglove.LaserScan`; null when it is
 * none.
 */
export function scanOf(value: Value | undefined): RangeScan | null {
  if (!isMembers(value)) return null;
  return ofMira(value) ?? ofRos(value) ?? ofFoxglove(value);
}

function ofMira({ startAngle, deltaAngle, minimumRange, maximumRange, range, reflectance }: Members): RangeScan | null {
  if (!isNumber(startAngle) || !isNumber(deltaAngle) || !isNumber(maximumRange) || !isList(range)) return null;
  return {
    startAngle: startAngle * DEGREE,
    deltaAngle: deltaAngle * DEGREE,
    minimumRange: isNumber(minimumRange) ? minimumRange : 0,
    maximumRange,
    range,
    intensity: intensityOf(reflectance, range),
    frame: null,
    pose: null,
  };
}

function ofRos({ angle_min: first, angle_increment: step, ranges, ...others }: Members): RangeScan | null {
  if (!isNumber(first) || !isNumber(step) || !isList(ranges)) return null;
  const { range_min: least, range_max: most, intensities, header } = others;
  const frame = isMembers(header) ? header["frame_id"] : undefined;
  return {
    startAngle: first,
    deltaAngle: step,
    minimumRange: isNumber(least) ? least : 0,
    maximumRange: isNumber(most) && most > 0 ? most : Number.POSITIVE_INFINITY,
    range: ranges,
    intensity: intensityOf(intensities, ranges),
    frame: typeof frame === "string" ? frame : "",
    pose: null,
  };
}

function ofFoxglove({ start_angle: first, end_angle: last, ranges, intensities, frame_id: frame, pose }: Members) {
  if (!isNumber(first) || !isNumber(last) || !isList(ranges)) return null;
  return {
    startAngle: first,
    // the last beam is at the last angle
    deltaAngle: (last - first) / (ranges.length - 1),
    minimumRange: 0,
    maximumRange: Number.POSITIVE_INFINITY,
    range: ranges,
    intensity: intensityOf(intensities, ranges),
    frame: typeof frame === "string" ? frame : "",
    pose: poseOf(pose),
  } satisfies RangeScan;
}

function poseOf(pose: Value | undefined): RangeScan["pose"] {
  if (!isMembers(pose)) return null;
  const [position, orientation] = [pose["position"], pose["orientation"]];
  if (!isMembers(position) || !isMembers(orientation)) return null;
  const numbers = (of: Members, names: string): number[] => names.split("").map((name) => Number(of[name] ?? 0));
  const [at, turn] = [numbers(position, "xyz"), numbers(orientation, "xyzw")];
  return Math.hypot(...turn) > 0 && [...at, ...turn].every(Number.isFinite) ? [at, turn] : null;
}

/** Null where there is not one for each beam, or all are the same: then they say nothing. */
function intensityOf(value: Value | undefined, range: ArrayLike<number>): ArrayLike<number> | null {
  if (!isList(value) || value.length !== range.length) return null;
  for (let beam = 1; beam < value.length; beam++) if (value[beam] !== value[0]) return value;
  return null;
}

function isMembers(value: Value | undefined): value is Value & Members {
  return typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !Array.isArray(value);
}

function isNumber(value: Value | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Two numbers or more; those of JSON may be missing. */
function isList(value: Value | undefined): value is Value & ArrayLike<number> {
  return (Array.isArray(value) || ArrayBuffer.isView(value)) && (value as unknown as ArrayLike<number>).length > 1;
}

/**
 * The ends of the beams in the scanner's own axes: `corners` gets zero and every end, `hits` the ends that met something.
 * The others are at the scanner there, where the robot hides them.
 */
export function scanPoints(scan: RangeScan, corners: Float32Array, hits: Float32Array): void {
  const { range, minimumRange, maximumRange, startAngle, deltaAngle } = scan;
  // of what met nothing, as far as it is known that there is nothing
  const reach = Number.isFinite(maximumRange) ? maximumRange : 0;
  corners.fill(0, 0, 3);
  for (let beam = 0; beam < range.length; beam++) {
    const angle = startAngle + beam * deltaAngle;
    const away = range[beam]!;
    const isHit = away > 0 && away >= minimumRange && away < maximumRange;
    const length = isHit ? away : away >= maximumRange ? reach : 0;
    const x = Math.cos(angle) * length;
    const z = -Math.sin(angle) * length;
    const at = 3 * beam;
    corners[at + 3] = x;
    corners[at + 4] = 0;
    corners[at + 5] = z;
    hits[at] = isHit ? x : 0;
    hits[at + 1] = 0;
    hits[at + 2] = isHit ? z : 0;
  }
}
