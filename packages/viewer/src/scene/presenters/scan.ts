import type { Value } from "simtape";

const DEGREE = Math.PI / 180;

/** A laser scan as MIRA has it: angles in degrees, counterclockwise from ahead, ranges in metres. */
export interface RangeScan {
  readonly startAngle: number;
  readonly deltaAngle: number;
  readonly maximumRange: number;
  readonly range: ArrayLike<number>;
}

/** The value as a scan; null when it is none. */
export function scanOf(value: Value | undefined): RangeScan | null {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || Array.isArray(value)) return null;
  const scan = value as unknown as Partial<RangeScan>;
  const isScan =
    typeof scan.startAngle === "number" &&
    typeof scan.deltaAngle === "number" &&
    typeof scan.maximumRange === "number" &&
    typeof scan.range === "object" &&
    scan.range !== null &&
    scan.range.length > 1;
  return isScan ? (scan as RangeScan) : null;
}

/**
 * The ends of the beams in the scanner's own axes: `corners` gets zero and every end, `hits` the ends that met something.
 * The others are at the scanner there, where the robot hides them.
 */
export function scanPoints(scan: RangeScan, corners: Float32Array, hits: Float32Array): void {
  const { range, maximumRange, startAngle, deltaAngle } = scan;
  corners.fill(0, 0, 3);
  for (let beam = 0; beam < range.length; beam++) {
    const angle = (startAngle + beam * deltaAngle) * DEGREE;
    const isHit = range[beam]! > 0 && range[beam]! < maximumRange;
    const length = isHit ? range[beam]! : range[beam]! >= maximumRange ? maximumRange : 0;
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
