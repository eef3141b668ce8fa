/**
 * How far along the straight line from one point of `places` to the next the nearest point to a place is: 0 at its
 * beginning, 1 at its end. `at`: where the first of the three numbers of the beginning is.
 */
export function nearestPart(places: ArrayLike<number>, at: number, x: number, y: number, z: number): number {
  const dx = places[at + 3]! - places[at]!;
  const dy = places[at + 4]! - places[at + 1]!;
  const dz = places[at + 5]! - places[at + 2]!;
  const length = dx * dx + dy * dy + dz * dz;
  if (length === 0) return 0;
  const part = ((x - places[at]!) * dx + (y - places[at + 1]!) * dy + (z - places[at + 2]!) * dz) / length;
  return Math.max(0, Math.min(1, part));
}

/** Metres from a place to the point of that line that is such a part along it. */
export function awayFrom(places: ArrayLike<number>, at: number, part: number, x: number, y: number, z: number): number {
  const px = places[at]! + part * (places[at + 3]! - places[at]!);
  const py = places[at + 1]! + part * (places[at + 4]! - places[at + 1]!);
  const pz = places[at + 2]! + part * (places[at + 5]! - places[at + 2]!);
  return Math.hypot(x - px, y - py, z - pz);
}
