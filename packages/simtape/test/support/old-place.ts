import type { Axes } from "../../src/index.ts";

/*
 * How axes were turned when they said no more than handed, up and kind: what recordings were converted with, to the last
 * bit.
 */

export function vectorOfOld({ handed, up }: Axes, a: number, b: number, c: number): number[] {
  if (up === "z") return handed === "right" ? [a, b, c] : [a, -b, c];
  return handed === "right" ? [a, -c, b] : [a, c, b];
}

export function orientationOfOld({ handed, up }: Axes, x: number, y: number, z: number, w: number): number[] {
  if (up === "z") return handed === "left" ? [-x, y, -z, w] : [x, y, z, w];
  return handed === "right" ? [x, -z, y, w] : [-x, -z, -y, w];
}

export function anglesOfOld({ handed, up, kind }: Axes, a: number, b: number, c: number, radians: number): number[] {
  const [roll, pitch, yaw] = [a * radians, b * radians, c * radians];
  if (kind === "geodetic") return fromEulerOld(roll, -pitch, Math.PI / 2 - yaw);
  if (handed === "left" && up === "z") return fromEulerOld(roll, -pitch, -yaw);
  if (up === "y") return fromEulerOld(roll, pitch, -yaw - Math.PI / 2);
  return fromEulerOld(roll, pitch, yaw);
}

function fromEulerOld(roll: number, pitch: number, yaw: number): number[] {
  const [sr, cr] = [Math.sin(roll / 2), Math.cos(roll / 2)];
  const [sp, cp] = [Math.sin(pitch / 2), Math.cos(pitch / 2)];
  const [sy, cy] = [Math.sin(yaw / 2), Math.cos(yaw / 2)];
  return [
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];
}

export function toEulerOld(x: number, y: number, z: number, w: number): number[] {
  const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  const pitch = Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))));
  const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  return [roll, pitch, yaw];
}
