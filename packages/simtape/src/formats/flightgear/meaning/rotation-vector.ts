import { multiply, toEuler } from "../../../model/axes/rotation.ts";

const DEGREE = Math.PI / 180;

type Quaternion = readonly [x: number, y: number, z: number, w: number];

/**
 * Roll, pitch and heading in degrees, heading 0 to 360, of an aircraft at that place whose orientation is the rotation
 * vector from the earth-fixed frame to the body: Rz(lon)·Ry(-90°-lat)·Rz(heading)·Ry(pitch)·Rx(roll) (spec §5.2).
 */
export function fromRotationVector(
  vector: ArrayLike<number>,
  latitude: number,
  longitude: number,
): [roll: number, pitch: number, heading: number] {
  const [x, y, z, w] = localFrame(latitude, longitude);
  const angles: [number, number, number] = [0, 0, 0];
  toEuler(...product([-x, -y, -z, w], fromVector(vector)), angles, 0);
  const heading = angles[2] / DEGREE;
  return [angles[0] / DEGREE, angles[1] / DEGREE, heading < 0 ? heading + 360 : heading];
}

/** The rotation vector that `fromRotationVector` takes apart. */
export function toRotationVector(
  roll: number,
  pitch: number,
  heading: number,
  latitude: number,
  longitude: number,
): [number, number, number] {
  let q = product(localFrame(latitude, longitude), around(2, heading));
  q = product(product(q, around(1, pitch)), around(0, roll));
  const [x, y, z, w] = q;
  const sin = Math.hypot(x, y, z);
  if (sin === 0) return [0, 0, 0];
  const scale = (2 * Math.atan2(sin, w)) / sin;
  return [x * scale, y * scale, z * scale];
}

function localFrame(latitude: number, longitude: number): Quaternion {
  return product(around(2, longitude), around(1, -90 - latitude));
}

function fromVector(vector: ArrayLike<number>): Quaternion {
  const [x, y, z] = [vector[0]!, vector[1]!, vector[2]!];
  const angle = Math.hypot(x, y, z);
  if (angle === 0) return [0, 0, 0, 1];
  const scale = Math.sin(angle / 2) / angle;
  return [x * scale, y * scale, z * scale, Math.cos(angle / 2)];
}

function around(axis: 0 | 1 | 2, degrees: number): Quaternion {
  const sin = Math.sin((degrees * DEGREE) / 2);
  return [axis === 0 ? sin : 0, axis === 1 ? sin : 0, axis === 2 ? sin : 0, Math.cos((degrees * DEGREE) / 2)];
}

function product(a: Quaternion, b: Quaternion): Quaternion {
  const result: [number, number, number, number] = [0, 0, 0, 0];
  multiply(...a, ...b, result, 0);
  return result;
}
